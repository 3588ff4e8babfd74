/* A copy into other chunks with HDF5, by a tuned loop over panels.
 *
 *     relayout_hdf5 SRC DST T0 T1 PANEL rows|columns
 *     relayout_hdf5 check DST
 *
 * It reads the dataset "a" of SRC in panels of PANEL bytes, whole rows or whole columns of the
 * array, and writes it to a new dataset in chunks of T0 x T1. It uses the latest file format, no
 * fill values, and no chunk cache, as unfiltered chunks then move directly between file and panel.
 * Columns are transposed in memory and written one by one: HDF5 takes a hundred times as long to
 * write them from the rows of the panel. The second form only reads the sample. */
#include "relayout.h"

#include <hdf5.h>

static hid_t set;
static hsize_t shape[2];

static hid_t ok(hid_t id) {
	if (id < 0) {
		H5Eprint2(H5E_DEFAULT, stderr);
		exit(1);
	}
	return id;
}

static hid_t latest(void) {
	hid_t p = ok(H5Pcreate(H5P_FILE_ACCESS));
	ok(H5Pset_libver_bounds(p, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
	return p;
}

static hid_t uncached(void) {
	hid_t p = ok(H5Pcreate(H5P_DATASET_ACCESS));
	ok(H5Pset_chunk_cache(p, 0, 0, 0.75));
	return p;
}

static hid_t open_set(const char *name) {
	hid_t file = ok(H5Fopen(name, H5F_ACC_RDONLY, latest()));
	set = ok(H5Dopen2(file, "a", uncached()));
	H5Sget_simple_extent_dims(ok(H5Dget_space(set)), shape, NULL);
	return file;
}

static double element(long y, long x) {
	double v;
	hsize_t at[2] = {y, x}, one = 1;
	hid_t space = ok(H5Dget_space(set)), memory = ok(H5Screate_simple(1, &one, NULL));
	ok(H5Sselect_elements(space, H5S_SELECT_SET, 1, at));
	ok(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &v));
	ok(H5Sclose(space)), ok(H5Sclose(memory));
	return v;
}

/* write_columns writes a panel of columns. */
static void write_columns(hid_t out, hid_t space, const double *panel, double *turned, const hsize_t *lo, const hsize_t *size) {
	enum { TILE = 16 };
	hsize_t at[2] = {lo[0], lo[1]}, one[2] = {size[0], 1};
	hid_t memory = ok(H5Screate_simple(1, size, NULL));
	for (hsize_t x0 = 0; x0 < size[1]; x0 += TILE)
		for (hsize_t y0 = 0; y0 < size[0]; y0 += TILE)
			for (hsize_t x = x0; x < x0 + TILE && x < size[1]; x++)
				for (hsize_t y = y0; y < y0 + TILE && y < size[0]; y++) turned[x * size[0] + y] = panel[y * size[1] + x];
	for (hsize_t x = 0; x < size[1]; x++) {
		at[1] = lo[1] + x;
		ok(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL));
		ok(H5Dwrite(out, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, turned + x * size[0]));
	}
	ok(H5Sclose(memory));
}

static void copy(const char *from, const char *to, hsize_t *chunk, long bytes, int dim) {
	open_set(from);
	hid_t in = set, layout = ok(H5Pcreate(H5P_DATASET_CREATE)), space = ok(H5Screate_simple(2, shape, NULL));
	long line = 8 * shape[1 - dim], step = bytes / line;
	step = step < (long)chunk[dim] ? (long)chunk[dim] : step / (long)chunk[dim] * (long)chunk[dim];
	if (step > (long)shape[dim]) step = shape[dim];
	double *panel = grab(step * line), *turned = dim == 1 ? grab(step * line) : NULL;
	touch_memory(8 * shape[0] * shape[1]);
	begin();
	ok(H5Pset_chunk(layout, 2, chunk));
	ok(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER));
	hid_t file = ok(H5Fcreate(to, H5F_ACC_TRUNC, H5P_DEFAULT, latest()));
	hid_t out = ok(H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, layout, uncached()));
	hsize_t lo[2] = {0, 0}, size[2] = {shape[0], shape[1]};
	for (; lo[dim] < shape[dim]; lo[dim] += step) {
		size[dim] = lo[dim] + step < shape[dim] ? (hsize_t)step : shape[dim] - lo[dim];
		hid_t memory = ok(H5Screate_simple(2, size, NULL));
		ok(H5Sselect_hyperslab(space, H5S_SELECT_SET, lo, NULL, size, NULL));
		ok(H5Dread(in, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, panel));
		if (turned) write_columns(out, space, panel, turned, lo, size);
		else ok(H5Dwrite(out, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, panel));
		ok(H5Sclose(memory));
	}
	ok(H5Dclose(out)), ok(H5Fclose(file));
	end();
}

int main(int argc, char **argv) {
	if (argc == 7) {
		hsize_t chunk[2] = {atol(argv[3]), atol(argv[4])};
		copy(argv[1], argv[2], chunk, atol(argv[5]), !strcmp(argv[6], "columns"));
	} else if (argc != 3)
		die("arguments");
	open_set(argv[2]);
	answer(shape[0], shape[1], element);
	return 0;
}
