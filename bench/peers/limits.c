/* The limits of the machine, in the form of a peer: what one thread can do at best.
 *
 * kind=strided  copies the same pieces to the same destination from an array in chunks in memory;
 *               for column-major destinations by a blocked transposition
 * kind=memcpy   copies as many bytes in one piece from anywhere in that memory
 * kind=pread    reads as many bytes in one piece from anywhere in the file `path` of shape=
 * kind=chunks   reads the whole chunks that the box touches from the file `path`, which has them
 *               one after the other in row-major order; adjacent ones in one piece
 * kind=append   appends to a file: write and fsync
 * kind=fsync    appends 64 bytes and calls fsync, per commit
 *
 * Only strided, and chunks for boxes of one chunk, read the requested elements; the checks of the
 * others cannot be compared. */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long chunk[MAX_RANK], grid[MAX_RANK];
static char *cells; /* the array in chunks */
static long bytes;  /* of cells, or of the file */
static int file = -1;
static long end; /* of the file appended to */

static bool kind(const char *k) { return !strcmp(arg("kind", ""), k); }

static void set_shape(void) {
	rank = numbers("shape", shape);
	numbers("chunk", chunk);
	for (int d = 0; d < rank; d++) grid[d] = (shape[d] + chunk[d] - 1) / chunk[d];
	bytes = 8 * volume(rank, grid) * volume(rank, chunk);
}

void store_create(const spec *s) {
	set_shape();
	if (kind("append") || kind("fsync")) {
		if (file >= 0) close(file);
		file = open(s->path, O_RDWR | O_CREAT | O_TRUNC, 0666);
		if (file < 0) die("limits: %s: %s", s->path, strerror(errno));
		end = 0;
		return;
	}
	free(cells);
	cells = grab(bytes);
}

void store_open(const char *path, bool write) {
	(void)write;
	set_shape();
	if (cells) return;
	file = open(path, O_RDONLY);
	if (file < 0) die("limits: %s: %s", path, strerror(errno));
	long size = lseek(file, 0, SEEK_END);
	bytes = size < bytes ? size : bytes;
}

void store_close(void) {
	if (file >= 0) close(file);
	file = -1;
}

void store_extend(int dim, long by) {
	if (cells) refuse("growing");
	shape[dim] += by;
}

static void read_at(void *buf, long n, long at) {
	for (char *p = buf; n > 0;) {
		ssize_t done = pread(file, p, n, at);
		if (done <= 0) die("limits: read: %s", done ? strerror(errno) : "end of file");
		p += done, at += done, n -= done;
	}
}

/* A piece is the part of a box in one chunk: size elements, at `inner` in the chunk and at `outer`
 * in the box. */
typedef struct {
	long index[MAX_RANK], inner[MAX_RANK], outer[MAX_RANK], size[MAX_RANK];
} piece;

static void cut(const box *b, piece *p) {
	for (int d = 0; d < rank; d++) {
		long lo = p->index[d] * chunk[d], hi = lo + chunk[d], end = b->lo[d] + b->size[d];
		long from = lo > b->lo[d] ? lo : b->lo[d], to = hi < end ? hi : end;
		p->inner[d] = from - lo, p->outer[d] = from - b->lo[d], p->size[d] = to - from;
	}
}

static bool next_chunk(const box *b, piece *p) {
	for (int d = rank - 1; d >= 0; d--) {
		if (++p->index[d] <= (b->lo[d] + b->size[d] - 1) / chunk[d]) return true;
		p->index[d] = b->lo[d] / chunk[d];
	}
	return false;
}

static long offset(const long *at, const long *size) {
	long o = 0;
	for (int d = 0; d < rank; d++) o = o * size[d] + at[d];
	return o;
}

static double *chunk_at(const piece *p) { return (double *)cells + offset(p->index, grid) * volume(rank, chunk); }

/* copy_piece copies the rows of a piece from its chunk to the dense box, or back. Rows that are
 * adjacent in both are copied as one. */
static void copy_piece(const box *b, const piece *p, double *buf, bool back) {
	int outer = rank - 1;
	while (outer > 0 && p->size[outer] == chunk[outer] && p->size[outer] == b->size[outer]) outer--;
	long at[MAX_RANK] = {0}, in[MAX_RANK], out[MAX_RANK];
	long n = volume(outer, p->size), run = volume(rank - outer, p->size + outer);
	for (long i = 0; i < n; i++) {
		for (int d = 0; d < rank; d++) in[d] = p->inner[d] + at[d], out[d] = p->outer[d] + at[d];
		double *cell = chunk_at(p) + offset(in, chunk), *dense = buf + offset(out, b->size);
		memcpy(back ? cell : dense, back ? dense : cell, 8 * run);
		for (int d = outer - 1; d >= 0 && ++at[d] == p->size[d]; d--) at[d] = 0;
	}
}

static piece first_chunk(const box *b) {
	piece p;
	for (int d = 0; d < rank; d++) p.index[d] = b->lo[d] / chunk[d];
	return p;
}

static void copy_box(const box *b, double *buf, bool back) {
	piece p = first_chunk(b);
	do {
		cut(b, &p);
		copy_piece(b, &p, buf, back);
	} while (next_chunk(b, &p));
}

/* anywhere returns the offset of the box's corner, moved if necessary so that n bytes follow it. */
static long anywhere(const box *b, long n) {
	long at = 8 * offset(b->lo, shape);
	return at + n <= bytes ? at : (bytes - n) / 8 * 8;
}

/* read_chunks reads whole chunks, those adjacent in the file at once. */
static void read_chunks(const box *b, char *buf) {
	static char *room;
	static long have;
	long size = 8 * volume(rank, chunk), from = -1, n = 0;
	piece p = first_chunk(b);
	long last = (b->lo[rank - 1] + b->size[rank - 1] - 1) / chunk[rank - 1] - p.index[rank - 1] + 1;
	if (size * last > have) free(room), room = grab(have = size * last);
	bool exact = true; /* the box is made of whole chunks: they fit the buffer */
	for (int d = 0; d < rank; d++) exact = exact && b->lo[d] % chunk[d] == 0 && b->size[d] % chunk[d] == 0;
	do {
		long q = offset(p.index, grid);
		if (from + n == q && n > 0) {
			n++;
			continue;
		}
		if (n > 0) read_at(exact ? buf : room, n * size, from * size), buf += exact ? n * size : 0;
		from = q, n = 1;
	} while (next_chunk(b, &p));
	read_at(exact ? buf : room, n * size, from * size);
}

void store_read(const box *b, double *buf) {
	long n = 8 * volume(rank, b->size);
	if (kind("strided")) copy_box(b, buf, false);
	else if (kind("memcpy")) memcpy(buf, cells + anywhere(b, n), n);
	else if (kind("pread")) read_at(buf, n, anywhere(b, n));
	else if (kind("chunks")) read_chunks(b, (char *)buf);
	else if (kind("append")) read_at(buf, n, 8 * offset(b->lo, shape));
	else refuse("reading");
}

void store_read_transposed(const box *b, double *buf) {
	if (!kind("strided") || rank != 2) refuse("transposed sections");
	piece p = first_chunk(b);
	do {
		cut(b, &p);
		transpose(chunk_at(&p) + offset(p.inner, chunk), chunk[1], p.size[0], p.size[1],
		          buf + p.outer[1] * b->size[0] + p.outer[0], b->size[0]);
	} while (next_chunk(b, &p));
}

void store_write(const box *b, const double *buf) {
	long n = 8 * volume(rank, b->size);
	if (cells) {
		copy_box(b, (double *)buf, true);
		return;
	}
	if (pwrite(file, buf, n, end) != n) die("limits: write: %s", strerror(errno));
	end += n;
}

void store_gather(long n, const long *at, double *buf) { gather_one_by_one(n, at, buf); }

void store_scatter(long n, const long *at, const double *buf) { scatter_one_by_one(n, at, buf); }

void store_sync(bool durable) {
	static const char line[64] = "a commit";
	if (file < 0) return;
	if (kind("fsync")) {
		if (pwrite(file, line, sizeof line, end) != sizeof line) die("limits: write: %s", strerror(errno));
		end += sizeof line;
	}
	if (durable && fsync(file)) die("limits: fsync: %s", strerror(errno));
}
