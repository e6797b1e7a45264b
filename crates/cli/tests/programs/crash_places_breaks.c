#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int deep(int n) { volatile char room[1000]; room[0] = n; return n ? deep(n - 1) + room[0] : 0; }
__attribute__((noinline)) static void inner(char *nothing, const char *way)
{
    void (*function)(void) = (void (*)(void))nothing;
    switch (*way) {
    default: break;
    case 'w': *nothing = 1; break;
    case 'c': strcpy(nothing, way); break;
    case 'a': abort(); break;
    case 's': assert(nothing); break;
    case 'f': free(nothing + 1); break;
    case 'n': function(); break;
    case 'd': deep(10000000);
    }
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    inner(NULL, argv[1]);
    MPI_Finalize();
}
