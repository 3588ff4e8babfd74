/* plate.c - the plate of examples/heat, which grows: its files are the same, byte for byte.
 *
 *     cc plate.c $(pkg-config --cflags --libs drxmp) -lmpi && mpirun -n 4 ./a.out
 */
#include <drxmp.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call) ((call) ? (fprintf(stderr, "%s\n", drx_error()), MPI_Abort(MPI_COMM_WORLD, 1)) : 0)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static double near[66 * 130], next[64 * 128]; /* the zone with its neighbours, and the next step */

/* warm makes each element the mean of its neighbours; the edge before column 0 is kept at 1. */
static void warm(drxmp_global g, const int64_t *end)
{
	int64_t lo[2], hi[2], from[2], to[2], n = 0, cols, size;
	int boxes;
	void *mine;

	CHECK(drxmp_global_boxes(g, DRXMP_ME, &boxes));
	if (boxes > 0) {
		CHECK(drxmp_global_box(g, DRXMP_ME, 0, 2, lo, hi));
		for (int d = 0; d < 2; d++)
			from[d] = MAX(0, lo[d] - 1), to[d] = MIN(end[d], hi[d] + 1);
		cols = to[1] - from[1];
		CHECK(drxmp_global_get(g, 2, from, to, NULL, DRX_FLOAT64, near, (to[0] - from[0]) * cols * 8, NULL));
#define AT(r, c) ((c) < from[1] ? 1 : near[(MIN(MAX(r, from[0]), to[0] - 1) - from[0]) * cols + MIN(c, to[1] - 1) - from[1]])
		for (int64_t r = lo[0]; r < hi[0]; r++)
			for (int64_t c = lo[1]; c < hi[1]; c++)
				next[n++] = (AT(r - 1, c) + AT(r + 1, c) + AT(r, c - 1) + AT(r, c + 1)) / 4;
	}
	CHECK(drxmp_global_fence(g)); /* all processes have read what they need for this step */
	CHECK(drxmp_global_local(g, &mine, &size));
	memcpy(mine, next, (size_t)size);
	CHECK(drxmp_global_fence(g));
}

int main(int argc, char **argv)
{
	int64_t end[] = {64, 32};
	drxmp_array a;
	drxmp_global g;

	MPI_Init(&argc, &argv);
	CHECK(drxmp_create(MPI_COMM_WORLD, "plate", DRX_FLOAT64, 2, end, "{\"chunk\": [16, 16]}", &a));
	CHECK(drxmp_global_create(a, &g));
	for (int growth = 0; growth < 6; growth++) {
		CHECK(drxmp_extend(a, 1, 16, DRX_HIGH, 0, NULL, NULL));
		CHECK(drxmp_global_follow(g));
		CHECK(drxmp_bounds(a, 2, NULL, end));
		for (int step = 0; step < 300; step++)
			warm(g, end);
		CHECK(drxmp_global_store(g) || drxmp_sync(a));
	}
	CHECK(drxmp_global_close(g) || drxmp_close(a));
	return MPI_Finalize();
}
