
/*
 * Functions of mpi_f08 that use buffers after they have returned get descriptors of Fortran. Of an array without gaps C gets
 * the address; of a section with gaps that of a description, with a mark: the simulator finds the elements where they are.
 */
#include <ISO_Fortran_binding.h>

/* As `Given` in sections.rs of the crate capi; read during the call only. */
struct weir_section {
    void *first;
    size_t element_bytes, dimensions, extents[CFI_MAX_RANK];
    ptrdiff_t strides[CFI_MAX_RANK];
};

/* No address of a program has this bit. */
#define SECTION ((uintptr_t)1 << 62)

/* Whether there are several elements of several bytes. The last extent of an array of unknown size is negative, and it has no
   gaps; extents mean nothing where an array has no memory. */
static int weir_has_elements(const CFI_cdesc_t *array) {
    int has_some = array->base_addr && array->elem_len > 0 && array->rank > 0;
    for (int i = 0; has_some && i < array->rank; i++)
        has_some = array->dim[i].extent > 0;
    return has_some;
}

/* Whether the elements lie one behind the other. */
static int weir_is_whole(const CFI_cdesc_t *array) {
    CFI_index_t next = (CFI_index_t)array->elem_len;
    for (int i = 0; i < array->rank; i++) {
        if (array->dim[i].extent != 1 && array->dim[i].sm != next)
            return 0;
        next *= array->dim[i].extent;
    }
    return 1;
}

static void *weir_section(const CFI_cdesc_t *array, struct weir_section *section) {
    /* For class(*) gfortran 12 gives one of these types, and a length of elements that is not theirs. */
    int is_other = array->type == CFI_type_other, is_sure = !is_other && array->type != CFI_type_cptr;
    if (!weir_has_elements(array) || (!is_other && weir_is_whole(array)))
        return array->base_addr;
    section->first = array->base_addr;
    section->element_bytes = is_sure ? array->elem_len : 0;
    section->dimensions = array->rank;
    for (int i = 0; i < array->rank; i++) {
        section->extents[i] = array->dim[i].extent;
        section->strides[i] = array->dim[i].sm;
    }
    return (void *)((uintptr_t)section | SECTION);
}
