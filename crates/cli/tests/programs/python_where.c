#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
int main(int c, char **v)
{
    char name[256], processor[MPI_MAX_PROCESSOR_NAME];
    int length, rank;
    struct utsname system;
    struct addrinfo *found = NULL;
    MPI_Init(&c, &v);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gethostname(name, sizeof name);
    uname(&system);
    MPI_Get_processor_name(processor, &length);
    long own = gethostid(), all[4];
    MPI_Allgather(&own, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
    int near = 0;
    for (int i = 0; i < 4; i++)
        near += all[i] == own;
    printf("%d %s %s %s %d %s %s %s\n", rank, name, strcmp(system.nodename, name) ? system.nodename : "same",
           strcmp(processor, name) ? processor : "same", near, getenv("OMPI_COMM_WORLD_LOCAL_RANK"),
           getenv("SLURM_NODEID"), getenv("MPI_LOCALNRANKS"));
    if (c > 1 && (getaddrinfo(name, NULL, NULL, &found) || gethostbyname(name) == NULL || gethostname(name, 8) == 0))
        return 1;
    MPI_Finalize();
    return 0;
}
