/* Functions that all peers written in C use. Extents and indices are in elements, and elements are
 * doubles. Functions that fail call die(). */
#ifndef COMMON_H
#define COMMON_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_RANK = 8 };

/* A box of indices: size[d] of them from lo[d] on. */
typedef struct {
	long lo[MAX_RANK], size[MAX_RANK];
} box;

/* The open array; there is one at a time. */
extern int rank;
extern long shape[MAX_RANK];

/* split_request makes a line the current request and returns its verb, or NULL for an empty line.
 * It changes the line. The functions below return arguments of the current request. */
const char *split_request(char *line);
const char *arg(const char *key, const char *otherwise);
long number(const char *key, long otherwise);
int numbers(const char *key, long *values); /* returns how many */

long volume(int n, const long *size);
void *grab(long bytes); /* page-aligned memory that has been touched; dies if there is none */

int64_t wall_now(void); /* nanoseconds */
int64_t cpu_now(void);  /* of all threads of this process */

/* What is timed lies between clock_begin and clock_end, which adds to the sums of the request. */
extern int64_t wall, cpu, operations;
void clock_begin(void);
void clock_end(long ops);

/* mix returns random number d of place i, as mix of values.go does. */
uint64_t mix(uint64_t seed, uint64_t i, uint64_t d);

/* element_value returns the value of the element at an index. fill writes the values of a box to
 * dense row-major memory. */
uint64_t element_value(const long *at);
void fill(const box *b, double *buf);

/* die answers with an error and ends the program. */
_Noreturn void die(const char *format, ...);

#endif
