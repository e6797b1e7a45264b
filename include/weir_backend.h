/*
 * weir_backend.h: weir as the network of another simulator. Link with -lweir_backend.
 *
 * A program opens a machine, hands over what its ranks send and receive, and steps the simulated time; weir calls it back when something is
 * complete. The calls are those that network interfaces of system simulators have: send, receive, schedule, the time. Times are whole
 * picoseconds. docs/reference/weir-backend-h.md says what each engine does, in which order completions come, and what errors there are.
 *
 * A backend belongs to the thread that has opened it. Functions that return int return 0 or more, or one of the negative codes below; then
 * weir_backend_error has a sentence about it.
 */
#ifndef WEIR_BACKEND_H
#define WEIR_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_backend weir_backend;

/* Called when a request is complete; it may call all functions but weir_backend_close. */
typedef void (*weir_backend_handler)(void *argument);

/* For from and tag of a receive: any. For until_ps: as long as anything happens. */
#define WEIR_BACKEND_ANY (-1)

/* Codes of errors. */
#define WEIR_BACKEND_ARGUMENT   (-1) /* an argument is wrong: nothing was done, and all goes on */
#define WEIR_BACKEND_DEADLOCK   (-2) /* nothing is left to happen, and requests wait for others: make those, or give up */
#define WEIR_BACKEND_ENDED      (-3) /* the run has ended, by a limit or a message that does not fit: all calls say so from now on */
#define WEIR_BACKEND_EXPERIMENT (-4) /* something is wrong with the experiment: nothing is open */

/* Kinds of completions. */
#define WEIR_BACKEND_SENT      1 /* the buffer of a send is free */
#define WEIR_BACKEND_RECEIVED  2 /* a message is there */
#define WEIR_BACKEND_SCHEDULED 3 /* the time has come */

typedef struct weir_backend_completion {
    int kind;
    int32_t rank; /* whose request it was */
    int32_t from; /* of a receive: the sender, its tag and its bytes; else -1, -1, 0 */
    int32_t tag;
    int64_t bytes;
    int64_t at_ps; /* by the clock of the rank: ahead of weir_backend_now by the processor time of its calls, never behind it */
    weir_backend_handler handler; /* as given with the request */
    void *argument;
} weir_backend_completion;

/*
 * Opens an experiment, a machine file or a machine of another tool, with settings such as "engine.kind=flow" or "workload.ranks=8"; NULL: settings
 * alone. *opened is a backend also when it fails, for weir_backend_error, and is always to be closed.
 */
int weir_backend_open(const char *experiment, const char *const *settings, size_t count, weir_backend **opened);

void weir_backend_close(weir_backend *backend);

/* The sentence of the last error; it stays until the next one, or until the backend is closed. */
const char *weir_backend_error(const weir_backend *backend);

/* Number of ranks: they are 0, 1, 2, ... */
int32_t weir_backend_ranks(const weir_backend *backend);

/* The simulated time. It begins with 0. */
int64_t weir_backend_now(const weir_backend *backend);

/*
 * Requests, made now by a rank. Messages of a pair of ranks with the same tag are received in the order in which they were sent; a receive has room
 * for so many bytes, and a longer message ends the run. The handler (NULL: none) is called in weir_backend_run.
 */
int weir_backend_send(weir_backend *backend, int32_t from, int32_t to, int32_t tag, int64_t bytes,
                      weir_backend_handler handler, void *argument);
int weir_backend_receive(weir_backend *backend, int32_t at, int32_t from, int32_t tag, int64_t bytes,
                         weir_backend_handler handler, void *argument);
int weir_backend_schedule(weir_backend *backend, int32_t of, int64_t delay_ps,
                          weir_backend_handler handler, void *argument);

/*
 * Lets time pass to the next completion, but not beyond until_ps. Returns 1 with the completion, whose handler is not called, or 0 when all up to
 * until_ps has happened, which is the time then; without an end (WEIR_BACKEND_ANY) 0 when nothing is left to happen and all is complete.
 */
int weir_backend_next(weir_backend *backend, int64_t until_ps, weir_backend_completion *completion);

/* The same until 0, or an error: calls the handler of each completion. */
int weir_backend_run(weir_backend *backend, int64_t until_ps);

/*
 * Ends the run where it is. With a setting "output.dir=FOLDER" its results are in that folder then, as those of `weir run`; weir_backend_close
 * writes them as well, and says nothing of errors.
 */
int weir_backend_finish(weir_backend *backend);

#ifdef __cplusplus
}
#endif

#endif
