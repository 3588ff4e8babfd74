/* The peer DRX in C: libdrx. Single elements are read with drx_get, sections with drx_read. */
#include "peer.h"

#include <drx.h>
#include <stdio.h>

static drx_array a;
static bool is_open;

static void ok(int code) {
	if (code) die("drx: %s", drx_error());
}

void store_create(const spec *s) {
	char options[512];
	int n = snprintf(options, sizeof options, "{\"durability\": \"%s\", \"chunk\": [", number("durable", 1) ? "full" : "none"), found;
	int64_t extents[MAX_RANK];
	store_close();
	for (int d = 0; d < s->rank; d++) {
		extents[d] = s->shape[d];
		n += snprintf(options + n, sizeof options - n, "%s%ld", d ? ", " : "", s->chunk[d]);
	}
	snprintf(options + n, sizeof options - n, "]}");
	ok(drx_exists(s->path, &found));
	if (found) ok(drx_remove(s->path));
	ok(drx_create(s->path, DRX_FLOAT64, s->rank, extents, options, &a));
	is_open = true;
}

void store_open(const char *path, bool write) {
	int64_t lo[MAX_RANK], hi[MAX_RANK];
	store_close();
	ok(drx_open(path, write ? DRX_WRITE : DRX_READ, NULL, &a));
	is_open = true;
	ok(drx_rank(a, &rank));
	ok(drx_bounds(a, rank, lo, hi));
	for (int d = 0; d < rank; d++) shape[d] = hi[d] - lo[d];
}

void store_close(void) {
	if (is_open) ok(drx_close(a));
	is_open = false;
}

void store_extend(int dim, long by) {
	int64_t lo[MAX_RANK], hi[MAX_RANK];
	ok(drx_extend(a, dim, by, DRX_HIGH, rank, lo, hi));
	shape[dim] += by;
}

/* section sets the bounds of a box and returns its size in bytes. */
static int64_t section(const box *b, int64_t *lo, int64_t *hi) {
	int64_t bytes = 8;
	for (int d = 0; d < rank; d++) {
		lo[d] = b->lo[d], hi[d] = b->lo[d] + b->size[d];
		bytes *= b->size[d];
	}
	return bytes;
}

void store_read(const box *b, double *buf) {
	int64_t lo[MAX_RANK], hi[MAX_RANK], bytes = section(b, lo, hi);
	ok(bytes == 8 ? drx_get(a, rank, lo, DRX_FLOAT64, buf) : drx_read(a, rank, lo, hi, NULL, DRX_FLOAT64, buf, bytes, NULL));
}

void store_read_transposed(const box *b, double *buf) {
	int64_t lo[MAX_RANK], hi[MAX_RANK], strides[MAX_RANK], stride = 8, bytes = section(b, lo, hi);
	for (int d = 0; d < rank; d++) {
		strides[d] = stride;
		stride *= b->size[d];
	}
	ok(drx_read(a, rank, lo, hi, NULL, DRX_FLOAT64, buf, bytes, strides));
}

void store_write(const box *b, const double *buf) {
	int64_t lo[MAX_RANK], hi[MAX_RANK], bytes = section(b, lo, hi);
	ok(drx_write(a, rank, lo, hi, NULL, DRX_FLOAT64, buf, bytes, NULL));
}

void store_gather(long n, const long *at, double *buf) { ok(drx_gather(a, rank, n, (const int64_t *)at, DRX_FLOAT64, buf)); }

void store_scatter(long n, const long *at, const double *buf) { ok(drx_scatter(a, rank, n, (const int64_t *)at, DRX_FLOAT64, buf)); }

void store_sync(bool durable) {
	if (durable) ok(drx_sync(a));
}
