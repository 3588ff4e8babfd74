/* The bound: every process writes and reads the chunks of its share by itself, each with one pwrite or
 * pread of the whole chunk, from memory in which it lies as in the file.
 *
 * Chunks are numbered in row-major order of those that the array is created with, whose shape is that of
 * the request; a column of chunks that is added later follows all others. */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int file = -1;

const bool store_extends = true;

bool store_piece(const part *p, long i, box *b) {
	long across = p->mine.size[1] / chunk[1];
	if (i >= p->mine.size[0] / chunk[0] * across) return false;
	b->lo[0] = p->mine.lo[0] + i / across * chunk[0];
	b->lo[1] = p->mine.lo[1] + i % across * chunk[1];
	memcpy(b->size, chunk, sizeof b->size);
	return true;
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

void store_open(const char *path) { start(path, O_RDWR); }

void store_close(void) {
	if (close(file)) die("chunks: close: %s", strerror(errno));
}

void store_extend(long by) { shape[1] += by; }

static long offset(const box *b) {
	long created[MAX_RANK], i = b->lo[0] / chunk[0], j = b->lo[1] / chunk[1];
	numbers("shape", created);
	long first = created[1] / chunk[1];
	long n = j < first ? i * first + j : j * (shape[0] / chunk[0]) + i;
	return n * 8 * chunk[0] * chunk[1];
}

static void move(const part *p, bool write) {
	box b;
	char *at = (char *)p->data;
	for (long i = 0; store_piece(p, i, &b); i++) {
		long n = 8 * chunk[0] * chunk[1], to = offset(&b);
		while (n > 0) {
			ssize_t done = write ? pwrite(file, at, n, to) : pread(file, at, n, to);
			if (done <= 0) die("chunks: %s", done ? strerror(errno) : "end of file");
			at += done, to += done, n -= done;
		}
	}
}

void store_write(const part *p) { move(p, true); }

void store_read(part *p) { move(p, false); }
