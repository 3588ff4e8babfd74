/* Functions of the programs that copy into other chunks. A program copies once and prints
 *
 *     wall_ns cpu_ns check
 *
 * check is a sum over 4096 elements at random places, the same ones in every program. */
#ifndef RELAYOUT_H
#define RELAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static inline _Noreturn void die(const char *what) {
	perror(what);
	exit(1);
}

/* grab returns memory that has been touched, so that the slow first touch is not timed. */
static inline void *grab(long bytes) {
	void *p = malloc(bytes);
	if (!p) die("memory");
	memset(p, 1, bytes);
	return p;
}

/* touch_memory allocates memory, touches every page and frees it. Some virtual machines return free
 * memory to their host, and then the first touch of a page of a new file costs more than writing
 * it. */
static inline void touch_memory(long bytes) {
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) die("mmap");
	for (long i = 0; i < bytes; i += 4096) p[i] = 1;
	munmap(p, bytes);
}

static int64_t wall, cpu;

static inline void now(int64_t *wall_ns, int64_t *cpu_ns) {
	struct timespec t;
	struct rusage u;
	clock_gettime(CLOCK_MONOTONIC, &t);
	getrusage(RUSAGE_SELF, &u);
	*wall_ns = t.tv_sec * 1000000000LL + t.tv_nsec;
	*cpu_ns = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL;
}

static inline void begin(void) { now(&wall, &cpu); }

static inline void end(void) {
	int64_t w, c;
	now(&w, &c);
	wall = w - wall, cpu = c - cpu;
}

/* mix is as in values.go. */
static inline uint64_t mix(uint64_t seed, uint64_t i, uint64_t d) {
	uint64_t z = seed * 0x9E3779B97F4A7C15u + i * 0xBF58476D1CE4E5B9u + d * 0x94D049BB133111EBu;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static inline void answer(long rows, long columns, double (*element)(long y, long x)) {
	uint64_t check = 0;
	for (long i = 0; i < 4096; i++)
		check += (uint64_t)element(mix(7, i, 0) % rows, mix(7, i, 1) % columns) * (i % 1009 + 1);
	printf("%lld %lld %llu\n", (long long)wall, (long long)cpu, (unsigned long long)check);
}

#endif
