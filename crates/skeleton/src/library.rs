//! Functions of the C library have effects on their arguments: this table has those that concern messages.

/// The effects of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The result is a function of the arguments and of what they point to.
    Pure,
    /// The same, and the result points into the first argument.
    Within,
    /// New memory.
    Allocates,
    /// Memory that is given back: the first argument is no longer of use.
    Frees,
    /// Memory of the first argument, with another size.
    Reallocates,
    /// Writes what the first argument points to, from what the others point to, and returns it.
    Fills,
    /// Reads what the first argument points to, and writes what all others do.
    Scans,
    /// Takes from the file that is the argument of this number, or from standard input, into what the others point to.
    Inputs(Option<usize>),
    /// Prints to the file that is the argument of this number, or to standard output.
    Prints(Option<usize>),
    /// A sequence of numbers, of which each hangs on those before.
    Random,
    /// The clock and the like: writes what arguments point to.
    Asks,
    /// Lets time pass.
    Waits,
    /// Ends the program.
    Ends,
    /// A file, which may be one that the program has written.
    Opens,
    /// Sorts by a function of the program.
    Sorts,
}

const TABLE: &[(Effect, &str)] = &[
    (
        Effect::Pure,
        "abs labs llabs fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh \
         asinh acosh atanh floor ceil round trunc rint nearbyint lround llround lrint fmod remainder fmax fmin fdim hypot erf erfc \
         tgamma lgamma copysign ldexp scalbn fma isnan isinf isfinite signbit isnormal j0 j1 jn y0 y1 yn creal cimag cabs carg conj \
         cexp clog csqrt cpow csin ccos cproj CMPLX CMPLXF fabsf sqrtf expf logf powf sinf cosf tanf floorf ceilf roundf fmaxf fminf fmodf \
         atan2f cabsf crealf cimagf conjf cexpf fabsl sqrtl expl logl powl sinl cosl isalpha isdigit isspace isalnum isupper islower \
         ispunct isprint isxdigit toupper tolower atoi atol atoll atof strlen strcmp strncmp strcasecmp strncasecmp memcmp strspn \
         strcspn assert getenv div ldiv sizeof offsetof __builtin_expect __builtin_complex va_arg access sysconf getpid feof ferror difftime \
         omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_get_wtime clock",
    ),
    (Effect::Within, "strchr strrchr strstr strpbrk memchr index rindex basename"),
    (Effect::Allocates, "malloc calloc aligned_alloc valloc memalign alloca"),
    (Effect::Frees, "free"),
    (Effect::Reallocates, "realloc reallocarray"),
    (
        Effect::Fills,
        "memcpy memmove memset bzero strcpy strncpy strcat strncat stpcpy sprintf snprintf vsprintf vsnprintf posix_memalign getcwd",
    ),
    (Effect::Scans, "sscanf strtol strtoul strtoll strtoull strtod strtof strtold strtok_r"),
    (Effect::Inputs(None), "scanf getchar gets"),
    (Effect::Inputs(Some(0)), "fscanf getc fgetc fclose rewind fseek ftell"),
    (Effect::Inputs(Some(1)), "ungetc"),
    (Effect::Inputs(Some(2)), "fgets getline"),
    (Effect::Inputs(Some(3)), "fread"),
    (Effect::Prints(None), "printf vprintf puts putchar perror"),
    (Effect::Prints(Some(0)), "fprintf vfprintf fflush setbuf setvbuf"),
    (Effect::Prints(Some(1)), "fputs fputc putc"),
    (Effect::Prints(Some(3)), "fwrite"),
    (
        Effect::Random,
        "rand srand random srandom drand48 srand48 lrand48 mrand48 erand48 nrand48 rand_r strtok getopt",
    ),
    (
        Effect::Asks,
        "time gettimeofday clock_gettime getrusage localtime gmtime ctime strftime strerror gethostname uname times \
         frexp modf remquo",
    ),
    (Effect::Waits, "sleep usleep nanosleep sched_yield"),
    (
        Effect::Ends,
        "exit _exit _Exit abort quick_exit longjmp siglongjmp __assert_fail MPI_Abort PMPI_Abort MPI_Finalize PMPI_Finalize",
    ),
    (Effect::Opens, "fopen fdopen freopen tmpfile popen"),
    (Effect::Sorts, "qsort bsearch"),
];

/// This is what a function of this name does, if it is known.
pub(crate) fn effect(name: &str) -> Option<Effect> {
    let row = TABLE.iter().find(|(_, names)| names.split_whitespace().any(|known| known == name));
    row.map(|(effect, _)| *effect)
}

/// This says whether calls of the function count as calls: those that only compute a number do not.
pub(crate) fn is_arithmetic(effect: Effect) -> bool {
    matches!(effect, Effect::Pure | Effect::Within)
}

/// This says whether a type of this name holds numbers only.
pub(crate) fn is_number(name: &str) -> bool {
    const NAMES: &str = "size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t \
        intmax_t uintmax_t bool clock_t time_t MPI_Aint MPI_Offset MPI_Count MPI_Fint off_t uint ulong complex \
        u_char u_short u_int u_long double_t float_t";
    NAMES.split_whitespace().any(|known| known == name)
}
