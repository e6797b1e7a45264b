/* ranks: 1 2 4 7 */
// A program in the style of C++: templates, algorithms, streams with their own formats.
#include <algorithm>
#include <complex>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <sstream>
#include <vector>

template <typename T> struct Kind;
template <> struct Kind<int> {
    static MPI_Datatype type() { return MPI_INT; }
};
template <> struct Kind<double> {
    static MPI_Datatype type() { return MPI_DOUBLE; }
};

class Communicator {
    MPI_Comm comm = MPI_COMM_NULL;

  public:
    explicit Communicator(MPI_Comm of) { MPI_Comm_dup(of, &comm); }
    ~Communicator() { MPI_Comm_free(&comm); }
    Communicator(const Communicator &) = delete;
    int rank() const {
        int rank;
        MPI_Comm_rank(comm, &rank);
        return rank;
    }
    int size() const {
        int size;
        MPI_Comm_size(comm, &size);
        return size;
    }
    template <typename T> std::vector<T> gather(const std::vector<T> &own) const {
        int count = int(own.size());
        std::vector<int> counts(size()), starts(size());
        MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
        std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
        std::vector<T> all(starts.back() + counts.back());
        MPI_Allgatherv(own.data(), count, Kind<T>::type(), all.data(), counts.data(), starts.data(), Kind<T>::type(),
                       comm);
        return all;
    }
};

static void add(void *in, void *inout, int *count, MPI_Datatype *) {
    auto *from = static_cast<std::complex<double> *>(in);
    auto *into = static_cast<std::complex<double> *>(inout);
    std::transform(from, from + *count, into, into, std::plus<>());
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    {
        auto world = std::make_unique<Communicator>(MPI_COMM_WORLD);
        const int rank = world->rank(), size = world->size();
        std::vector<int> values(20 + rank);
        std::generate(values.begin(), values.end(), [state = unsigned(rank + 1)]() mutable {
            state = state * 1664525u + 1013904223u;
            return int(state >> 20);
        });
        std::vector<int> all = world->gather(values);
        std::sort(all.begin(), all.end(), std::greater<int>());
        std::vector<double> halves(all.size());
        std::transform(all.begin(), all.end(), halves.begin(), [](int value) { return value / 2.0; });
        if (rank == 0)
            std::cout << std::hex << all.front() << " " << all.back() << std::endl;
        MPI_Barrier(MPI_COMM_WORLD);
        // The format of a stream belongs to a rank, like everything of it.
        std::ostringstream line;
        line << rank << " of " << size << ": " << all.size() << " " << std::setprecision(8)
             << std::accumulate(halves.begin(), halves.end(), 0.0);
        std::cout << line.str() << std::endl;
        std::complex<double> own(rank, -1), sum;
        MPI_Datatype pair;
        MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
        MPI_Type_commit(&pair);
        MPI_Op op;
        MPI_Op_create(add, 1, &op);
        MPI_Allreduce(&own, &sum, 1, pair, op, MPI_COMM_WORLD);
        MPI_Op_free(&op);
        MPI_Type_free(&pair);
        line.str("");
        line << "sum at " << rank << " " << sum;
        std::cout << line.str() << std::endl;
    }
    int width = 255;
    MPI_Barrier(MPI_COMM_WORLD);
    std::cout << "width " + std::string(1, 'a') << " " << width << std::endl;
    MPI_Finalize();
}
