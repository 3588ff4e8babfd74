/* histories.c - random histories of an array, driven from C and compared with a plain C array.
 *
 *     histories SEED COUNT     runs the histories SEED, SEED+1, ...; a failure prints its history and
 * step */
#include "check.h"

enum { W = 20, HALF = W / 2, FILL = 7, STEPS = 60 };

/* A model is the plain array. Index i of a dimension is at i + HALF. Dimensions that do not exist
 * have index 0. */
struct model {
	int rank;
	int64_t lo[3], hi[3];
	int32_t cells[W][W][W];
};

static struct model now, committed;
static drx_array a, reader;
static uint64_t state;
static unsigned history, step;
static const char *name; /* of the array: in one file, or in several */

static uint32_t below(uint32_t n)
{
	state ^= state << 13, state ^= state >> 7, state ^= state << 17;
	return (uint32_t)((state >> 20) % n);
}

static int64_t between(int64_t lo, int64_t hi)
{
	return lo + below((uint32_t)(hi - lo));
}

static int32_t *cell(struct model *m, const int64_t *at)
{
	return &m->cells[at[0] + HALF][m->rank > 1 ? at[1] + HALF : HALF][m->rank > 2 ? at[2] + HALF : HALF];
}

static void fail(const char *what)
{
	printf("history %u, step %u: %s (%s)\n", history, step, what, drx_error());
	fflush(stdout);
	_Exit(1);
}

#define MUST(call) \
	do { \
		if ((call) != DRX_OK) \
			fail(#call); \
	} while (0)

/* next advances an index within a section, and its position; 0 after the last one. */
static int next(int rank, const int64_t *lo, const int64_t *hi, const int64_t *by, int64_t *at, int64_t *pos)
{
	for (int d = rank - 1; d >= 0; d--) {
		at[d] += by[d], pos[d]++;
		if (at[d] < hi[d])
			return 1;
		at[d] = lo[d], pos[d] = 0;
	}
	return 0;
}

/* section makes a random section, which is not empty. It returns 0 if there is none. */
static int section(int64_t *lo, int64_t *hi, int64_t *by)
{
	for (int d = 0; d < now.rank; d++) {
		if (now.lo[d] == now.hi[d])
			return 0;
		lo[d] = between(now.lo[d], now.hi[d]);
		hi[d] = between(lo[d] + 1, now.hi[d] + 1);
		by[d] = below(3) ? 1 : 1 + below(3);
	}
	return 1;
}

/* A layout is a buffer for a section: some order of the dimensions, with gaps, and mirrored along
 * some of them. */
struct layout {
	unsigned char bytes[W * W * W * 16 * 4];
	unsigned char *first;
	int64_t strides[3];
	int dtype, dense;
	int64_t size;
};

static struct layout l;

static void lay(const int64_t *lo, const int64_t *hi, const int64_t *by, int reading)
{
	static const int types[] = {DRX_INT32, DRX_INT32, DRX_RAW, DRX_INT64, DRX_FLOAT64};
	int order[3], rank = now.rank;
	int64_t shape[3], padded[3];

	l.dtype = reading ? types[below(5)] : below(4) ? DRX_INT32 : DRX_INT16;
	for (int d = 0; d < rank; d++) {
		shape[d] = (hi[d] - lo[d] + by[d] - 1) / by[d];
		padded[d] = shape[d] + below(2);
		order[d] = d;
	}
	for (int d = rank - 1; d > 0; d--) {
		int e = (int)below((uint32_t)d + 1), t = order[d];
		order[d] = order[e], order[e] = t;
	}
	l.dense = below(3) == 0;
	MUST(drx_strides(l.dtype ? l.dtype : DRX_INT32, rank, l.dense ? shape : padded, l.dense ? NULL : order, l.strides));
	l.first = l.bytes;
	l.size = l.dtype ? (int64_t)drx_dtype_size(l.dtype) : 4;
	for (int d = 0; d < rank; d++)
		l.size = l.dense ? l.size * shape[d] : l.size + l.strides[d] * (shape[d] - 1);
	for (int d = 0; !l.dense && d < rank; d++)
		if (below(4) == 0) {
			l.first += l.strides[d] * (shape[d] - 1);
			l.strides[d] = -l.strides[d];
		}
}

static unsigned char *slot(const int64_t *pos)
{
	unsigned char *p = l.first;

	for (int d = 0; d < now.rank; d++)
		p += pos[d] * l.strides[d];
	return p;
}

static int32_t load(const unsigned char *p)
{
	int64_t n;
	int32_t i;
	double f;

	switch (l.dtype) {
	case DRX_INT64:
		memcpy(&n, p, sizeof n);
		return (int32_t)n;
	case DRX_FLOAT64:
		memcpy(&f, p, sizeof f);
		return (int32_t)f;
	}
	memcpy(&i, p, sizeof i);
	return i;
}

static void write_section(void)
{
	int64_t lo[3], hi[3], by[3], at[3], pos[3] = {0};

	if (!section(lo, hi, by))
		return;
	lay(lo, hi, by, 0);
	memcpy(at, lo, sizeof at);
	do {
		int16_t v = (int16_t)below(30000);
		int32_t wide = v;
		*cell(&now, at) = v;
		if (l.dtype == DRX_INT16)
			memcpy(slot(pos), &v, sizeof v);
		else
			memcpy(slot(pos), &wide, sizeof wide);
	} while (next(now.rank, lo, hi, by, at, pos));
	MUST(drx_write(a, now.rank, lo, hi, by, l.dtype, l.first, l.size, l.dense ? NULL : l.strides));
}

/* compare reads a section of an array and compares it with a model of the same bounds. */
static void compare(drx_array x, struct model *m, const int64_t *lo, const int64_t *hi, const int64_t *by)
{
	int64_t at[3], pos[3] = {0};

	lay(lo, hi, by, 1);
	MUST(drx_read(x, m->rank, lo, hi, by, l.dtype, l.first, l.size, l.dense ? NULL : l.strides));
	memcpy(at, lo, sizeof at);
	do
		if (load(slot(pos)) != *cell(m, at))
			fail("another element than in the model");
	while (next(m->rank, lo, hi, by, at, pos));
}

static void read_section(void)
{
	int64_t lo[3], hi[3], by[3];

	if (section(lo, hi, by))
		compare(a, &now, lo, hi, by);
}

static void compare_all(drx_array x)
{
	int64_t lo[3], hi[3], ones[3] = {1, 1, 1};
	int rank;

	MUST(drx_rank(x, &rank));
	if (rank != now.rank)
		fail("another rank");
	MUST(drx_bounds(x, rank, lo, hi));
	for (int d = 0; d < rank; d++)
		if (lo[d] != now.lo[d] || hi[d] != now.hi[d])
			fail("other bounds");
	for (int d = 0; d < rank; d++)
		if (lo[d] == hi[d])
			return;
	compare(x, &now, lo, hi, ones);
}

/* set_fill gives all cells of a slab the fill value: those that an extension adds. */
static void set_fill(int dim, int64_t from, int64_t to)
{
	int64_t lo[3], hi[3], at[3], pos[3] = {0}, ones[3] = {1, 1, 1};

	memcpy(lo, now.lo, sizeof lo);
	memcpy(hi, now.hi, sizeof hi);
	lo[dim] = from, hi[dim] = to;
	for (int d = 0; d < now.rank; d++)
		if (lo[d] >= hi[d])
			return;
	memcpy(at, lo, sizeof at);
	do
		*cell(&now, at) = FILL;
	while (next(now.rank, lo, hi, ones, at, pos));
}

static void extend(void)
{
	int dim = (int)below((uint32_t)now.rank), side = (int)below(2);
	int64_t by = 1 + below(4), lo[3], hi[3], old_lo = now.lo[dim], old_hi = now.hi[dim];

	if (side == DRX_LOW ? now.lo[dim] - by < -HALF : now.hi[dim] + by > HALF)
		return;
	MUST(drx_extend(a, dim, by, side, now.rank, lo, hi));
	if (side == DRX_LOW)
		now.lo[dim] -= by, old_hi = old_lo, old_lo = now.lo[dim];
	else
		now.hi[dim] += by, old_lo = old_hi, old_hi = now.hi[dim];
	for (int d = 0; d < now.rank; d++)
		if (lo[d] != (d == dim ? old_lo : now.lo[d]) || hi[d] != (d == dim ? old_hi : now.hi[d]))
			fail("the new section is another");
	set_fill(dim, old_lo, old_hi);
}

static void shrink(void)
{
	int dim = (int)below((uint32_t)now.rank), side = (int)below(2);
	int64_t by;

	if (now.hi[dim] - now.lo[dim] < 2)
		return;
	by = between(1, now.hi[dim] - now.lo[dim]);
	MUST(drx_shrink(a, dim, by, side));
	if (side == DRX_LOW)
		now.lo[dim] += by;
	else
		now.hi[dim] -= by;
}

static void add_dim(void)
{
	int dim;

	if (now.rank == 3 || below(3))
		return;
	MUST(drx_add_dim(a, NULL, &dim));
	now.lo[now.rank] = 0, now.hi[now.rank] = 1; /* its cells are those of index 0 */
	if (dim != now.rank++)
		fail("another dimension");
}

static void points(void)
{
	enum { N = 20 };
	int64_t at[N * 3];
	int32_t v[N];

	for (int d = 0; d < now.rank; d++)
		if (now.lo[d] == now.hi[d])
			return;
	for (int i = 0; i < N; i++) {
		for (int d = 0; d < now.rank; d++)
			at[i * now.rank + d] = between(now.lo[d], now.hi[d]);
		v[i] = (int32_t)below(1 << 30);
	}
	if (below(2)) {
		MUST(drx_scatter(a, now.rank, N, at, DRX_INT32, v));
		for (int i = 0; i < N; i++)
			*cell(&now, at + i * now.rank) = v[i];
	}
	MUST(drx_gather(a, now.rank, N, at, DRX_INT32, v));
	for (int i = 0; i < N; i++)
		if (v[i] != *cell(&now, at + i * now.rank))
			fail("another element by drx_gather");
	v[0]++;
	MUST(drx_set(a, now.rank, at, DRX_INT32, v));
	*cell(&now, at) = v[0];
	MUST(drx_get(a, now.rank, at, DRX_INT32, v + 1));
	if (v[1] != v[0])
		fail("another element by drx_get");
}

static void fill(void)
{
	int64_t lo[3], hi[3], by[3], at[3], pos[3] = {0};
	int32_t v = below(2) ? FILL : (int32_t)below(1000);

	if (!section(lo, hi, by))
		return;
	MUST(drx_fill(a, now.rank, lo, hi, by, DRX_INT32, &v));
	memcpy(at, lo, sizeof at);
	do
		*cell(&now, at) = v;
	while (next(now.rank, lo, hi, by, at, pos));
}

static void commit(void)
{
	MUST(drx_sync(a));
	committed = now;
	MUST(drx_refresh(reader, NULL));
	compare_all(reader);
}

static void reopen(void)
{
	if (below(2)) {
		MUST(drx_discard(a));
		now = committed;
	} else {
		MUST(drx_close(a));
		committed = now;
	}
	MUST(drx_open(name, DRX_WRITE, NULL, &a));
	compare_all(a);
	MUST(drx_close(reader));
	MUST(drx_open(name, DRX_READ, NULL, &reader));
}

static void compact(void)
{
	MUST(drx_compact(a, NULL, NULL));
	committed = now;
	MUST(drx_refresh(reader, NULL));
	compare_all(reader);
}

static const char *const codecs[] = {"none", "zstd:1", "none", "lz4", "none", "blosc:lz4:5:shuffle", "none", "blosc:zstd:1:bitshuffle"};

static void recompress(void)
{
	MUST(drx_recompress(a, codecs[below(8)], NULL, NULL));
	committed = now;
	MUST(drx_refresh(reader, NULL));
	compare_all(reader);
}

static void run(void)
{
	static void (*const steps[])(void) = {write_section, write_section, write_section, read_section, read_section, extend, extend,
		extend, shrink, add_dim, points, fill, commit, reopen, compact, recompress};
	int64_t shape[3];
	char options[200];

	name = history % 2 ? "h.drx" : "h";
	memset(&now, 0, sizeof now);
	now.rank = 1 + (int)below(3);
	for (int d = 0; d < now.rank; d++)
		now.hi[d] = shape[d] = below(6);
	set_fill(0, 0, now.hi[0]);
	snprintf(options, sizeof options, "{\"fill\": %d, \"chunk\": [%u%s%s], \"order\": \"%s\", \"cache\": %d, \"codec\": \"%s\"}", FILL, 1 + below(4),
		now.rank > 1 ? ", 3" : "", now.rank > 2 ? ", 2" : "", below(2) ? "row" : "col", below(2) ? 1 : 1 << 20, codecs[history / 2 % 8]);
	MUST(drx_create(name, DRX_INT32, now.rank, shape, options, &a));
	committed = now;
	MUST(drx_open(name, DRX_READ, NULL, &reader));
	for (step = 0; step < STEPS; step++)
		steps[below(sizeof steps / sizeof *steps)]();
	compare_all(a);
	MUST(drx_close(reader));
	MUST(drx_close(a));
	MUST(drx_remove(name));
}

int main(int argc, char **argv)
{
	unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1, count = argc > 2 ? (unsigned)atoi(argv[2]) : 500;

	for (history = seed; history < seed + count; history++) {
		state = history * 0x9E3779B97F4A7C15u + 1;
		run();
	}
	return 0;
}
