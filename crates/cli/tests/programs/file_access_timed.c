#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void now(const char *what) {
    printf("%d: %s %.3f\n", rank, what, MPI_Wtime() * 1e6);
}

int main(int argc, char **argv) {
    static char data[4000];
    MPI_File file;
    MPI_Request request;
    int flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    now("open");
    MPI_File_write_at(file, 2000 * rank, data, 2000, MPI_BYTE, MPI_STATUS_IGNORE);
    now("write");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_iread_at(file, 2000 * rank, data, 1000, MPI_BYTE, &request);
    now("begun");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    now("read");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_File_iwrite_at(file, 0, data, 4000, MPI_BYTE, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        now("tested");
        MPI_File_read_at(file, 3000, data, 4000, MPI_BYTE, MPI_STATUS_IGNORE);
        now("end of the file");
        MPI_File_read_at(file, 0, data, 0, MPI_BYTE, MPI_STATUS_IGNORE);
        now("nothing");
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
