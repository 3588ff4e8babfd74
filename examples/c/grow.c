/* grow.c - images of a radar: the array grows by one at a time, a reader follows, and everything is
 * there afterwards.
 *
 *     cc grow.c $(pkg-config --cflags --libs drx) -o grow && ./grow */
#include <stdio.h>
#include <stdlib.h>

#include <drx.h>

static void check(int code)
{
	if (code != DRX_OK) {
		fprintf(stderr, "grow: %s\n", drx_error());
		exit(1);
	}
}

static int print_change(void *user, const char *change)
{
	printf("the reader sees %s\n", change);
	return ++*(int *)user == 3; /* enough */
}

int main(void)
{
	drx_array radar, reader;
	int64_t shape[] = {0, 100, 200}, lo[3], hi[3];
	static int16_t image[100][200], column[100][3];
	int seen = 0;

	check(drx_create("radar", DRX_INT16, 3, shape, "{\"dims\": [\"time\", \"y\", \"x\"], \"fill\": -1}", &radar));
	check(drx_open("radar", DRX_READ, NULL, &reader));
	for (int t = 0; t < 3; t++) {
		image[50][7] = (int16_t)(100 * t);
		check(drx_extend(radar, 0, 1, DRX_HIGH, 3, lo, hi)); /* lo, hi: the new section */
		check(drx_write(radar, 3, lo, hi, NULL, DRX_INT16, image, sizeof image, NULL));
		check(drx_sync(radar)); /* commits: durable, and visible to others */
	}
	if (drx_follow(reader, 10, print_change, &seen) != DRX_ECANCELLED) /* by print_change */
		check(DRX_EINTERNAL);
	check(drx_close(reader));
	check(drx_extend(radar, 2, 10, DRX_LOW, 0, NULL, NULL)); /* to the west: x begins at -10 now */
	check(drx_close(radar));

	check(drx_open("radar", DRX_READ, NULL, &radar)); /* a column of all images: per y its three times */
	lo[0] = lo[1] = 0, hi[0] = 3, hi[1] = 100, lo[2] = 7, hi[2] = 8;
	check(drx_read(radar, 3, lo, hi, NULL, DRX_INT16, column, sizeof column, (int64_t[]){2, 6, 2}));
	check(drx_bounds(radar, 3, lo, hi));
	printf("x from %lld to %lld; pixel 50,7: %d %d %d\n", (long long)lo[2], (long long)hi[2], column[50][0], column[50][1],
		column[50][2]);
	check(drx_close(radar));
	return 0;
}
