/* The limit of the machine: every process reads and writes the chunks of its share independently
 * and does nothing else. The options:
 *
 *     memory=chunks  the bound: chunks are in memory as in the file, each moved by one pwrite or pread
 *     memory=rows    dense, row-major memory: chunks are assembled and written by one pwrite each, and read
 *                    from a mapping of the file with non-temporal stores
 *
 * The chunks of the initial shape, which is that of the request, are numbered in row-major order. A
 * column of chunks added later follows all others. */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static int file = -1;
static char *mapping; /* of the whole file, from the first read until close; the file does not grow after that */
static size_t mapped;

const bool store_extends = true;

/* chunk_of finds the box of chunk i of a share. */
static bool chunk_of(const part *p, long i, box *b) {
	long across = p->mine.size[1] / chunk[1];
	if (i >= p->mine.size[0] / chunk[0] * across) return false;
	b->lo[0] = p->mine.lo[0] + i / across * chunk[0];
	b->lo[1] = p->mine.lo[1] + i % across * chunk[1];
	memcpy(b->size, chunk, sizeof b->size);
	return true;
}

static bool in_rows(void) {
	bool rows = option("memory", "rows");
	if (!rows && !option("memory", "chunks")) die("chunks: memory=%s: neither rows nor chunks", arg("memory", ""));
	return rows;
}

bool store_piece(const part *p, long i, box *b) {
	if (!in_rows()) return chunk_of(p, i, b);
	*b = p->mine;
	return i == 0;
}

static void start(const char *path, int flags) {
	file = open(path, flags, 0666);
	if (file < 0) die("chunks: %s: %s", path, strerror(errno));
}

void store_create(const char *path, bool grows) {
	(void)grows;
	if (!me) start(path, O_RDWR | O_CREAT | O_TRUNC);
	MPI_Barrier(group);
	if (me) start(path, O_RDWR);
}

void store_open(const char *path, bool write) { start(path, write ? O_RDWR : O_RDONLY); }

void store_close(void) {
	if (mapping && munmap(mapping, mapped)) die("chunks: munmap: %s", strerror(errno));
	mapping = NULL;
	if (close(file)) die("chunks: close: %s", strerror(errno));
}

void store_extend(int dim, long by) {
	if (dim != 1) die("only columns can be added");
	shape[1] += by;
}

static long offset(const box *b) {
	long created[MAX_RANK], i = b->lo[0] / chunk[0], j = b->lo[1] / chunk[1];
	numbers("shape", created);
	long first = created[1] / chunk[1];
	long n = j < first ? i * first + j : j * (shape[0] / chunk[0]) + i;
	return n * 8 * chunk[0] * chunk[1];
}

static void move(char *at, long n, long to, bool write) {
	while (n > 0) {
		ssize_t done = write ? pwrite(file, at, n, to) : pread(file, at, n, to);
		if (done <= 0) die("chunks: %s", done ? strerror(errno) : "end of file");
		at += done, to += done, n -= done;
	}
}

static void move_chunks(const part *p, bool write) {
	box b;
	long bytes = 8 * chunk[0] * chunk[1];
	for (long i = 0; chunk_of(p, i, &b); i++) move((char *)p->data + i * bytes, bytes, offset(&b), write);
}

/* row_address returns the address of the first element of a chunk in row-major memory. */
static char *row_address(const part *p, const box *b) {
	return (char *)(p->data + (b->lo[0] - p->mine.lo[0]) * p->mine.size[1] + b->lo[1] - p->mine.lo[1]);
}

static void write_rows(const part *p) {
	box b;
	long run = 8 * chunk[1], row = 8 * p->mine.size[1];
	char *whole = grab(chunk[0] * run);
	for (long i = 0; chunk_of(p, i, &b); i++) {
		const char *from = row_address(p, &b);
		for (long r = 0; r < chunk[0]; r++) memcpy(whole + r * run, from + r * row, run);
		move(whole, chunk[0] * run, offset(&b), true);
	}
	free(whole);
}

/* stream copies a run with non-temporal stores if it consists of whole cache lines. It also
 * prefetches the destination `behind` bytes further on, so that its page is looked up in time. */
static void stream(char *to, const char *from, long n, long behind) {
#ifdef __SSE2__
	if (n % 64 == 0 && (uintptr_t)to % 16 == 0) {
		_mm_prefetch(to + behind, _MM_HINT_T0);
		for (long i = 0; i < n; i += 16) _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
		return;
	}
#endif
	(void)behind;
	memcpy(to, from, n);
}

static void map(void) {
	struct stat info;
	if (mapping) return;
	if (fstat(file, &info)) die("chunks: %s", strerror(errno));
	mapped = info.st_size;
	mapping = mmap(NULL, mapped, PROT_READ, MAP_SHARED, file, 0);
	if (mapping == MAP_FAILED) die("chunks: mmap: %s", strerror(errno));
}

static void read_rows(part *p) {
	box b;
	long run = 8 * chunk[1], row = 8 * p->mine.size[1];
	map();
	for (long i = 0; chunk_of(p, i, &b); i++) {
		char *to = row_address(p, &b);
		const char *from = mapping + offset(&b);
		for (long r = 0; r < chunk[0]; r++) stream(to + r * row, from + r * run, run, 2 * row);
	}
#ifdef __SSE2__
	_mm_sfence();
#endif
}

void store_write(const part *p) {
	if (in_rows()) write_rows(p);
	else move_chunks(p, true);
}

void store_read(part *p) {
	if (in_rows()) read_rows(p);
	else move_chunks(p, false);
}
