/*
 * A token goes around all ranks of a machine, so many times: each rank that has received it computes for a while and sends it on.
 *
 *     cc token.c -I WEIR/include -L WEIR/lib -lweir_backend -o token
 *     ./token ring.toml 3
 */
#include <stdio.h>
#include <stdlib.h>
#include <weir_backend.h>

enum { BYTES = 1000, TAG = 7, COMPUTED_PS = 500000 };

struct rank {
    weir_backend *backend;
    int32_t number, ranks;
    long left; /* how often it still receives the token */
};

static void check(weir_backend *backend, int code)
{
    if (code < 0) {
        fprintf(stderr, "error: %s\n", weir_backend_error(backend));
        weir_backend_close(backend);
        exit(1);
    }
}

static void computed(void *argument)
{
    struct rank *rank = argument;
    check(rank->backend, weir_backend_send(rank->backend, rank->number, (rank->number + 1) % rank->ranks, TAG, BYTES, NULL, NULL));
}

static void received(void *argument)
{
    struct rank *rank = argument;
    rank->left--;
    if (rank->number > 0 || rank->left > 0)
        check(rank->backend, weir_backend_schedule(rank->backend, rank->number, COMPUTED_PS, computed, rank));
    if (rank->left > 0)
        check(rank->backend, weir_backend_receive(rank->backend, rank->number, WEIR_BACKEND_ANY, TAG, BYTES, received, rank));
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: token EXPERIMENT ROUNDS [SETTING ...]\n");
        return 2;
    }
    weir_backend *backend;
    const char *const *settings = (const char *const *)arguments + 3;
    int code = weir_backend_open(arguments[1], settings, (size_t)(count - 3), &backend);
    check(backend, code);
    int32_t ranks = weir_backend_ranks(backend);
    struct rank *all = calloc((size_t)ranks, sizeof *all);
    for (int32_t number = 0; number < ranks; number++) {
        all[number] = (struct rank){backend, number, ranks, atol(arguments[2])};
        check(backend, weir_backend_receive(backend, number, WEIR_BACKEND_ANY, TAG, BYTES, received, &all[number]));
    }
    computed(&all[0]);
    check(backend, weir_backend_run(backend, WEIR_BACKEND_ANY));
    printf("%lld ps\n", (long long)weir_backend_now(backend));
    weir_backend_close(backend);
    free(all);
    return 0;
}
