/*
 * weir.h: what MPI lacks. For programs of weir cc; include it beside mpi.h.
 *
 * One source for weir and for other MPI libraries: with -DWEIR_ABSENT the functions are empty and the program needs
 * nothing of weir:
 *
 *     weir cc halo.c -o halo
 *     mpicc -DWEIR_ABSENT -I <folder of weir.h> halo.c -o halo
 *
 * Functions that return int return MPI_SUCCESS or an error code. Mistakes go to the error handler of MPI_COMM_WORLD, as
 * those of MPI functions do: unless the program has set another one, they end the run. What the engine of the run cannot
 * do is such a mistake (MPI_ERR_ARG): nothing is accepted without effect.
 */
#ifndef WEIR_H
#define WEIR_H

/* For weir_send_protocol and weir_send_copy: as the machine file says. */
#define WEIR_AUTO 0

/* For weir_send_protocol. */
#define WEIR_EAGER      1 /* the data leave without asking the receiver */
#define WEIR_RENDEZVOUS 2 /* the receiver is asked, and answers when it has posted the receive */

/* For weir_send_copy. */
#define WEIR_ZERO_COPY 11 /* out of the program's own memory: no time for a copy; complete when the data have left */
#define WEIR_ONE_COPY  12 /* through a buffer of the library: node.memory_bandwidth says how long the copy takes */

/* For weir_send_nic and weir_send_gap: as the machine file says. */
#define WEIR_NIC_AUTO (-1)
#define WEIR_GAP_AUTO (-1.0)

#ifdef __cplusplus
extern "C" {
#endif

#ifndef WEIR_ABSENT

/* ---- Time -------------------------------------------------------------------------------------- */

/*
 * Lets so many seconds of simulated time pass for the calling rank: the work of code that was left out, or that the run
 * does not charge for (workload.compute). Any time, also before MPI_Init. Negative and infinite times are mistakes.
 */
int weir_compute(double seconds);

/* Simulated time at the calling rank in seconds, as MPI_Wtime; also before MPI_Init. */
double weir_now(void);

/* ---- How messages are sent --------------------------------------------------------------------- */

/*
 * A choice holds for everything that the calling rank sends from then on, the messages of its collectives included, until
 * it makes the same choice anew; WEIR_AUTO and the like take it back. To choose for one message, choose before and take
 * back behind it. The choice of the moment in which a send is started counts. Between MPI_Init and MPI_Finalize.
 */

/*
 * Eager or rendezvous, instead of the machine's limit (node.eager_limit). Synchronous sends (MPI_Ssend and its kin) are
 * always by rendezvous, since they wait for their receiver. Every engine.
 */
int weir_send_protocol(int protocol);

/*
 * Zero-copy or one-copy, instead of copying what is eager and nothing else. Buffered sends (MPI_Bsend and its kin) are
 * always copied. Every engine.
 */
int weir_send_copy(int copy);

/* By which interface of the node messages leave, from 0 to weir_nics() - 1. More than one: only on the packet engine. */
int weir_send_nic(int nic);

/*
 * The inter-packet gap: how long the interface pauses behind each packet, in times that the packet takes. 1.0 halves the
 * rate. From 0 to 1,000,000. Only on the packet engine, see weir_has_send_gap().
 */
int weir_send_gap(double packet_times);

/* How many interfaces a node has. */
int weir_nics(void);

/* Whether weir_send_gap is possible: 1 on the packet engine, 0 on the others. */
int weir_has_send_gap(void);

#else /* WEIR_ABSENT: real time passes by itself, and the library chooses */

static inline int weir_compute(double seconds) { (void)seconds; return 0; }
static inline int weir_send_protocol(int protocol) { (void)protocol; return 0; }
static inline int weir_send_copy(int copy) { (void)copy; return 0; }
static inline int weir_send_nic(int nic) { (void)nic; return 0; }
static inline int weir_send_gap(double packet_times) { (void)packet_times; return 0; }
static inline int weir_nics(void) { return 1; }
static inline int weir_has_send_gap(void) { return 0; }
#define weir_now() MPI_Wtime() /* needs mpi.h */

#endif

#ifdef __cplusplus
}
#endif

/* The same under the name that skeletons for BSIM-Logger use (paper 001, section 3.3). */
#define BSIM_ADD_TIME(seconds) weir_compute(seconds)

#endif
