/* Rank 1 damages what the allocator of the process gives, or takes it away. Argument: how. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *how = "";

/* The beginning and the end of the heap of the process. */
static void find_heap(uintptr_t heap[2])
{
    char line[400];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (strstr(line, "[heap]"))
            sscanf(line, "%lx-%lx", &heap[0], &heap[1]);
    fclose(maps);
}

static void damage(void)
{
    uintptr_t heap[2] = {0, 0};
    find_heap(heap);
    if (strcmp(how, "unmap") == 0)
        munmap((void *)heap[0], heap[1] - heap[0]);
    if (strcmp(how, "protect") == 0)
        mprotect((void *)heap[0], heap[1] - heap[0], PROT_READ);
    if (strcmp(how, "list") == 0) {
        /* The allocator finds out while it holds its lock. */
        void *volatile *volatile piece = malloc(2000);
        void *volatile behind = malloc(24);
        free((void *)piece);
        piece[0] = piece[1] = (void *)0x10000;
        for (int i = 0; i < 100; i++) {
            void *volatile more = malloc(3000 + (size_t)i);
            (void)more;
        }
        (void)behind;
    }
}

int main(int argc, char **argv)
{
    int rank;
    how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        damage();
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
