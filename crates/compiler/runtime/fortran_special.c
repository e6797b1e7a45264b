/* ---- Beginning, time, addresses ---------------------------------------------------------------- */

BINDING(init, (integer *ierror)) {
    GIVE(PMPI_Init(NULL, NULL));
}

BINDING(init_thread, (integer *required, integer *provided, integer *ierror)) {
    GIVE(PMPI_Init_thread(NULL, NULL, *required, provided));
}

BINDING(info_create_env, (integer *info, integer *ierror)) {
    MPI_Info new = MPI_INFO_NULL;
    GIVE(PMPI_Info_create_env(0, NULL, &new));
    *info = weir_number(new);
}

BINDING(pcontrol, (integer *level)) {
    PMPI_Pcontrol(*level);
}

FUNCTION(double, wtime, (void)) {
    return PMPI_Wtime();
}

FUNCTION(double, wtick, (void)) {
    return PMPI_Wtick();
}

FUNCTION(MPI_Aint, aint_add, (MPI_Aint *base, MPI_Aint *disp)) {
    return *base + *disp;
}

FUNCTION(MPI_Aint, aint_diff, (MPI_Aint *one, MPI_Aint *other)) {
    return *one - *other;
}

BINDING(f_sync_reg, (void *buffer)) {
    (void)buffer;
}

/* Fortran has no use for the address. */
BINDING(buffer_detach, (void *buffer, integer *size, integer *ierror)) {
    void *where;
    (void)buffer;
    GIVE(PMPI_Buffer_detach(&where, size));
}

BINDING(comm_detach_buffer, (integer *comm, void *buffer, integer *size, integer *ierror)) {
    void *where;
    (void)buffer;
    GIVE(PMPI_Comm_detach_buffer(weir_handle(*comm), &where, size));
}

/* ---- Texts whose length counts the closing zero in C ------------------------------------------- */

BINDING(info_get_string, (integer *info, char *key, integer *buflen, char *value, integer *flag, integer *ierror,
                          size_t key_length, size_t value_length)) {
    int length = *buflen > 0 ? *buflen + 1 : 0;
    char *key_ = weir_text(key, key_length, 0), *value_ = weir_room(length);
    GIVE(PMPI_Info_get_string(weir_handle(*info), key_, &length, value_, flag));
    if (*flag)
        *buflen = length - 1;
    weir_give_text(value, value_length, value_);
    free(key_);
}

BINDING(session_get_nth_pset, (integer *session, integer *info, integer *n, integer *pset_len, char *pset_name,
                               integer *ierror, size_t name_length)) {
    int length = *pset_len > 0 ? *pset_len + 1 : 0;
    char *name = weir_room(length);
    GIVE(PMPI_Session_get_nth_pset(weir_handle(*session), weir_handle(*info), *n, &length, name));
    *pset_len = length - 1;
    weir_give_text(pset_name, name_length, name);
}

/* ---- Names of MPI-1, with addresses as INTEGER ------------------------------------------------- */

BINDING(address, (void *location, integer *result, integer *ierror)) {
    MPI_Aint value = 0;
    GIVE(PMPI_Get_address(weir_address(location), &value));
    *result = (integer)value;
}

BINDING(type_extent, (integer *type, integer *extent, integer *ierror)) {
    MPI_Aint lb = 0, size = 0;
    GIVE(PMPI_Type_get_extent(weir_handle(*type), &lb, &size));
    *extent = (integer)size;
}

BINDING(type_lb, (integer *type, integer *bound, integer *ierror)) {
    MPI_Aint lb = 0, size = 0;
    GIVE(PMPI_Type_get_extent(weir_handle(*type), &lb, &size));
    *bound = (integer)lb;
}

BINDING(type_ub, (integer *type, integer *bound, integer *ierror)) {
    MPI_Aint lb = 0, size = 0;
    GIVE(PMPI_Type_get_extent(weir_handle(*type), &lb, &size));
    *bound = (integer)(lb + size);
}

static MPI_Aint *wide(const integer *narrow, long count) {
    MPI_Aint *list = malloc(count > 0 ? count * sizeof *list : 1);
    for (long i = 0; i < count; i++)
        list[i] = narrow[i];
    return list;
}

BINDING(type_hvector, (integer *count, integer *length, integer *stride, integer *old, integer *new, integer *ierror)) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    GIVE(PMPI_Type_create_hvector(*count, *length, *stride, weir_handle(*old), &type));
    *new = weir_number(type);
}

BINDING(type_hindexed, (integer *count, integer *lengths, integer *displs, integer *old, integer *new,
                        integer *ierror)) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Aint *displs_ = wide(displs, *count);
    GIVE(PMPI_Type_create_hindexed(*count, lengths, displs_, weir_handle(*old), &type));
    *new = weir_number(type);
    free(displs_);
}

BINDING(type_struct, (integer *count, integer *lengths, integer *displs, integer *types, integer *new,
                      integer *ierror)) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Aint *displs_ = wide(displs, *count);
    void **types_ = weir_handles(types, *count);
    GIVE(PMPI_Type_create_struct(*count, lengths, displs_, (MPI_Datatype *)types_, &type));
    *new = weir_number(type);
    free(displs_);
    free(types_);
}

BINDING(errhandler_create, (void *function, integer *handler, integer *ierror)) {
    MPI_Errhandler new = MPI_ERRHANDLER_NULL;
    GIVE(PMPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)function, &new));
    *handler = weir_number(new);
}

BINDING(errhandler_set, (integer *comm, integer *handler, integer *ierror)) {
    GIVE(PMPI_Comm_set_errhandler(weir_handle(*comm), weir_handle(*handler)));
}

BINDING(errhandler_get, (integer *comm, integer *handler, integer *ierror)) {
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    GIVE(PMPI_Comm_get_errhandler(weir_handle(*comm), &found));
    *handler = weir_number(found);
}

/* ---- Attributes -------------------------------------------------------------------------------- */

typedef void copier(integer *, integer *, MPI_Aint *, MPI_Aint *, MPI_Aint *, integer *, integer *);
typedef void deleter(integer *, integer *, MPI_Aint *, MPI_Aint *, integer *);
typedef void old_copier(integer *, integer *, integer *, integer *, integer *, integer *, integer *);
typedef void old_deleter(integer *, integer *, integer *, integer *, integer *);

/* The functions that copy all attributes or none: Fortran programs name them, and may call them in functions of their own. */
#define READY_MADE(object, value)                                                                                      \
    void mpi_##object##null_copy_fn_(integer *old, integer *key, value *extra, value *in, value *out, integer *flag,   \
                                     integer *ierror) {                                                                \
        (void)old, (void)key, (void)extra, (void)in, (void)out;                                                        \
        *flag = 0;                                                                                                     \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    void mpi_##object##dup_fn_(integer *old, integer *key, value *extra, value *in, value *out, integer *flag,         \
                               integer *ierror) {                                                                      \
        (void)old, (void)key, (void)extra;                                                                             \
        *out = *in;                                                                                                    \
        *flag = 1;                                                                                                     \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    void mpi_##object##null_delete_fn_(integer *old, integer *key, value *in, value *extra, integer *ierror) {         \
        (void)old, (void)key, (void)in, (void)extra;                                                                   \
        *ierror = MPI_SUCCESS;                                                                                         \
    }
READY_MADE(comm_, MPI_Aint)
READY_MADE(type_, MPI_Aint)
READY_MADE(win_, MPI_Aint)
READY_MADE(, integer)

void mpi_conversion_fn_null_(void) {}

typedef void any(void);

static int copies_none(any *fn) {
    return fn == (any *)mpi_comm_null_copy_fn_ || fn == (any *)mpi_type_null_copy_fn_ ||
           fn == (any *)mpi_win_null_copy_fn_ || fn == (any *)mpi_null_copy_fn_;
}

static int copies_all(any *fn) {
    return fn == (any *)mpi_comm_dup_fn_ || fn == (any *)mpi_type_dup_fn_ || fn == (any *)mpi_win_dup_fn_ ||
           fn == (any *)mpi_dup_fn_;
}

static int deletes_none(any *fn) {
    return fn == (any *)mpi_comm_null_delete_fn_ || fn == (any *)mpi_type_null_delete_fn_ ||
           fn == (any *)mpi_win_null_delete_fn_ || fn == (any *)mpi_null_delete_fn_;
}

/* What a key of attributes made by Fortran has as its extra state in C. It lives as long as the program. */
struct key {
    any *copy, *delete;
    MPI_Aint extra;
    int is_old; /* values and extra state are INTEGER */
};

static struct key *new_key(any *copy, any *delete, MPI_Aint extra, int is_old) {
    struct key *key = malloc(sizeof *key);
    key->copy = copy;
    key->delete = delete;
    key->extra = extra;
    key->is_old = is_old;
    return key;
}

static int copy_attribute(void *object, int keyval, void *state, void *in, void *out, int *keep) {
    struct key *key = state;
    integer object_ = weir_number(object), result = MPI_SUCCESS;
    *keep = 1;
    if (copies_none(key->copy)) {
        *keep = 0;
    } else if (copies_all(key->copy)) {
        *(void **)out = in;
    } else if (key->is_old) {
        integer extra = (integer)key->extra, in_ = (integer)(MPI_Aint)in, out_ = 0;
        ((old_copier *)key->copy)(&object_, &keyval, &extra, &in_, &out_, keep, &result);
        *(MPI_Aint *)out = out_;
    } else {
        MPI_Aint in_ = (MPI_Aint)in, out_ = 0;
        ((copier *)key->copy)(&object_, &keyval, &key->extra, &in_, &out_, keep, &result);
        *(MPI_Aint *)out = out_;
    }
    return result;
}

static int delete_attribute(void *object, int keyval, void *value, void *state) {
    struct key *key = state;
    integer object_ = weir_number(object), result = MPI_SUCCESS;
    if (deletes_none(key->delete))
        return MPI_SUCCESS;
    if (key->is_old) {
        integer extra = (integer)key->extra, value_ = (integer)(MPI_Aint)value;
        ((old_deleter *)key->delete)(&object_, &keyval, &value_, &extra, &result);
    } else {
        MPI_Aint value_ = (MPI_Aint)value;
        ((deleter *)key->delete)(&object_, &keyval, &value_, &key->extra, &result);
    }
    return result;
}

/* C has pointers to the values of predefined attributes, Fortran the values. */
static MPI_Aint value_of(int keyval, void *value) {
    if (keyval == MPI_WIN_SIZE)
        return *(MPI_Aint *)value;
    if ((keyval >= MPI_TAG_UB && keyval <= MPI_UNIVERSE_SIZE) || (keyval > MPI_WIN_BASE && keyval <= MPI_WIN_MODEL))
        return *(int *)value;
    return (MPI_Aint)value;
}

BINDING(comm_create_keyval, (any *copy, any *delete, integer *keyval, MPI_Aint *extra, integer *ierror)) {
    GIVE(PMPI_Comm_create_keyval((MPI_Comm_copy_attr_function *)copy_attribute,
                                 (MPI_Comm_delete_attr_function *)delete_attribute, keyval,
                                 new_key(copy, delete, *extra, 0)));
}

BINDING(type_create_keyval, (any *copy, any *delete, integer *keyval, MPI_Aint *extra, integer *ierror)) {
    GIVE(PMPI_Type_create_keyval((MPI_Type_copy_attr_function *)copy_attribute,
                                 (MPI_Type_delete_attr_function *)delete_attribute, keyval,
                                 new_key(copy, delete, *extra, 0)));
}

BINDING(win_create_keyval, (any *copy, any *delete, integer *keyval, MPI_Aint *extra, integer *ierror)) {
    GIVE(PMPI_Win_create_keyval((MPI_Win_copy_attr_function *)copy_attribute,
                                (MPI_Win_delete_attr_function *)delete_attribute, keyval,
                                new_key(copy, delete, *extra, 0)));
}

BINDING(keyval_create, (any *copy, any *delete, integer *keyval, integer *extra, integer *ierror)) {
    GIVE(PMPI_Comm_create_keyval((MPI_Comm_copy_attr_function *)copy_attribute,
                                 (MPI_Comm_delete_attr_function *)delete_attribute, keyval,
                                 new_key(copy, delete, *extra, 1)));
}

BINDING(keyval_free, (integer *keyval, integer *ierror)) {
    GIVE(PMPI_Comm_free_keyval(keyval));
}

BINDING(comm_set_attr, (integer *comm, integer *keyval, MPI_Aint *value, integer *ierror)) {
    GIVE(PMPI_Comm_set_attr(weir_handle(*comm), *keyval, (void *)*value));
}

BINDING(type_set_attr, (integer *type, integer *keyval, MPI_Aint *value, integer *ierror)) {
    GIVE(PMPI_Type_set_attr(weir_handle(*type), *keyval, (void *)*value));
}

BINDING(win_set_attr, (integer *win, integer *keyval, MPI_Aint *value, integer *ierror)) {
    GIVE(PMPI_Win_set_attr(weir_handle(*win), *keyval, (void *)*value));
}

BINDING(attr_put, (integer *comm, integer *keyval, integer *value, integer *ierror)) {
    GIVE(PMPI_Comm_set_attr(weir_handle(*comm), *keyval, (void *)(MPI_Aint)*value));
}

BINDING(attr_delete, (integer *comm, integer *keyval, integer *ierror)) {
    GIVE(PMPI_Comm_delete_attr(weir_handle(*comm), *keyval));
}

BINDING(comm_get_attr, (integer *comm, integer *keyval, MPI_Aint *value, integer *flag, integer *ierror)) {
    void *found = NULL;
    *flag = 0;
    GIVE(PMPI_Comm_get_attr(weir_handle(*comm), *keyval, &found, flag));
    if (*flag)
        *value = value_of(*keyval, found);
}

BINDING(type_get_attr, (integer *type, integer *keyval, MPI_Aint *value, integer *flag, integer *ierror)) {
    void *found = NULL;
    *flag = 0;
    GIVE(PMPI_Type_get_attr(weir_handle(*type), *keyval, &found, flag));
    if (*flag)
        *value = value_of(*keyval, found);
}

BINDING(win_get_attr, (integer *win, integer *keyval, MPI_Aint *value, integer *flag, integer *ierror)) {
    void *found = NULL;
    *flag = 0;
    GIVE(PMPI_Win_get_attr(weir_handle(*win), *keyval, &found, flag));
    if (*flag)
        *value = value_of(*keyval, found);
}

BINDING(attr_get, (integer *comm, integer *keyval, integer *value, integer *flag, integer *ierror)) {
    void *found = NULL;
    *flag = 0;
    GIVE(PMPI_Comm_get_attr(weir_handle(*comm), *keyval, &found, flag));
    if (*flag)
        *value = (integer)value_of(*keyval, found);
}

/* ---- Requests of the program's own ------------------------------------------------------------- */

struct own_request {
    void (*query)(MPI_Aint *, integer *, integer *);
    void (*free)(MPI_Aint *, integer *);
    void (*cancel)(MPI_Aint *, integer *, integer *);
    MPI_Aint extra;
};

static int query_own(void *state, MPI_Status *status) {
    struct own_request *own = state;
    integer result = MPI_SUCCESS;
    own->query(&own->extra, (integer *)status, &result);
    return result;
}

static int free_own(void *state) {
    struct own_request *own = state;
    integer result = MPI_SUCCESS;
    own->free(&own->extra, &result);
    free(own);
    return result;
}

static int cancel_own(void *state, int complete) {
    struct own_request *own = state;
    integer result = MPI_SUCCESS;
    own->cancel(&own->extra, &complete, &result);
    return result;
}

BINDING(grequest_start, (any *query, any *free, any *cancel, MPI_Aint *extra, integer *request, integer *ierror)) {
    struct own_request *own = malloc(sizeof *own);
    MPI_Request new = MPI_REQUEST_NULL;
    own->query = (void (*)(MPI_Aint *, integer *, integer *))query;
    own->free = (void (*)(MPI_Aint *, integer *))free;
    own->cancel = (void (*)(MPI_Aint *, integer *, integer *))cancel;
    own->extra = *extra;
    GIVE(PMPI_Grequest_start(query_own, free_own, cancel_own, own, &new));
    *request = weir_number(new);
}

/* ---- By rule ----------------------------------------------------------------------------------- */

