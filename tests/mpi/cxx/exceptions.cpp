/* ranks: 1 2 5 */
// Exceptions thrown and caught across MPI calls: each rank has its own, also while it waits inside a handler.
#include <iostream>
#include <memory>
#include <mpi.h>
#include <stdexcept>
#include <string>

struct Problem : std::runtime_error {
    int rank;
    Problem(int rank, const std::string &what) : std::runtime_error(what), rank(rank) {}
};

struct Counter {
    static int alive;
    Counter() { ++alive; }
    ~Counter() { --alive; }
};
int Counter::alive = 0;

static void fail(int depth, int rank) {
    Counter counter;
    if (depth == 0)
        throw Problem(rank, "problem of " + std::to_string(rank));
    fail(depth - 1, rank);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::string line = std::to_string(rank) + ":";
    try {
        fail(3 + rank, rank);
    } catch (const Problem &problem) {
        MPI_Barrier(MPI_COMM_WORLD);
        try {
            if (rank % 2 == 1)
                throw rank;
            MPI_Barrier(MPI_COMM_WORLD);
        } catch (int number) {
            MPI_Barrier(MPI_COMM_WORLD);
            line += " inner " + std::to_string(number);
        }
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        line += " outer " + std::to_string(problem.rank) + " " + problem.what() + " " + std::to_string(sum);
        try {
            throw;
        } catch (const std::exception &again) {
            MPI_Barrier(MPI_COMM_WORLD);
            line += std::string(" again ") + again.what();
        }
    }
    line += " alive " + std::to_string(Counter::alive) + " pending " + std::to_string(std::uncaught_exceptions());
    // An exception that travels between ranks in an exception_ptr of each.
    std::exception_ptr kept;
    try {
        throw std::out_of_range("kept " + std::to_string(rank));
    } catch (...) {
        kept = std::current_exception();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    try {
        std::rethrow_exception(kept);
    } catch (const std::out_of_range &range) {
        line += std::string(" ") + range.what();
    }
    std::cout << line << std::endl;
    MPI_Finalize();
}
