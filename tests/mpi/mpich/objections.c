/* ranks: 2 3 */
/* What fails half-way: a duplicate that a copy function objects to, a group from outside; freed keys whose attributes
   live on; and the functions of datatypes that MPI 3.0 removed, which libraries still have. */
#include <mpi.h>
#include <stddef.h>
#include "../check.h"

int MPI_Address(void *location, MPI_Aint *address);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *bound);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *bound);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new);
int MPI_Type_hindexed(int count, int lengths[], MPI_Aint displs[], MPI_Datatype old, MPI_Datatype *new);
int MPI_Type_struct(int count, int lengths[], MPI_Aint displs[], MPI_Datatype types[], MPI_Datatype *new);

static int rank, size, deleted;

static int object(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *keep)
{
    return MPI_ERR_OTHER;
}

static int count_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    deleted++;
    return MPI_SUCCESS;
}

static void duplicates(void)
{
    MPI_Comm comm, copy = MPI_COMM_WORLD;
    int willing, objecting, class = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count_deleted, &willing, NULL);
    MPI_Comm_create_keyval(object, MPI_COMM_NULL_DELETE_FN, &objecting, NULL);
    MPI_Comm_set_attr(comm, willing, &rank);
    MPI_Comm_set_attr(comm, objecting, &rank);
    int code = MPI_Comm_dup(comm, &copy);
    MPI_Error_class(code, &class);
    check(rank, code != MPI_SUCCESS && class == MPI_ERR_OTHER, "the copy function objects");
    check(rank, copy == MPI_COMM_NULL, "there is no duplicate");
    MPI_Comm_delete_attr(comm, objecting);
    code = MPI_Comm_dup(comm, &copy);
    check(rank, code == MPI_SUCCESS && copy != MPI_COMM_NULL, "nobody objects any more");
    deleted = 0;
    MPI_Comm_free(&copy);
    fact(rank, "%d deleted with the duplicate", deleted);
    MPI_Comm_free(&comm);
    fact(rank, "%d deleted with the original as well", deleted);
    MPI_Comm_free_keyval(&willing);
    MPI_Comm_free_keyval(&objecting);
}

static void freed_keys(void)
{
    MPI_Comm comm;
    int key, flag = -1, *value = NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_deleted, &key, NULL);
    MPI_Comm_set_attr(comm, key, &size);
    int freed = key;
    MPI_Comm_free_keyval(&freed);
    check(rank, freed == MPI_KEYVAL_INVALID, "the freed key is invalid");
    MPI_Comm_get_attr(comm, key, &value, &flag);
    check(rank, flag && value == &size, "its attribute is there");
    deleted = 0;
    check(rank, MPI_Comm_delete_attr(comm, key) == MPI_SUCCESS && deleted == 1, "its attribute can be deleted");
    MPI_Comm_free(&comm);
    fact(rank, "%d deleted", deleted);
}

static void groups_from_outside(void)
{
    MPI_Comm first, made = MPI_COMM_NULL;
    MPI_Group all;
    int class = -1;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &first);
    MPI_Comm_set_errhandler(first, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Error_class(MPI_Comm_create(first, all, &made), &class);
    fact(rank, "all ranks out of a part of them: class %d", class);
    MPI_Group_free(&all);
    MPI_Comm_free(&first);
}

struct mixed {
    char letter;
    double numbers[2];
    int last;
};

static void removed_functions(void)
{
    struct mixed from = { (char) ('a' + rank), { rank + 0.5, rank + 0.25 }, 7 * rank }, into = { 'x' };
    MPI_Aint start, displs[3], lower, upper, extent;
    int lengths[3] = { 1, 2, 1 };
    MPI_Datatype types[3] = { MPI_CHAR, MPI_DOUBLE, MPI_INT }, type;
    MPI_Address(&from, &start);
    MPI_Address(&from.letter, &displs[0]);
    MPI_Address(&from.numbers, &displs[1]);
    MPI_Address(&from.last, &displs[2]);
    for (int i = 0; i < 3; i++)
        displs[i] -= start;
    MPI_Type_struct(3, lengths, displs, types, &type);
    MPI_Type_commit(&type);
    MPI_Type_extent(type, &extent);
    check(rank, extent == sizeof from, "the extent of a struct");
    MPI_Sendrecv(&from, 1, type, (rank + 1) % size, 5, &into, 1, type, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    fact(rank, "received %c %.2f %.2f %d", into.letter, into.numbers[0], into.numbers[1], into.last);
    MPI_Type_free(&type);
    MPI_Type_hvector(3, 2, 20, MPI_INT, &type);
    MPI_Type_lb(type, &lower);
    MPI_Type_ub(type, &upper);
    fact(rank, "hvector from %ld to %ld", (long) lower, (long) upper);
    MPI_Type_free(&type);
    displs[0] = 12, displs[1] = 40, displs[2] = -8;
    MPI_Type_hindexed(3, lengths, displs, MPI_INT, &type);
    MPI_Type_lb(type, &lower);
    MPI_Type_ub(type, &upper);
    fact(rank, "hindexed from %ld to %ld", (long) lower, (long) upper);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    duplicates();
    freed_keys();
    groups_from_outside();
    removed_functions();
    MPI_Finalize();
    return 0;
}
