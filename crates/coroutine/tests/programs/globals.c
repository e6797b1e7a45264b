/* Writable data of every kind: .data, .bss, static in a function, thread-local, larger than what is copied. */
#include <stdlib.h>

static int counter = 100;
static int zero;
static _Thread_local int own = 7;
_Thread_local int seen_outside = 5;
static int (*volatile of_library)(void) = rand;
static char large[1 << 20];
static char marked[1 << 19] = {1, 2, 3};

int bump(int by) {
    static int calls;
    counter += by;
    zero += by;
    own += by;
    seen_outside += by;
    large[(1 << 20) - 1] += (char)by;
    large[by * 5000] = (char)by;
    marked[2] += (char)by;
    calls++;
    return calls;
}

int sum(void) {
    int all = 0;
    for (int i = 0; i < 1 << 20; i++)
        all += large[i];
    return counter + zero + own + seen_outside + all + marked[0] + marked[1] + marked[2];
}

/* Addresses of its own in its data, more than a word of packed relocations has. */
#define FOUR &counter, &zero, &counter, &zero
#define SIXTEEN FOUR, FOUR, FOUR, FOUR
static int *places[68] = {SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, FOUR};

/* The test's rand returns this. */
int astray(void) {
    int all = (rand() != 4321) + (of_library() != 4321);
    for (int i = 0; i < 68; i++)
        all += places[i] != (i % 2 ? &zero : &counter);
    return all;
}

int spin(const volatile int *goes_on) {
    while (*goes_on)
        ;
    return 1;
}


int divide(int a, int b) { return a / b; }
int follow(const int *where) { return *where; }
int deep(int n) {
    volatile char frame[1000];
    frame[0] = (char)n;
    return n == 0 ? 0 : deep(n + 1) + frame[0];
}
