/* xta.c - the mapping of datasets of HDF5 and variables of NetCDF to arrays and back. The argument
 * is the file of drx-bridge. */
#include <unistd.h>

#include "check.h"

/* grow extends an array of 2 x 3 elements along both dimensions and writes the new ones. */
static void grow(drx_array a)
{
	int64_t lo[2], hi[2];
	int16_t row[3] = {6, 7, 8}, column[3] = {-1, -2, -3};

	OK(drx_extend(a, 0, 1, DRX_HIGH, 2, lo, hi));
	OK(drx_write(a, 2, lo, hi, NULL, DRX_INT16, row, sizeof row, NULL));
	OK(drx_extend(a, 1, 1, DRX_LOW, 2, lo, hi));
	OK(drx_write(a, 2, lo, hi, NULL, DRX_INT16, column, sizeof column, NULL));
}

static void same(drx_array a)
{
	static const int16_t want[12] = {-1, 0, 1, 2, -2, 3, 4, 5, -3, 6, 7, 8};
	int16_t values[12];
	char *units;

	OK(drx_read(a, 2, NULL, NULL, NULL, DRX_INT16, values, sizeof values, NULL));
	CHECK(memcmp(values, want, sizeof want) == 0);
	OK(drx_attr_text(a, "units", &units));
	CHECK(strcmp(units, "mm") == 0);
	drx_free(units);
}

static void round_trip(int (*map)(const char *, const char *, const char *, drx_array *), int (*put)(drx_array, const char *, const char *),
	const char *variable, const char *first, const char *second)
{
	int64_t shape[] = {2, 3};
	int16_t values[6] = {0, 1, 2, 3, 4, 5};
	drx_array a;

	OK(drx_create("a", DRX_INT16, 2, shape, "{\"dims\": [\"y\", \"x\"], \"attrs\": {\"units\": \"mm\"}}", &a));
	OK(drx_write(a, 2, NULL, NULL, NULL, DRX_INT16, values, sizeof values, NULL));
	OK(put(a, first, variable)); /* commits */
	OK(drx_discard(a));
	OK(map(first, variable, "b", &a));
	grow(a);
	same(a);
	OK(put(a, second, variable));
	WANT(DRX_EEXIST, put(a, second, variable));
	OK(drx_close(a));
	OK(map(second, variable, "c", &a));
	same(a);
	OK(drx_close(a));
	WANT(DRX_EEXIST, map(second, variable, "c", &a));
	CHECK(a == 0);
	WANT(DRX_EINVAL, map(second, "none", "d", &a));
	SAYS("no such variable");
	OK(drx_remove("a"));
	OK(drx_remove("b"));
	OK(drx_remove("c"));
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	if (!getenv("DRX_BRIDGE")) { /* the library has the variables with which the program began */
		CHECK(setenv("DRX_BRIDGE", argv[1], 1) == 0);
		CHECK(execv("/proc/self/exe", argv) == 0);
	}
	round_trip(xtaHDFmap, xtaHDFwrite, "group/data", "a.h5", "b.h5");
	round_trip(xtaNetCDFmap, xtaNetCDFwrite, "data", "a.nc", "b.nc");
	printf("good\n");
	return 0;
}
