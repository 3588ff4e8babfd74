/* Functions that all peers written in C use, both single processes and parallel jobs: requests,
 * clocks and values. See common.h. */
#define _GNU_SOURCE
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

int rank;
long shape[MAX_RANK];

/* ---- requests ---- */

static char *words[64];
static int nwords;

const char *split_request(char *line) {
	nwords = 0;
	for (char *w = strtok(line, " \n"); w && nwords < 64; w = strtok(NULL, " \n")) words[nwords++] = w;
	return nwords ? words[0] : NULL;
}

_Noreturn void die(const char *format, ...) {
	va_list args;
	va_start(args, format);
	printf("error ");
	vprintf(format, args);
	printf("\n");
	fflush(stdout);
	exit(1);
}

const char *arg(const char *key, const char *otherwise) {
	size_t n = strlen(key);
	for (int i = 1; i < nwords; i++)
		if (!strncmp(words[i], key, n) && words[i][n] == '=') return words[i] + n + 1;
	return otherwise;
}

long number(const char *key, long otherwise) {
	const char *text = arg(key, NULL);
	return text ? strtol(text, NULL, 10) : otherwise;
}

int numbers(const char *key, long *values) {
	int n = 0;
	for (const char *p = arg(key, ""); *p && n < MAX_RANK; n++) {
		char *end;
		values[n] = strtol(p, &end, 10);
		p = *end == ',' ? end + 1 : end;
	}
	return n;
}

long volume(int n, const long *size) {
	long v = 1;
	for (int d = 0; d < n; d++) v *= size[d];
	return v;
}

/* grab returns memory that starts at a page boundary, as large slices in Go do. Memory from malloc
 * starts 16 bytes after one, and the system copies to it at half the speed. */
void *grab(long bytes) {
	void *p;
	if (posix_memalign(&p, 4096, bytes > 0 ? bytes : 1)) die("no memory for %ld bytes", bytes);
	memset(p, 1, bytes); /* the first touch is slow and must not be timed */
	return p;
}

/* ---- time ---- */

int64_t wall_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int64_t cpu_now(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

int64_t wall, cpu, operations;
static int64_t wall_begin, cpu_begin;

void clock_begin(void) {
	cpu_begin = cpu_now();
	wall_begin = wall_now();
}

void clock_end(long ops) {
	wall += wall_now() - wall_begin;
	cpu += cpu_now() - cpu_begin;
	operations += ops;
}

/* ---- values ---- */

uint64_t mix(uint64_t seed, uint64_t i, uint64_t d) {
	uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xBF58476D1CE4E5B9u + d * 0x94D049BB133111EBu;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static const uint64_t primes[MAX_RANK] = {7919, 104729, 1299709, 15485863, 32452843, 49979687, 67867967, 86028121};

static const uint64_t modulus = 1000003;

uint64_t element_value(const long *at) {
	uint64_t v = 0;
	for (int d = 0; d < rank; d++) v += (uint64_t)at[d] * primes[d];
	return v % modulus;
}

/* next_line steps at through the box in all dimensions but the last; false after the last index. */
static bool next_line(const box *b, long *at) {
	for (int d = rank - 2; d >= 0; d--) {
		if (++at[d] < b->lo[d] + b->size[d]) return true;
		at[d] = b->lo[d];
	}
	return false;
}

void fill(const box *b, double *buf) {
	long at[MAX_RANK];
	memcpy(at, b->lo, sizeof at);
	if (volume(rank, b->size) == 0) return;
	uint64_t step = primes[rank - 1] % modulus;
	do {
		uint64_t v = element_value(at);
		for (long i = 0; i < b->size[rank - 1]; i++) {
			*buf++ = (double)v;
			v += step;
			v -= v < modulus ? 0 : modulus;
		}
	} while (next_line(b, at));
}
