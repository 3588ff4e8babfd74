/* The peer that stores an array as C does: the elements in row-major order, after a page with the
 * rank and the shape. Growth along any dimension but the first rewrites the file, or the memory.
 *
 * Options, sent with every request: map=1 reads from a mapping of the file, map=0 with pread;
 * memory=1 keeps the array in memory. */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 4096, BLOCK = 4 << 20 };

static int file = -1;
static char file_path[4096];
static bool writable;
static double *cells; /* the elements, mapped or in memory; NULL for pread */
static long mapped;   /* bytes of the mapping, with the header; 0 if there is none */

static void write_at(int fd, const void *buf, long n, long at) {
	for (const char *p = buf; n > 0;) {
		ssize_t done = pwrite(fd, p, n, at);
		if (done < 0) die("row-major: write: %s", strerror(errno));
		p += done, at += done, n -= done;
	}
}

static void read_at(void *buf, long n, long at) {
	for (char *p = buf; n > 0;) {
		ssize_t done = pread(file, p, n, at);
		if (done <= 0) die("row-major: read: %s", done ? strerror(errno) : "end of file");
		p += done, at += done, n -= done;
	}
}

static void write_header(int fd) {
	long header[1 + MAX_RANK] = {rank};
	memcpy(header + 1, shape, sizeof shape);
	write_at(fd, header, sizeof header, 0);
	if (ftruncate(fd, HEADER + 8 * volume(rank, shape))) die("row-major: truncate: %s", strerror(errno));
}

static void unmap(void) {
	if (mapped) munmap((char *)cells - HEADER, mapped);
	if (mapped) cells = NULL;
	mapped = 0;
}

static void map(void) {
	if (!number("map", 0) || volume(rank, shape) == 0) return;
	mapped = HEADER + 8 * volume(rank, shape);
	char *p = mmap(NULL, mapped, PROT_READ, MAP_SHARED, file, 0);
	if (p == MAP_FAILED) die("row-major: map: %s", strerror(errno));
	cells = (double *)(p + HEADER);
}

void store_create(const spec *s) {
	if (file >= 0 || cells) store_close();
	snprintf(file_path, sizeof file_path, "%s", s->path);
	writable = true;
	if (s->memory) {
		cells = grab(8 * volume(rank, shape));
		return;
	}
	file = open(s->path, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (file < 0) die("row-major: %s: %s", s->path, strerror(errno));
	write_header(file);
	map();
}

void store_open(const char *path, bool write) {
	long header[1 + MAX_RANK];
	snprintf(file_path, sizeof file_path, "%s", path);
	writable = write;
	file = open(path, write ? O_RDWR : O_RDONLY);
	if (file < 0) die("row-major: %s: %s", path, strerror(errno));
	read_at(header, sizeof header, 0);
	rank = header[0];
	memcpy(shape, header + 1, sizeof shape);
	map();
}

void store_close(void) {
	if (file < 0) free(cells), cells = NULL;
	unmap();
	if (file >= 0) close(file);
	file = -1;
}

/* respread copies `outer` runs of `from` elements to the starts of runs of `to` elements, as growth
 * of one dimension requires. */
static void respread_memory(long outer, long from, long to) {
	double *grown = malloc(8 * outer * to);
	if (!grown) die("row-major: no memory");
	for (long i = 0; i < outer; i++) memcpy(grown + i * to, cells + i * from, 8 * from);
	free(cells);
	cells = grown;
}

static void respread_file(long outer, long from, long to, int grown) {
	long batch = BLOCK / (8 * to) > 0 ? BLOCK / (8 * to) : 1;
	double *in = malloc(8 * batch * from), *out = calloc(batch * to, 8);
	if (!in || !out) die("row-major: no memory");
	for (long i = 0; i < outer; i += batch) {
		long n = i + batch < outer ? batch : outer - i;
		read_at(in, 8 * n * from, HEADER + 8 * i * from);
		for (long j = 0; j < n; j++) memcpy(out + j * to, in + j * from, 8 * from);
		write_at(grown, out, 8 * n * to, HEADER + 8 * i * to);
	}
	free(in), free(out);
}

void store_extend(int dim, long by) {
	long outer = volume(dim, shape), from = volume(rank - dim, shape + dim);
	shape[dim] += by;
	long to = volume(rank - dim, shape + dim);
	if (file < 0) {
		respread_memory(outer, from, to);
		return;
	}
	unmap();
	if (outer > 1) {
		char fresh[4200];
		snprintf(fresh, sizeof fresh, "%s.new", file_path);
		int grown = open(fresh, O_RDWR | O_CREAT | O_TRUNC, 0666);
		if (grown < 0) die("row-major: %s: %s", fresh, strerror(errno));
		respread_file(outer, from, to, grown);
		if (rename(fresh, file_path)) die("row-major: rename: %s", strerror(errno));
		close(file);
		file = grown;
	}
	write_header(file);
	map();
}

/* A walk visits the contiguous runs of a box. Trailing dimensions that are read as a whole form one
 * run. */
typedef struct {
	int outer;              /* number of dimensions outside the runs */
	long at[MAX_RANK], len; /* the run's first index and number of elements */
} walk;

static walk first_run(const box *b) {
	walk w = {.outer = rank - 1, .len = b->size[rank - 1]};
	memcpy(w.at, b->lo, sizeof w.at);
	while (w.outer > 0 && w.len == volume(rank - w.outer, shape + w.outer)) w.len *= b->size[--w.outer];
	return w;
}

static bool next_run(const box *b, walk *w) {
	for (int d = w->outer - 1; d >= 0; d--) {
		if (++w->at[d] < b->lo[d] + b->size[d]) return true;
		w->at[d] = b->lo[d];
	}
	return false;
}

static long element_offset(const long *at) {
	long p = 0;
	for (int d = 0; d < rank; d++) p = p * shape[d] + at[d];
	return p;
}

void store_read(const box *b, double *buf) {
	walk w = first_run(b);
	do {
		if (cells) memcpy(buf, cells + element_offset(w.at), 8 * w.len);
		else read_at(buf, 8 * w.len, HEADER + 8 * element_offset(w.at));
		buf += w.len;
	} while (next_run(b, &w));
}

void store_read_transposed(const box *b, double *buf) {
	if (rank != 2 || !cells) {
		read_then_transpose(b, buf);
		return;
	}
	transpose(cells + element_offset(b->lo), shape[1], b->size[0], b->size[1], buf, b->size[0]);
}

void store_write(const box *b, const double *buf) {
	walk w = first_run(b);
	if (!writable) die("row-major: open for reading only");
	if (volume(rank, b->size) == 0) return;
	do {
		if (file < 0) memcpy(cells + element_offset(w.at), buf, 8 * w.len);
		else write_at(file, buf, 8 * w.len, HEADER + 8 * element_offset(w.at));
		buf += w.len;
	} while (next_run(b, &w));
}

void store_gather(long n, const long *at, double *buf) {
	if (!cells) {
		gather_one_by_one(n, at, buf);
		return;
	}
	for (long i = 0; i < n; i++) buf[i] = cells[element_offset(at + i * rank)];
}

void store_scatter(long n, const long *at, const double *buf) { scatter_one_by_one(n, at, buf); }

void store_sync(bool durable) {
	if (durable && file >= 0 && fsync(file)) die("row-major: fsync: %s", strerror(errno));
}
