/*
 * Collectives by the program's own algorithms. Not a part of MPI: other libraries do not have it.
 */
#ifndef WEIR_COLLECTIVES_H
#define WEIR_COLLECTIVES_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * From now on this rank carries out the collective, for example "MPI_Allreduce" (or "MPI_Allreduce_c"), by calling
 * `function`, which has the same arguments and result; NULL gives it back to the library. All ranks of a communicator
 * have to carry out a collective alike. The communicator that the function gets has the same ranks as the program's,
 * but its messages meet no others. Collectives that the function calls are the library's.
 */
int weir_collective_set(const char *collective, void *function);

#ifdef __cplusplus
}
#endif

#endif
