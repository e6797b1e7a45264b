/*
 * Part of the runtime that `weir cc` and its kin link into every program: what the clock calls of weir.h add up, which is a
 * global of the program, so that every rank has its own; and rows of such calls, to find out what one costs.
 */
#include "weir.h"

struct weir_clock_sums_ weir_clock_sums_;

/* As in a program: what the compiler knows of the sums may be used up to the end of an iteration. */
void weir_clock_call_row(long calls)
{
    for (long k = 0; k < calls; k++) {
        weir_compute(0.0);
        __asm__ volatile("" ::: "memory");
    }
}

void weir_instruction_call_row(long calls)
{
    for (long k = 0; k < calls; k++) {
        weir_compute_instructions(1.0);
        __asm__ volatile("" ::: "memory");
    }
}
