/*
 * What the programs of this folder print: one line per fact, first the rank, then the fact.
 * The lines of a run, sorted, are the same under every MPI library.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <stdio.h>

/* Prints a fact that follows from the program and the number of ranks alone. */
__attribute__((format(printf, 2, 3))) static inline void fact(int rank, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%d: %s\n", rank, text);
}

/* Prints whether something holds that must hold. */
__attribute__((format(printf, 3, 4))) static inline void check(int rank, int holds, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%d: %s %s\n", rank, text, holds ? "ok" : "WRONG");
}

#endif
