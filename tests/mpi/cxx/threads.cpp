/* ranks: 1 2 4 */
// Threads and exceptions of C++, in every rank: globals, constructors and thread-local objects are the rank's.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::vector<int> made;
static int seen = 5;
static struct Global {
    Global() { made.push_back(1); }
} global;

struct Counted {
    std::string name = "none";
    ~Counted() { made.push_back(2); }
};
static thread_local Counted local;

static void deep(int depth)
{
    if (depth == 0)
        throw std::runtime_error("deep");
    deep(depth - 1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, caught = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local.name = "main" + std::to_string(rank);
    for (int i = 0; i < 10; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        try {
            deep(5 + rank);
        } catch (const std::exception &) {
            caught++;
        }
    }
    std::string there;
    std::thread thread([&] {
        there = local.name;
        local.name = "thread";
        seen = 100 + rank;
        try {
            deep(3);
        } catch (...) {
            caught++;
        }
    });
    MPI_Barrier(MPI_COMM_WORLD);
    thread.join();
    std::printf("rank %d: %s, %s, seen %d, caught %d, made %zu\n", rank, local.name.c_str(), there.c_str(), seen, caught,
                made.size());
    MPI_Finalize();
}
