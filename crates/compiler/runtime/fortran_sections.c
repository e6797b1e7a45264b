
/*
 * Calls of mpi_f08 that go on after they have returned, or that need an address, get their buffers as descriptors of Fortran:
 * a section with gaps is no copy then. Its elements are laid out by a datatype of their own.
 */
#include <ISO_Fortran_binding.h>
#include <stdio.h>

/* A buffer as calls of C take it. */
struct section {
    void *address;
    integer count, type;
    MPI_Datatype made;
};

static void weir_refuse(const char *call, const char *argument, const char *why) {
    char text[300];
    snprintf(text, sizeof text, "%s of a section of an array with gaps (%s: %s)", call, argument, why);
    weir_not_offered(text);
}

/* Whether the elements lie one behind the other. The last extent of an array of unknown size is negative. */
static int weir_is_whole(const CFI_cdesc_t *array) {
    CFI_index_t next = (CFI_index_t)array->elem_len;
    for (int i = 0; i < array->rank; i++)
        if (array->dim[i].extent <= 0)
            return 1;
    for (int i = 0; i < array->rank; i++) {
        if (array->dim[i].extent != 1 && array->dim[i].sm != next)
            return 0;
        next *= array->dim[i].extent;
    }
    return 1;
}

/* How many bytes lie from each element to the next, if that is the same for all and positive; else 0. */
static CFI_index_t weir_stride(const CFI_cdesc_t *array) {
    CFI_index_t stride = 0, count = 1;
    for (int i = 0; i < array->rank; i++) {
        if (array->dim[i].extent == 1)
            continue;
        if (stride == 0)
            stride = array->dim[i].sm;
        else if (array->dim[i].sm != stride * count)
            return 0;
        count *= array->dim[i].extent;
    }
    return stride > 0 ? stride : 0;
}

/* Where the first elements are, in the order of Fortran; to be freed. */
static MPI_Aint *weir_places(const CFI_cdesc_t *array, integer count) {
    MPI_Aint *places = malloc((count > 0 ? count : 1) * sizeof *places);
    CFI_index_t index[CFI_MAX_RANK] = {0};
    for (integer element = 0; element < count; element++) {
        places[element] = 0;
        for (int i = 0; i < array->rank; i++)
            places[element] += index[i] * array->dim[i].sm;
        for (int i = 0; i < array->rank && ++index[i] == array->dim[i].extent; i++)
            index[i] = 0;
    }
    return places;
}

/* The address alone: of a whole buffer, or of its first element. */
static void *weir_first(const CFI_cdesc_t *array) {
    return array->base_addr;
}

static void *weir_whole(const CFI_cdesc_t *array, const char *call, const char *argument) {
    if (!weir_is_whole(array))
        weir_refuse(call, argument, "the call takes no datatype that has gaps");
    return array->base_addr;
}

/* A buffer of so many elements of a type; count is null, and in_parts true, where the call counts them for each rank. */
static struct section weir_section(const CFI_cdesc_t *array, const integer *count, const integer *type, int in_parts,
                                   const char *call, const char *argument) {
    struct section made = {array->base_addr, count ? *count : 0, *type, MPI_DATATYPE_NULL};
    MPI_Datatype element = weir_handle(*type), block = MPI_DATATYPE_NULL;
    MPI_Aint lower = 0, extent = 0, length = (MPI_Aint)array->elem_len, all = 1;
    CFI_index_t stride = weir_stride(array);
    if (weir_is_whole(array) || element == MPI_DATATYPE_NULL || made.count < 0)
        return made;
    if (PMPI_Type_get_extent(element, &lower, &extent))
        return made;
    if (extent != length && (in_parts || extent <= 0 || length % extent || made.count % (length / extent))) {
        weir_refuse(call, argument, "its datatype is no element of the array");
        return made;
    }
    if (extent != length) {
        PMPI_Type_contiguous((int)(length / extent), element, &block);
        element = block;
        made.count /= (integer)(length / extent);
    }
    for (int i = 0; i < array->rank; i++)
        all *= array->dim[i].extent;
    if (stride) {
        PMPI_Type_create_resized(element, lower, stride, &made.made);
    } else if (in_parts) {
        weir_refuse(call, argument, "its elements are not evenly apart");
    } else if (made.count > all) {
        weir_refuse(call, argument, "it has fewer elements than the call counts");
    } else {
        MPI_Aint *places = weir_places(array, made.count);
        PMPI_Type_create_hindexed_block(made.count, 1, places, element, &made.made);
        free(places);
        made.count = 1;
    }
    PMPI_Type_commit(&made.made);
    made.type = weir_number(made.made);
    if (block != MPI_DATATYPE_NULL)
        PMPI_Type_free(&block);
    return made;
}

/* MPI keeps a datatype that a call goes on to use. */
static void weir_end_section(struct section *section) {
    if (section->made != MPI_DATATYPE_NULL)
        PMPI_Type_free(&section->made);
}
