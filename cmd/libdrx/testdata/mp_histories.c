/* mp_histories.c - random histories of an array that all processes use, beside a plain array in the
 * memory of each.
 *
 *     mp_histories FIRST COUNT: the histories with the seeds FIRST, FIRST+1, ... */
#include "mp.h"

enum { SIDE = 48, STEPS = 40, FILL = -1 };

/* The plain array: element (i, j) is model[i + SIDE/2][j + SIDE/2] within the bounds. */
static int32_t model[SIDE][SIDE];
static int64_t lo[2], hi[2];
static int procs;
static drxmp_array a;

/* shared is the same on all processes, own differs. */
static uint64_t shared, own;

static int64_t draw(uint64_t *state, int64_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((*state >> 33) % (uint64_t)n);
}

static int32_t *at(int64_t i, int64_t j)
{
	return &model[i + SIDE / 2][j + SIDE / 2];
}

/* A box is a section with steps, of n[0] x n[1] elements. */
struct box {
	int64_t lo[2], hi[2], step[2], n[2];
};

static struct box random_box(uint64_t *state, int64_t steps)
{
	struct box b;

	for (int d = 0; d < 2; d++) {
		b.lo[d] = lo[d] + draw(state, hi[d] - lo[d]);
		b.hi[d] = b.lo[d] + draw(state, hi[d] - b.lo[d] + 1);
		b.step[d] = 1 + draw(state, steps);
		b.n[d] = (b.hi[d] - b.lo[d] + b.step[d] - 1) / b.step[d];
	}
	return b;
}

/* layout chooses dense or column-major elements. */
static int64_t *layout(const struct box *b, int64_t size, int64_t strides[2])
{
	strides[0] = size;
	strides[1] = size * (b->n[0] > 0 ? b->n[0] : 1);
	return draw(&own, 2) ? strides : NULL;
}

static void check_read(int code, const struct box *b, const void *buf, int wide, const int64_t *strides, int line)
{
	expect(DRX_OK, code, "read", line);
	for (int64_t i = 0; i < b->n[0]; i++)
		for (int64_t j = 0; j < b->n[1]; j++) {
			int64_t k = strides ? i + j * b->n[0] : i * b->n[1] + j;
			int64_t got = wide ? ((const int64_t *)buf)[k] : ((const int32_t *)buf)[k];
			int32_t want = *at(b->lo[0] + i * b->step[0], b->lo[1] + j * b->step[1]);
			if (got != want && failures++ < 10)
				printf("process %d, line %d: element %ld %ld is %ld, want %d\n", me, line, (long)i, (long)j, (long)got, want);
		}
}

/* read_some: every process reads a section of its own, with the others or alone, as int32 or
 * int64. */
static void read_some(void)
{
	static int64_t buf[SIDE * SIDE];
	struct box b = random_box(&own, 3);
	int wide = (int)draw(&own, 2);
	int64_t strides[2], size = b.n[0] * b.n[1] * (wide ? 8 : 4), *s = layout(&b, wide ? 8 : 4, strides);

	check_read((draw(&shared, 2) ? drxmp_read_all : drxmp_read)(a, 2, b.lo, b.hi, b.step, wide ? DRX_INT64 : DRX_INT32, buf, size, s), &b, buf, wide, s, __LINE__);
}

/* write_values writes a part of a box, with rows from first to last, and notes all of it in the
 * model. */
static void write_values(const struct box *all, int64_t first, int64_t last, int together)
{
	static int16_t buf[SIDE * SIDE];
	struct box b = *all;
	int64_t strides[2], *s, seed = draw(&shared, 10000);

	for (int64_t i = 0; i < all->n[0]; i++)
		for (int64_t j = 0; j < all->n[1]; j++)
			*at(all->lo[0] + i * all->step[0], all->lo[1] + j * all->step[1]) = (int32_t)((seed + 7 * i + 3 * j) % 30000);
	b.n[0] = last - first;
	b.lo[0] = all->lo[0] + first * all->step[0];
	b.hi[0] = b.n[0] > 0 ? b.lo[0] + (b.n[0] - 1) * all->step[0] + 1 : b.lo[0];
	if (b.n[0] == 0)
		b.lo[0] = b.hi[0] = lo[0];
	s = layout(&b, 2, strides);
	for (int64_t i = 0; i < b.n[0]; i++)
		for (int64_t j = 0; j < b.n[1]; j++)
			buf[s ? i + j * b.n[0] : i * b.n[1] + j] = (int16_t)((seed + 7 * (first + i) + 3 * j) % 30000);
	if (together)
		OK(drxmp_write_all(a, 2, b.lo, b.hi, b.step, DRX_INT16, buf, 2 * b.n[0] * b.n[1], s));
	else if (b.n[0] > 0)
		OK(drxmp_write(a, 2, b.lo, b.hi, b.step, DRX_INT16, buf, 2 * b.n[0] * b.n[1], s));
}

/* write_some: all processes write parts of a section together, or one writes it, and the others see
 * it after a sync. */
static void write_some(void)
{
	struct box b = random_box(&shared, 2);
	int writer = (int)draw(&shared, procs);

	if (draw(&shared, 2)) {
		write_values(&b, b.n[0] * me / procs, b.n[0] * (me + 1) / procs, 1);
		return;
	}
	write_values(&b, 0, me == writer ? b.n[0] : 0, 0);
	OK(drxmp_sync(a));
}

static void grow_some(void)
{
	int d = (int)draw(&shared, 2), side = (int)draw(&shared, 2);
	int64_t by = 1 + draw(&shared, 5), from[2], to[2];

	if (side ? lo[d] - by < -SIDE / 2 : hi[d] + by > SIDE / 2)
		return;
	OK(drxmp_extend(a, d, by, side, 2, from, to));
	if (side)
		lo[d] -= by;
	else
		hi[d] += by;
	TRUE(to[d] - from[d] == by && (side ? from[d] == lo[d] : to[d] == hi[d]));
}

static void shrink_some(void)
{
	int d = (int)draw(&shared, 2), side = (int)draw(&shared, 2);

	if (hi[d] - lo[d] < 3)
		return;
	OK(drxmp_shrink(a, d, 1, side));
	if (side)
		lo[d]++;
	else
		hi[d]--;
	for (int64_t i = -SIDE / 2; i < SIDE / 2; i++)
		for (int64_t j = -SIDE / 2; j < SIDE / 2; j++)
			if (i < lo[0] || i >= hi[0] || j < lo[1] || j >= hi[1])
				*at(i, j) = FILL;
}

/* in_memory reads through a global array, changes an element there, and stores it. */
static void in_memory(void)
{
	static int32_t buf[SIDE * SIDE];
	struct box b = random_box(&own, 2);
	int64_t next[2] = {lo[0] + 1, lo[1] + 1};
	int32_t one = 1;
	drxmp_global g;

	OK(drxmp_global_create(a, &g));
	OK(drxmp_global_load(g));
	check_read(drxmp_global_get(g, 2, b.lo, b.hi, b.step, DRX_INT32, buf, 4 * b.n[0] * b.n[1], NULL), &b, buf, 0, NULL, __LINE__);
	OK(drxmp_global_fence(g));
	OK(drxmp_global_accumulate(g, DRXMP_SUM, 2, lo, next, NULL, DRX_INT32, &one, 4, NULL));
	OK(drxmp_global_store(g));
	*at(lo[0], lo[1]) += procs;
	OK(drxmp_global_close(g));
}

static void again(const char *name)
{
	static const char *const ways[] = {NULL, "{\"engine\": \"mpiio\"}", "{\"distribution\": [\"cyclic\", \"block\"]}", "{\"distribution\": [\"block\", \"cyclic(2)\"]}"};

	if (draw(&shared, 2)) {
		OK(drxmp_redistribute(a, ways[2 + draw(&shared, 2)]));
		return;
	}
	OK(drxmp_close(a));
	OK(drxmp_open(MPI_COMM_WORLD, name, DRX_WRITE, ways[draw(&shared, 4)], &a));
}

/* whole compares all elements, as another program reads them. */
static void whole(const char *name)
{
	static int32_t buf[SIDE * SIDE];
	struct box b = {{lo[0], lo[1]}, {hi[0], hi[1]}, {1, 1}, {hi[0] - lo[0], hi[1] - lo[1]}};
	drx_array file;

	OK(drx_open(name, DRX_READ, NULL, &file));
	check_read(drx_read(file, 2, NULL, NULL, NULL, DRX_INT32, buf, 4 * b.n[0] * b.n[1], NULL), &b, buf, 0, NULL, __LINE__);
	OK(drx_verify(file, NULL, NULL, NULL));
	OK(drx_close(file));
}

static void history(uint64_t seed)
{
	char name[32];
	int64_t shape[2];

	snprintf(name, sizeof name, "history%lu%s", (unsigned long)seed, seed % 2 ? ".drx" : ""); /* in one file or several */
	shared = seed;
	own = seed * 1000 + (uint64_t)me;
	for (int d = 0; d < 2; d++)
		lo[d] = 0, hi[d] = shape[d] = 1 + draw(&shared, 10);
	memset(model, 0xff, sizeof model); /* FILL */
	OK(drxmp_create(MPI_COMM_WORLD, name, DRX_INT32, 2, shape, "{\"chunk\": [3, 4], \"fill\": -1, \"durability\": \"none\"}", &a));
	for (int step = 0; step < STEPS && failures == 0; step++) {
		int64_t what = draw(&shared, 20);
		if (what < 6)
			write_some();
		else if (what < 11)
			grow_some();
		else if (what < 12)
			shrink_some();
		else if (what < 18)
			read_some();
		else if (what < 19)
			in_memory();
		else
			again(name);
		if (failures > 0)
			printf("process %d: history %lu, step %d, action %ld\n", me, (unsigned long)seed, step, (long)what);
	}
	OK(drxmp_close(a));
	whole(name);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &procs);
	for (int i = 0; i < atoi(argv[2]) && failures == 0; i++)
		history((uint64_t)(atoi(argv[1]) + i));
	return finish();
}
