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

/* For weir_sample_begin: who measures, and how many executions. */
#define WEIR_PER_RANK 1
#define WEIR_GLOBAL   2
#define WEIR_ALWAYS   (-1.0)

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
static inline int weir_compute(double seconds);

/* Simulated time at the calling rank in seconds, as MPI_Wtime; also before MPI_Init. */
double weir_now(void);

/* ---- Skeletons: time that stands for code left out (paper 001; docs/guide/skeletons.md) ---------- */

/*
 * All of these are clock calls, as weir_compute is: they let time pass, read no clock and are no calls of MPI. The end of
 * the run says how many there were, what they have charged, and what they have cost.
 */

/* So many iterations of an inner loop, each of which takes so many seconds. */
static inline int weir_compute_iterations(double seconds, double iterations);

/*
 * So many instructions: they take instructions x node.cpi / node.clock, which the machine file must have. Paper 001,
 * equation 2: T = IC x CPI x CCT.
 */
static inline int weir_compute_instructions(double instructions);

/*
 * As weir_compute, for a block with a name and a level: 1 straight-line code, 2 with IF, 3 with loops, 4 with calls of
 * functions, 5 with MPI. The end of the run reports executions and time of each.
 */
int weir_compute_block(const char *name, int level, double seconds);

/*
 * Behind WEIR_SAMPLE and its kin, see below. The beginning of a block: 1 if the calling rank is to execute it, which ends
 * with weir_sample_end (which returns 0); 0 if it is to be skipped, and has been charged.
 */
int weir_sample_begin(const char *name, int scope, double first, double iterations);
int weir_sample_end(void);

/*
 * The part of the program that the calling rank is in from now on, for the account of where time goes (output.causes): "assembly",
 * "solve". NULL or "": in none. Each rank says it for itself; it takes no time. At most 1,000 names in a run.
 */
int weir_phase(const char *name);

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

/*
 * How clock calls work, and no business of programs: a skeleton may make hundreds of millions of them, so they only add to a
 * sum of the rank's own, which the next call of anything else takes over. What is no time, and the first call of each rank,
 * goes to the functions below.
 */
struct weir_clock_sums_ {
    double seconds, instructions;
    unsigned long long whole_instructions, calls, instruction_calls;
    int is_ready, has_instruction_time;
};
extern struct weir_clock_sums_ weir_clock_sums_;
int weir_compute_at_once(double seconds);
int weir_compute_instructions_at_once(double instructions);

static inline int weir_compute(double seconds)
{
    if (!(weir_clock_sums_.is_ready && seconds >= 0 && seconds <= 1e6)) return weir_compute_at_once(seconds);
    weir_clock_sums_.seconds += seconds;
    weir_clock_sums_.calls++;
    return 0;
}

static inline int weir_compute_iterations(double seconds, double iterations)
{
    return weir_compute(seconds < 0 ? seconds : seconds * iterations);
}

/* Whole numbers, which is what a disassembly has, are added as such: many processors do that several times faster. */
static inline int weir_compute_instructions(double instructions)
{
    if (!(weir_clock_sums_.has_instruction_time && instructions >= 0 && instructions <= 1e15))
        return weir_compute_instructions_at_once(instructions);
    if (instructions <= 1e6 && (double)(long)instructions == instructions)
        weir_clock_sums_.whole_instructions += (unsigned long)instructions;
    else
        weir_clock_sums_.instructions += instructions;
    weir_clock_sums_.instruction_calls++;
    return 0;
}

#else /* WEIR_ABSENT: real time passes by itself, and the library chooses */

static inline int weir_compute(double seconds) { (void)seconds; return 0; }
static inline int weir_compute_iterations(double seconds, double iterations)
{
    (void)seconds;
    (void)iterations;
    return 0;
}
static inline int weir_compute_instructions(double instructions) { (void)instructions; return 0; }
static inline int weir_compute_block(const char *name, int level, double seconds)
{
    (void)name;
    (void)level;
    (void)seconds;
    return 0;
}
/* Everything is executed. */
static inline int weir_sample_begin(const char *name, int scope, double first, double iterations)
{
    (void)name;
    (void)scope;
    (void)first;
    (void)iterations;
    return 1;
}
static inline int weir_sample_end(void) { return 0; }
static inline int weir_phase(const char *name) { (void)name; return 0; }
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

/*
 * Blocks of which the first executions are measured and the others skipped and charged the mean:
 *
 *     WEIR_SAMPLE("relax", 10) { relax(grid); }                 the first 10 of each rank
 *     WEIR_SAMPLE_GLOBAL("relax", 10) { relax(grid); }          the first 10 of all ranks together
 *     WEIR_SAMPLE_LOOP("dot", 10, n) { for (...) sum += ...; }  charged the mean time of an iteration, n times
 *     WEIR_MEASURE("dot", n) { for (...) sum += ...; }          all executions are measured, none is skipped
 *
 * What is measured is processor time of this computer, without what the simulator does. A block calls no MPI and contains no
 * other such block; continue ends it, while break, return and goto out of it are mistakes. Compiled with -DWEIR_ABSENT all
 * executions run.
 */
#define WEIR_SAMPLE(name, first) WEIR_BLOCK_(name, WEIR_PER_RANK, first, 1.0)
#define WEIR_SAMPLE_GLOBAL(name, first) WEIR_BLOCK_(name, WEIR_GLOBAL, first, 1.0)
#define WEIR_SAMPLE_LOOP(name, first, iterations) WEIR_BLOCK_(name, WEIR_PER_RANK, first, iterations)
#define WEIR_MEASURE(name, iterations) WEIR_BLOCK_(name, WEIR_PER_RANK, WEIR_ALWAYS, iterations)
#define WEIR_BLOCK_(name, scope, first, iterations)                                                                  \
    for (int weir_runs_ = weir_sample_begin(name, scope, first, iterations); weir_runs_; weir_runs_ = weir_sample_end())

/* The same under the name that skeletons for BSIM-Logger use (paper 001, section 3.3). */
#define BSIM_ADD_TIME(seconds) weir_compute(seconds)

#endif
