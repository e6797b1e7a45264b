// Threads of a group on a processor, for tests. They run one after the other, each until all of them meet, in another order each time: so a thread
// that reads what another one writes before they meet has other results.
#pragma once
#include "numbers.h"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <setjmp.h>
#include <ucontext.h>

class Warp {
    static const u32 MOST = 32;
    static const size_t STACK = 256 << 10;
    // Contexts begin threads; jumps go from one to another without the system.
    ucontext_t threads[MOST];
    jmp_buf scheduler, places[MOST];
    std::unique_ptr<char[]> stacks{new char[MOST * STACK]};
    std::function<void(u32)> work;
    // What the threads bring to a meeting, and to the next one; and which it is, by kind.
    u64 values[2][MOST];
    u32 meetings[MOST], kinds[MOST], own = 0, count = 0;
    bool is_over[MOST];

    static void begin(unsigned low, unsigned high) {
        Warp* warp = (Warp*)((u64)high << 32 | low);
        u32 own = warp->own;
        warp->work(own);
        warp->is_over[own] = true;
        _longjmp(warp->scheduler, 1);
    }

    [[noreturn]] static void fail(const char* why) {
        std::fprintf(stderr, "the threads of a router %s\n", why);
        std::abort();
    }

public:
    static Warp& here() {
        static thread_local Warp warp;
        return warp;
    }

    u32 size() const { return count; }

    // Meets the others, which come to the same kind of meeting; returns what each has brought.
    const u64* meet(u32 kind, u64 value) {
        u64* all = values[meetings[own]++ % 2];
        all[own] = value;
        kinds[own] = kind;
        if (!_setjmp(places[own])) _longjmp(scheduler, 1);
        return all;
    }

    // Runs the work of so many threads, in orders that are drawn.
    void run(u32 threads_count, u64& draws, std::function<void(u32)> each) {
        work = std::move(each);
        count = threads_count;
        for (u32 thread = 0; thread < count; ++thread) {
            meetings[thread] = kinds[thread] = 0;
            is_over[thread] = false;
            getcontext(&threads[thread]);
            threads[thread].uc_stack.ss_sp = stacks.get() + thread * STACK;
            threads[thread].uc_stack.ss_size = STACK;
            makecontext(&threads[thread], (void (*)())begin, 2, (unsigned)(u64)this, (unsigned)((u64)this >> 32));
        }
        for (u32 over = 0; over < count;) {
            u32 first = (u32)(next_number(draws) % count), stride = 2 * (u32)(next_number(draws) % count) + 1;
            for (u32 step = 0; step < count; ++step) {
                own = (first + step * stride) % count;
                if (_setjmp(scheduler)) continue;
                if (meetings[own] > 0) _longjmp(places[own], 1);
                setcontext(&threads[own]);
            }
            over = 0;
            for (u32 thread = 0; thread < count; ++thread) {
                over += is_over[thread];
                if (kinds[thread] != kinds[0]) fail("meet for different reasons");
            }
            if (over != 0 && over != count) fail("do not all come to a meeting");
        }
    }
};
