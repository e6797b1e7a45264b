/* ranks: 1 3 4 */
// Global objects: each rank constructs and destroys its own, in the order of the language.
#include <cstdlib>
#include <iostream>
#include <map>
#include <mpi.h>
#include <sstream>
#include <string>
#include <vector>

static int rank = -1;
std::vector<int> numbers(5, 3);
std::map<std::string, int> names = {{"one", 1}, {"two", 2}};
std::string text = "a text that is too long to be kept inside the string itself";

struct Announced {
    const char *name;
    std::vector<int> owned;
    explicit Announced(const char *name) : name(name), owned(100, 1) {}
    ~Announced() { std::cout << rank << ": " << name << " ends with " << owned[0] << " " << numbers[0] << std::endl; }
};
Announced first("first"), second("second");
thread_local std::vector<int> of_thread(3, 7);

struct Base {
    virtual ~Base() = default;
    virtual int value() const = 0;
};
template <int N> struct Times : Base {
    static int calls;
    int value() const override { return N * ++calls; }
};
template <int N> int Times<N>::calls = 0;

static Announced &local() {
    static Announced once("local");
    return once;
}

static void at_exit() {
    std::cout << rank << ": at exit, " << names.size() << " names" << std::endl;
}

__attribute__((constructor)) static void early() {
    rank = -2;
}
__attribute__((destructor)) static void late() {
    std::cout << rank << ": the last word" << std::endl;
}

int main(int argc, char **argv) {
    const bool constructed = rank == -2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::atexit(at_exit);
    numbers[0] = rank * 10;
    numbers.resize(100000 + rank, rank);
    names["rank " + std::to_string(rank)] = rank;
    text += std::to_string(rank);
    of_thread.push_back(rank);
    first.owned[0] = rank + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    local().owned[0] = rank + 2;
    MPI_Barrier(MPI_COMM_WORLD);
    Times<3> three;
    Times<5> five;
    const Base *both[] = {&three, &five};
    int sum = 0;
    for (int i = 0; i <= rank; i++) {
        MPI_Barrier(MPI_COMM_SELF);
        for (const Base *one : both)
            sum += one->value();
    }
    std::ostringstream line;
    line << rank << ": " << constructed << " " << numbers.back() << " " << names.size() << " " << text.back() << " "
         << of_thread.back() << " " << local().owned[0] << " " << sum;
    std::cout << line.str() << std::endl;
    MPI_Finalize();
    if (rank == 1)
        std::exit(0);
    return 0;
}
