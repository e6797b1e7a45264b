/* ranks: 1 2 4 8 */
/* Each rank has its own globals: initialized and not, static in a file and in a function, in constructors, pointers
   to themselves, a large array. Barriers between the changes let ranks take turns. */
#include <mpi.h>
#include <string.h>
#include "check.h"

int counter;                        /* zero at first */
static int start_value = 42;        /* not zero at first */
static const char *word = "nobody"; /* a pointer */
static char text[64] = "initial";
static unsigned char large[1 << 20];
static double table[4] = {1.5, 2.5, 3.5, 4.5};
static int (*operation)(int);

/* A structure that points to itself, as lists do. */
static struct ring {
    struct ring *next;
    int value;
} ring = {&ring, 7};

static int constructed;

__attribute__((constructor)) static void construct(void)
{
    constructed += 11;
}

static int count_calls(void)
{
    static int calls;
    return ++calls;
}

static int twice(int x)
{
    return 2 * x;
}

static int thrice(int x)
{
    return 3 * x;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    check(rank, counter == 0 && start_value == 42 && strcmp(word, "nobody") == 0 && strcmp(text, "initial") == 0 &&
                    table[3] == 4.5 && ring.next == &ring && ring.value == 7, "initial values");
    check(rank, constructed == 11, "constructor ran once");

    static const char *const words[] = {"zero", "one", "two", "three", "four", "five", "six", "seven"};
    operation = rank % 2 ? thrice : twice;
    word = words[rank];
    snprintf(text, sizeof text, "I am rank %d", rank);
    for (int round = 0; round < 10 + rank; round++) {
        counter += rank + 1;
        start_value -= 1;
        table[round % 4] += rank;
        ring.next->value++;
        count_calls();
        MPI_Sendrecv(NULL, 0, MPI_INT, rank, 0, NULL, 0, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (round < 10)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    fact(rank, "counter %d, start value %d, calls %d, ring %d", counter, start_value, count_calls(), ring.value);
    fact(rank, "table %.1f %.1f %.1f %.1f", table[0], table[1], table[2], table[3]);
    fact(rank, "word %s, text %s, operation of 5: %d", word, text, operation(5));

    /* One MiB, changed in part each round. */
    int good = 1;
    for (int round = 0; round < 5; round++) {
        if (round == 0)
            memset(large, 16 * rank, sizeof large);
        large[round * 200003] = (unsigned char)(16 * rank + round);
        MPI_Barrier(MPI_COMM_WORLD);
        for (size_t i = 0; i < sizeof large; i++) {
            size_t at = i / 200003;
            int changed = i % 200003 == 0 && (int)at <= round;
            good = good && large[i] == (unsigned char)(16 * rank + (changed ? (int)at : 0));
        }
    }
    check(rank, good, "one MiB of one's own");

    int sum = 0;
    MPI_Allreduce(&counter, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    fact(rank, "sum of all counters %d", sum);
    MPI_Finalize();
    return 0;
}
