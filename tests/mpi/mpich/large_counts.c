/* ranks: 2 3 */
/* The forms of point-to-point functions with large counts. */
#include <mpi.h>
#include <string.h>
#include "../check.h"

enum { LENGTH = 1000 };

static int out[LENGTH], in[LENGTH];
static int next, previous, me;

static void begin(void)
{
    memset(in, 0, sizeof in);
}

static void end(const char *name, const MPI_Status *status)
{
    MPI_Count count = -1, elements = -1;
    MPI_Get_count_c(status, MPI_INT, &count);
    MPI_Get_elements_c(status, MPI_INT, &elements);
    int right = count == LENGTH && elements == LENGTH;
    for (int i = 0; i < LENGTH; i++)
        right &= in[i] == previous * 10000 + i;
    check(me, right && status->MPI_SOURCE == previous, "%s", name);
}

typedef int (*Send)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int (*Isend)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void pair(Send send, Isend isend, Isend init, const char *name)
{
    const MPI_Count length = LENGTH;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    begin();
    MPI_Irecv_c(in, length, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    send(out, length, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], &statuses[0]);
    end(name, &statuses[0]);
    begin();
    MPI_Irecv_c(in, length, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    isend(out, length, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    end(name, &statuses[0]);
    begin();
    MPI_Recv_init_c(in, length, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    init(out, length, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, statuses);
    end(name, &statuses[0]);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

int main(int argc, char **argv)
{
    static char room[4 * (LENGTH * sizeof(int) + MPI_BSEND_OVERHEAD)];
    int size;
    void *back;
    MPI_Count bytes = -1;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (me + 1) % size;
    previous = (me + size - 1) % size;
    for (int i = 0; i < LENGTH; i++)
        out[i] = me * 10000 + i;
    pair(MPI_Send_c, MPI_Isend_c, MPI_Send_init_c, "Send");
    pair(MPI_Ssend_c, MPI_Issend_c, MPI_Ssend_init_c, "Ssend");
    pair(MPI_Rsend_c, MPI_Irsend_c, MPI_Rsend_init_c, "Rsend");
    MPI_Buffer_attach_c(room, sizeof room);
    pair(MPI_Bsend_c, MPI_Ibsend_c, MPI_Bsend_init_c, "Bsend");
    MPI_Buffer_detach_c(&back, &bytes);
    check(me, back == room && bytes == (MPI_Count)sizeof room, "Buffer_detach_c");
    begin();
    MPI_Sendrecv_c(out, LENGTH, MPI_INT, next, 2, in, LENGTH, MPI_INT, previous, 2, MPI_COMM_WORLD, &status);
    end("Sendrecv_c", &status);
    memcpy(in, out, sizeof in);
    MPI_Sendrecv_replace_c(in, LENGTH, MPI_INT, next, 2, previous, 2, MPI_COMM_WORLD, &status);
    end("Sendrecv_replace_c", &status);
    begin();
    MPI_Isend_c(out, LENGTH, MPI_INT, next, 3, MPI_COMM_WORLD, &request);
    MPI_Recv_c(in, LENGTH, MPI_INT, previous, 3, MPI_COMM_WORLD, &status);
    end("Recv_c", &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    begin();
    MPI_Isend_c(out, LENGTH, MPI_INT, next, 3, MPI_COMM_WORLD, &request);
    MPI_Mprobe(previous, 3, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv_c(in, LENGTH, MPI_INT, &message, &status);
    end("Mrecv_c", &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    begin();
    MPI_Request receive;
    MPI_Isend_c(out, LENGTH, MPI_INT, next, 3, MPI_COMM_WORLD, &request);
    MPI_Mprobe(previous, 3, MPI_COMM_WORLD, &message, &status);
    MPI_Imrecv_c(in, LENGTH, MPI_INT, &message, &receive);
    MPI_Wait(&receive, &status);
    end("Imrecv_c", &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    /* More than an int can say. */
    MPI_Count large = (MPI_Count)3 << 31, got = 0;
    int small = 0;
    MPI_Status_set_elements_c(&status, MPI_BYTE, large);
    MPI_Get_elements_c(&status, MPI_BYTE, &got);
    check(me, got == large, "Get_elements_c of many");
    MPI_Get_count_c(&status, MPI_INT, &got);
    check(me, got == large / 4, "Get_count_c of many");
    MPI_Get_count(&status, MPI_BYTE, &small);
    check(me, small == MPI_UNDEFINED, "Get_count of many");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int class = -1;
    MPI_Error_class(MPI_Send_c(out, -large, MPI_INT, next, 3, MPI_COMM_WORLD), &class);
    check(me, class == MPI_ERR_COUNT, "a negative count");
    MPI_Finalize();
    return 0;
}
