#include <mpi.h>
#include <stdio.h>
int main(void)
{
    int rank;
    unsigned char data[3], got[2] = {0, 0};
    double start;
    MPI_Offset size, place;
    MPI_File file;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start = MPI_Wtime();
    MPI_File_open(MPI_COMM_WORLD, "together.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    data[0] = data[1] = data[2] = rank;
    MPI_File_write_ordered(file, data, rank + 1, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_seek_shared(file, 1, MPI_SEEK_SET);
    MPI_File_read_ordered(file, got, 2, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_get_size(file, &size);
    MPI_File_get_position_shared(file, &place);
    MPI_File_close(&file);
    printf("%d [%d, %d] %d %d %.3f us\n", rank, got[0], got[1], (int)size, (int)place, (MPI_Wtime() - start) * 1e6);
    MPI_Finalize();
}
