#include <mpi.h>
#include <weir.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
int main(int argc, char **argv)
{
    struct timespec spec = {0, 500000000};
    struct rusage usage;
    struct tms ticks;
    MPI_Init(&argc, &argv);
    weir_compute(2.5);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &spec, 0);
    timespec_get(&spec, TIME_UTC);
    getrusage(RUSAGE_SELF, &usage);
    long now = times(&ticks);
    printf("%ld %ld %ld", (long)spec.tv_sec, now, (long)ticks.tms_utime);
    printf(" %ld %ld %g\n", (long)usage.ru_utime.tv_sec, (long)usage.ru_stime.tv_usec, weir_now());
    spec.tv_sec = 4;
    spec.tv_nsec = 0;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &spec, 0);
    printf("%g %g\n", weir_now(), MPI_Wtime());
    MPI_Finalize();
    return 0;
}
