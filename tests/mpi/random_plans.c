/* ranks: 2 3 5 8 */
/* Random communication: every rank computes the same plan from a seed, does its part, and checks what has come.
 *
 * A plan has rounds. In a round there are messages in several communicators, of any size on both sides of the eager limit;
 * receives ask for source and tag, for one of them, or for none; collectives go on meanwhile; ranks post and wait in orders of
 * their own. Arguments: the first seed, how many seeds, the most messages of a round. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { COMMS = 3, MESSAGES = 96, LONGEST = 48 * 1024, TAGS = 4 };

/* How the receives of a rank in a communicator ask. */
enum asks { EXACT, ANY_TAG, ANY_SOURCE, ANY, ASKS };

struct message {
    int from, to, comm, tag, bytes, synchronous, taken;
};

/* Something that a rank has started. */
struct operation {
    int message; /* sent; -1 for a receive and for a collective */
    int comm, source, tag, collective;
    unsigned char *buffer;
    MPI_Status status;
};

static MPI_Comm comms[COMMS];
static int rank, size;
static struct message messages[MESSAGES];
static struct operation operations[2 * MESSAGES + 8];
static MPI_Request requests[2 * MESSAGES + 8];
static int count, started;
static uint64_t matching, wrong;

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The plan's generator is the same on all ranks, the own one is not. */
static uint64_t plan_state, own_state;

static int draw(uint64_t *state, int below)
{
    *state = mix(*state);
    return (int)(*state >> 33) % below;
}

static int draw_bytes(void)
{
    switch (draw(&plan_state, 8)) {
    case 0: return 0;
    case 1: return 16 * 1024 + draw(&plan_state, 3) - 1;
    case 2: return draw(&plan_state, LONGEST);
    case 3: case 4: return draw(&plan_state, 5000);
    default: return draw(&plan_state, 300);
    }
}

/* Even and odd ranks, the odd ones backwards. */
static int member(int comm, int world)
{
    if (comm < 2)
        return world;
    int members = (size - world % 2 + 1) / 2;
    return world % 2 ? members - 1 - world / 2 : world / 2;
}

static unsigned char byte_of(uint64_t key, int place)
{
    return (unsigned char)(mix(key + (uint64_t)place / 8) >> place % 8 * 8);
}

static unsigned char *filled(uint64_t key, int bytes)
{
    unsigned char *buffer = malloc((size_t)bytes + 1);
    for (int i = 0; i < bytes; i++)
        buffer[i] = byte_of(key, i);
    return buffer;
}

static void complain(const char *what, int number)
{
    if (wrong++ < 3)
        check(rank, 0, "%s, message %d", what, number);
}

static void make_messages(int most)
{
    count = 1 + draw(&plan_state, most);
    int crowd = draw(&plan_state, 3) == 0; /* all to and from few */
    for (int i = 0; i < count; i++) {
        struct message *m = &messages[i];
        m->comm = draw(&plan_state, COMMS);
        m->from = draw(&plan_state, size);
        m->to = draw(&plan_state, crowd ? (size + 1) / 2 : size);
        if (m->comm == 2 && m->from % 2 != m->to % 2)
            m->comm = 0;
        m->tag = draw(&plan_state, TAGS);
        m->bytes = draw_bytes();
        m->synchronous = draw(&plan_state, 6) == 0;
        m->taken = 0;
    }
}

static int takes(const struct operation *o, const struct message *m)
{
    return m->to == rank && m->comm == o->comm && (o->tag == MPI_ANY_TAG || o->tag == m->tag) &&
           (o->source == MPI_ANY_SOURCE || o->source == member(m->comm, m->from));
}

static void start_send(int number, uint64_t key)
{
    struct message *m = &messages[number];
    struct operation *o = &operations[started];
    *o = (struct operation){.message = number, .buffer = filled(key + (uint64_t)number * LONGEST, m->bytes)};
    int to = member(m->comm, m->to);
    if (m->synchronous)
        MPI_Issend(o->buffer, m->bytes, MPI_BYTE, to, m->tag, comms[m->comm], &requests[started++]);
    else
        MPI_Isend(o->buffer, m->bytes, MPI_BYTE, to, m->tag, comms[m->comm], &requests[started++]);
}

static void start_receive(const struct message *m, enum asks asks)
{
    struct operation *o = &operations[started];
    int any_source = asks == ANY_SOURCE || asks == ANY, any_tag = asks == ANY_TAG || asks == ANY;
    *o = (struct operation){.message = -1, .comm = m->comm, .buffer = malloc(LONGEST)};
    o->source = any_source ? MPI_ANY_SOURCE : member(m->comm, m->from);
    o->tag = any_tag ? MPI_ANY_TAG : m->tag;
    MPI_Irecv(o->buffer, LONGEST, MPI_BYTE, o->source, o->tag, comms[m->comm], &requests[started++]);
}

static void start_collective(int which, uint64_t key)
{
    struct operation *o = &operations[started];
    int root = (int)(key % (uint64_t)size), bytes = (int)(key >> 8 & 0x3fff);
    *o = (struct operation){.message = -1, .collective = 1 + which};
    if (which == 0) {
        MPI_Ibarrier(comms[1], &requests[started++]);
    } else if (which == 1) {
        o->buffer = rank == root ? filled(key, bytes) : malloc((size_t)bytes + 1);
        MPI_Ibcast(o->buffer, bytes, MPI_BYTE, root, comms[1], &requests[started++]);
    } else {
        int64_t mine = rank + 1;
        o->buffer = malloc(sizeof mine);
        memcpy(o->buffer, &mine, sizeof mine);
        MPI_Iallreduce(MPI_IN_PLACE, o->buffer, 1, MPI_INT64_T, MPI_SUM, comms[1], &requests[started++]);
    }
}

/* Waits for everything, in one of several ways. */
static void wait_for_all(void)
{
    MPI_Status statuses[2 * MESSAGES + 8];
    int places[2 * MESSAGES + 8], left = started, done, place;
    switch (draw(&own_state, 5)) {
    case 0:
        MPI_Waitall(started, requests, statuses);
        for (int i = 0; i < started; i++)
            operations[i].status = statuses[i];
        return;
    case 1:
        while (left-- > 0) {
            MPI_Waitany(started, requests, &place, statuses);
            operations[place].status = statuses[0];
        }
        return;
    case 2:
        for (; left > 0; left -= done) {
            MPI_Waitsome(started, requests, &done, places, statuses);
            for (int i = 0; i < done; i++)
                operations[places[i]].status = statuses[i];
        }
        return;
    case 3:
        while (left > 0) {
            int flag;
            place = draw(&own_state, started);
            if (requests[place] == MPI_REQUEST_NULL)
                continue;
            MPI_Test(&requests[place], &flag, &operations[place].status);
            left -= flag;
        }
        return;
    default:
        for (int step = 1 + 2 * draw(&own_state, 8), i = 0; left > 0; i = (i + step) % started) {
            while (requests[i] == MPI_REQUEST_NULL)
                i = (i + 1) % started;
            MPI_Wait(&requests[i], &operations[i].status);
            left--;
        }
    }
}

/* Messages of one sender do not overtake: a receive has got the first of its source that was not taken. */
static void check_receive(int number, uint64_t key)
{
    struct operation *o = &operations[number];
    int bytes, i = 0;
    MPI_Get_count(&o->status, MPI_BYTE, &bytes);
    while (i < count && !(takes(o, &messages[i]) && !messages[i].taken &&
                          member(messages[i].comm, messages[i].from) == o->status.MPI_SOURCE))
        i++;
    if (i == count) {
        complain("nothing was to come", number);
        return;
    }
    struct message *m = &messages[i];
    m->taken = 1;
    int good = m->bytes == bytes && m->tag == o->status.MPI_TAG;
    for (int place = 0; good && place < bytes; place++)
        good = o->buffer[place] == byte_of(key + (uint64_t)i * LONGEST, place);
    if (!good)
        complain("another message has come", i);
    /* Which receive has got it is sure only where the source was asked for. */
    int sure = o->source != MPI_ANY_SOURCE ? number : 0;
    matching += mix(key ^ mix((uint64_t)(rank * 1000 + i)) ^ mix((uint64_t)sure));
}

static void check_collective(struct operation *o, int which, uint64_t key)
{
    int bytes = (int)(key >> 8 & 0x3fff), good = 1;
    for (int place = 0; which == 1 && good && place < bytes; place++)
        good = o->buffer[place] == byte_of(key, place);
    int64_t sum;
    if (which == 2) {
        memcpy(&sum, o->buffer, sizeof sum);
        good = sum == (int64_t)size * (size + 1) / 2;
    }
    if (!good)
        complain("a collective has another result", which);
}

static void one_round(uint64_t seed, int most)
{
    uint64_t key = mix(seed) >> 8;
    plan_state = key;
    own_state = key + (uint64_t)rank + 1;
    make_messages(most);
    int asks[COMMS], any_source = 0;
    for (int comm = 0; comm < COMMS; comm++) {
        asks[comm] = draw(&plan_state, ASKS);
        any_source |= asks[comm] == ANY_SOURCE || asks[comm] == ANY;
    }
    int collectives = draw(&plan_state, 4), which[4];
    for (int i = 0; i < collectives; i++)
        which[i] = draw(&plan_state, 3);
    /* Sends and collectives in the order of the plan, receives in one of the own, and all mixed. */
    int order[MESSAGES], mine = 0, next = 0, sent = 0, begun = 0;
    for (int i = 0; i < count; i++)
        if (messages[i].to == rank)
            order[mine++] = i;
    for (int i = mine - 1; i > 0; i--) {
        int other = draw(&own_state, i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    started = 0;
    int late = draw(&own_state, 3); /* receives last, mixed, or first */
    while (sent < count || next < mine || begun < collectives) {
        int turn = draw(&own_state, 8);
        if (sent < count && messages[sent].from != rank) {
            sent++;
        } else if (begun < collectives && (turn == 0 || (sent == count && next == mine))) {
            start_collective(which[begun], mix(key + (uint64_t)begun));
            begun++;
        } else if (next < mine && (sent == count || late == 2 || (late == 1 && turn % 2))) {
            start_receive(&messages[order[next]], (enum asks)asks[messages[order[next]].comm]);
            next++;
        } else if (sent < count) {
            start_send(sent++, key);
        }
    }
    wait_for_all();
    begun = 0;
    for (int i = 0; i < started; i++) {
        struct operation *o = &operations[i];
        if (o->collective > 0) {
            check_collective(o, which[begun], mix(key + (uint64_t)begun));
            begun++;
        } else if (o->message < 0) {
            check_receive(i, key);
        }
        free(o->buffer);
    }
    /* A receive from anybody must not take what others send in the next round. */
    if (any_source)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void one_plan(uint64_t seed, int most)
{
    uint64_t totals[2];
    matching = wrong = 0;
    int rounds = 1 + (int)(mix(seed) % 3);
    for (int i = 0; i < rounds; i++)
        one_round(seed * 8 + (uint64_t)i, most);
    uint64_t own[2] = {matching, wrong};
    MPI_Allreduce(own, totals, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        fact(rank, "plan %d: %d rounds, matching %016llx%s", (int)seed, rounds, (unsigned long long)totals[0],
             totals[1] ? " WRONG" : "");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = argc > 1 ? atoi(argv[1]) : 1, plans = argc > 2 ? atoi(argv[2]) : 12;
    int most = argc > 3 ? atoi(argv[3]) : 40;
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank % 2 ? -rank : rank, &comms[2]);
    for (int i = 0; i < plans; i++)
        one_plan((uint64_t)(first + i), most);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    MPI_Finalize();
    return 0;
}
