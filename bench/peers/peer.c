/* The protocol and the workloads of the peers written in C.
 *
 * A request is a line "verb key=value ...", the answer a line
 *
 *     ok wall_ns cpu_ns operations check
 *     unsupported what
 *     error what
 *
 * Only the work itself is timed: buffers, places and values are prepared before. check
 * depends on the values read and on nothing else. values.go defines the values and the
 * random numbers. */
#define _GNU_SOURCE
#include "peer.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf next_request;

_Noreturn void refuse(const char *what) {
	printf("unsupported %s\n", what);
	longjmp(next_request, 1);
}

/* ---- random places ---- */

/* starts draws n boxes of the given size: the low corners, rank numbers each. */
static void starts(uint64_t seed, long n, const long *size, long align, long *at) {
	for (long i = 0; i < n; i++)
		for (int d = 0; d < rank; d++) *at++ = mix(seed, i, d) % ((shape[d] - size[d]) / align + 1) * align;
}

static uint64_t weighted_sum(const double *buf, long n) {
	uint64_t sum = 0;
	for (long i = 0; i < n; i++) sum += (uint64_t)buf[i] * (i % 1009 + 1);
	return sum;
}

/* ---- defaults for stores ---- */

void transpose(const double *src, long stride, long rows, long columns, double *dst, long height) {
	enum { BLOCK = 32 };
	for (long i0 = 0; i0 < rows; i0 += BLOCK)
		for (long j0 = 0; j0 < columns; j0 += BLOCK) {
			long i1 = i0 + BLOCK < rows ? i0 + BLOCK : rows, j1 = j0 + BLOCK < columns ? j0 + BLOCK : columns;
			for (long j = j0; j < j1; j++)
				for (long i = i0; i < i1; i++) dst[j * height + i] = src[i * stride + j];
		}
}

void read_then_transpose(const box *b, double *buf) {
	static double *rows;
	static long room;
	long n = volume(rank, b->size);
	if (rank != 2) refuse("transposed sections of other ranks than 2");
	if (n > room) {
		free(rows);
		rows = grab(8 * (room = n));
	}
	store_read(b, rows);
	transpose(rows, b->size[1], b->size[0], b->size[1], buf, b->size[0]);
}

void gather_one_by_one(long n, const long *at, double *buf) {
	for (long i = 0; i < n; i++) {
		box one;
		for (int d = 0; d < rank; d++) one.lo[d] = at[i * rank + d], one.size[d] = 1;
		store_read(&one, buf + i);
	}
}

void scatter_one_by_one(long n, const long *at, const double *buf) {
	for (long i = 0; i < n; i++) {
		box one;
		for (int d = 0; d < rank; d++) one.lo[d] = at[i * rank + d], one.size[d] = 1;
		store_write(&one, buf + i);
	}
}

/* ---- workloads; see protocol.go for what they mean ---- */

static uint64_t check;

static spec make_spec(bool grows) {
	spec s = {.path = arg("path", ""), .grows = grows, .memory = number("memory", 0)};
	s.rank = numbers("shape", s.shape);
	numbers("chunk", s.chunk);
	return s;
}

static void create(bool grows) {
	spec s = make_spec(grows);
	rank = s.rank;
	memcpy(shape, s.shape, sizeof shape);
	store_create(&s);
}

/* write_slabs writes a box in slabs of `rows` along dimension 0, timed. */
static void write_slabs(const box *all, long rows) {
	box b = *all;
	long line = volume(rank, b.size) / (b.size[0] ? b.size[0] : 1), last = all->lo[0] + all->size[0];
	double *buf = grab(8 * line * rows);
	for (; b.lo[0] < last; b.lo[0] += rows) {
		b.size[0] = b.lo[0] + rows < last ? rows : last - b.lo[0];
		fill(&b, buf);
		clock_begin();
		store_write(&b, buf);
		clock_end(0);
	}
	free(buf);
}

static box whole(void) {
	box b = {{0}, {0}};
	memcpy(b.size, shape, sizeof shape);
	return b;
}

static void do_create(void) {
	clock_begin();
	create(number("grows", 0));
	clock_end(1);
	box all = whole();
	long chunk[MAX_RANK];
	numbers("chunk", chunk);
	if (number("fill", 1)) write_slabs(&all, chunk[0]);
	clock_begin();
	store_sync(number("durable", 1));
	clock_end(0);
}

static void do_open(void) {
	clock_begin();
	store_open(arg("path", ""), number("write", 0));
	clock_end(1);
}

static void do_close(void) {
	clock_begin();
	store_close();
	clock_end(1);
}

static void read_box(const long *at, const long *size, bool transposed, double *buf) {
	box b;
	for (int d = 0; d < rank; d++) b.lo[d] = at[d], b.size[d] = size[d];
	if (transposed)
		store_read_transposed(&b, buf);
	else
		store_read(&b, buf);
}

static void do_read(void) {
	long n = number("n", 1), rounds = number("rounds", 1), align = number("align", 1), size[MAX_RANK];
	uint64_t seed = number("seed", 1);
	bool transposed = !strcmp(arg("order", "row"), "col");
	numbers("size", size);
	long len = volume(rank, size), *at = grab(8 * n * rank);
	double *buf = grab(8 * len);
	for (long r = 0; r < rounds; r++) {
		double sum = 0;
		starts(seed + 1000 * r, n, size, align, at);
		clock_begin();
		for (long i = 0; i < n; i++) {
			read_box(at + i * rank, size, transposed, buf);
			sum += buf[0] + buf[len - 1];
		}
		clock_end(n);
		if (r == 0) check += (uint64_t)sum;
	}
	starts(seed, n, size, align, at);
	read_box(at + (n - 1) * rank, size, transposed, buf);
	check += weighted_sum(buf, len);
	free(at);
	free(buf);
}

static void do_gather(bool scatter) {
	long n = number("n", 1), rounds = number("rounds", 1), one[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
	uint64_t seed = number("seed", 1);
	long *at = grab(8 * n * rank);
	double *buf = grab(8 * n);
	for (long r = 0; r < rounds; r++) {
		starts(seed + 1000 * r, n, one, 1, at);
		if (scatter)
			for (long i = 0; i < n; i++) buf[i] = (double)element_value(at + i * rank);
		clock_begin();
		if (scatter) {
			store_scatter(n, at, buf);
			store_sync(false);
		} else
			store_gather(n, at, buf);
		clock_end(n);
		if (r == 0) check += weighted_sum(buf, n);
	}
	free(at);
	free(buf);
}

/* scan visits the lines along a dimension, or the elements in the same order. */
static void do_scan(void) {
	int dim = number("dim", rank - 1);
	bool elements = number("elements", 0);
	long size[MAX_RANK], at[MAX_RANK] = {0}, limit = number("n", 1L << 62), n = 0;
	for (int d = 0; d < rank; d++) size[d] = d == dim && !elements ? shape[d] : 1;
	long len = volume(rank, size);
	double *buf = grab(8 * len), sum = 0;
	clock_begin();
	for (bool more = true; more && n < limit; n++) {
		read_box(at, size, false, buf);
		sum += buf[0] + buf[len - 1];
		more = false; /* next place: dim fastest, then the others from the last on */
		for (int d = dim, k = 0; k <= rank && !more; d = k == 0 ? rank - 1 : d - 1, k++) {
			if (k > 0 && d == dim) continue;
			if (d < 0) break;
			at[d] += size[d];
			more = at[d] < shape[d];
			if (!more) at[d] = 0;
		}
	}
	clock_end(n);
	check += (uint64_t)sum;
	free(buf);
}

/* sweep reads the whole array in slabs along dimension 0. */
static void do_sweep(void) {
	box b = whole();
	long rows = number("rows", 1), line = volume(rank - 1, shape + 1);
	double *buf = grab(8 * rows * line);
	for (; b.lo[0] < shape[0]; b.lo[0] += rows) {
		b.size[0] = b.lo[0] + rows < shape[0] ? rows : shape[0] - b.lo[0];
		clock_begin();
		store_read(&b, buf);
		clock_end(1);
		check += weighted_sum(buf, b.size[0] * line);
	}
	free(buf);
}

static void grow_step(int dim, long by, long reads, uint64_t seed, long step) {
	long one[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1}, *at = grab(8 * reads * rank);
	box slab = whole();
	slab.lo[dim] = shape[dim], slab.size[dim] = by;
	double *buf = grab(8 * volume(rank, slab.size)), *found = grab(8 * reads), sum = 0;
	fill(&slab, buf);
	clock_begin();
	store_extend(dim, by);
	store_write(&slab, buf);
	clock_end(1);
	starts(seed + step, reads, one, 1, at);
	clock_begin();
	gather_one_by_one(reads, at, found);
	clock_end(0);
	for (long i = 0; i < reads; i++) sum += found[i];
	check += (uint64_t)sum;
	free(at), free(buf), free(found);
}

static void do_grow(void) {
	long by[MAX_RANK], steps = number("steps", 1), reads = number("reads", 0);
	uint64_t seed = number("seed", 1);
	numbers("by", by);
	clock_begin();
	create(true);
	clock_end(0);
	box all = whole();
	long chunk[MAX_RANK];
	numbers("chunk", chunk);
	write_slabs(&all, chunk[0]);
	for (long s = 0; s < steps; s++) {
		int dim = number("random", 0) ? mix(seed, s, 99) % rank : (uint64_t)(s % rank);
		grow_step(dim, by[dim], reads, seed, s);
	}
	clock_begin();
	if (!number("memory", 0)) store_sync(false);
	clock_end(0);
}

static void do_append(void) {
	long rows = number("rows", 1), n = number("n", 1), one[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
	bool durable = number("durable", 1);
	create(true);
	box slab = whole();
	slab.size[0] = rows;
	double *buf = grab(8 * volume(rank, slab.size));
	for (long i = 0; i < n; i++) {
		slab.lo[0] = i * rows;
		fill(&slab, buf);
		clock_begin();
		store_extend(0, rows);
		store_write(&slab, buf);
		if (durable) store_sync(true);
		clock_end(1);
	}
	clock_begin();
	store_sync(durable);
	clock_end(0);
	free(buf);
	long at[16 * MAX_RANK];
	double found[16];
	starts(number("seed", 1), 16, one, 1, at);
	gather_one_by_one(16, at, found);
	check += weighted_sum(found, 16);
}

/* do_extend extends the dimensions in turn by one chunk, n times. If it neither commits nor writes,
 * it times all extensions together, as a single one is too short to measure. */
static void do_extend(void) {
	long n = number("n", 1), chunk[MAX_RANK];
	bool commit = number("commit", 0), data = number("write", 0), each = commit || data;
	create(true);
	numbers("chunk", chunk);
	box b = {{0}, {0}};
	memcpy(b.size, chunk, sizeof chunk);
	double *buf = grab(8 * volume(rank, chunk)), found;
	store_sync(true);
	if (!each) clock_begin();
	for (long i = 0; i < n; i++) {
		int dim = i % rank;
		memset(b.lo, 0, sizeof b.lo);
		b.lo[dim] = shape[dim];
		if (data) fill(&b, buf);
		if (each) clock_begin();
		store_extend(dim, chunk[dim]);
		if (data) store_write(&b, buf);
		if (commit) store_sync(true);
		if (each) clock_end(1);
	}
	if (!each) clock_end(n);
	if (data) {
		gather_one_by_one(1, b.lo, &found);
		check += (uint64_t)found;
	}
	free(buf);
}

static void do_reopen(void) {
	long n = number("n", 1);
	for (long i = 0; i < n; i++) {
		long at[MAX_RANK] = {0};
		double found;
		clock_begin();
		store_open(arg("path", ""), false);
		for (int d = 0; d < rank; d++) at[d] = shape[d] - 1;
		gather_one_by_one(1, at, &found);
		store_close();
		clock_end(1);
		check += (uint64_t)found;
	}
}

static void serve(const char *verb) {
	if (!strcmp(verb, "create")) do_create();
	else if (!strcmp(verb, "open")) do_open();
	else if (!strcmp(verb, "close")) do_close();
	else if (!strcmp(verb, "read")) do_read();
	else if (!strcmp(verb, "gather")) do_gather(false);
	else if (!strcmp(verb, "scatter")) do_gather(true);
	else if (!strcmp(verb, "scan")) do_scan();
	else if (!strcmp(verb, "sweep")) do_sweep();
	else if (!strcmp(verb, "grow")) do_grow();
	else if (!strcmp(verb, "append")) do_append();
	else if (!strcmp(verb, "extend")) do_extend();
	else if (!strcmp(verb, "reopen")) do_reopen();
	else refuse(verb);
}

int main(void) {
	static char line[4096];
	const char *verb;
	setjmp(next_request);
	for (;;) {
		fflush(stdout);
		if (!fgets(line, sizeof line, stdin)) return 0;
		if (!(verb = split_request(line))) continue;
		wall = cpu = operations = 0, check = 0;
		serve(verb);
		printf("ok %lld %lld %lld %llu\n", (long long)wall, (long long)cpu, (long long)operations, (unsigned long long)check);
	}
}
