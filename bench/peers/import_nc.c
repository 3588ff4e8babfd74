/* The NetCDF-4 files of the experiment import.
 *
 *     import_nc make FILE TIMES LAT LON
 *     import_nc check FILE
 *
 * The first form makes a file as weather archives have them: two variables of float32 and one of
 * int16, (time, lat, lon), in chunks of up to 8 x 181 x 360 elements. t2m is not compressed; msl
 * and tp are, by shuffle and deflate 4. Values are smooth, with some bits of noise, so that deflate
 * reduces them to about a third. The second form prints "0 0 check": a sum over the same rows of
 * every variable, whatever the chunks. */
#include "relayout.h"

#include <netcdf.h>

enum { VARS = 3, ROWS = 64 };

static const char *const names[VARS] = {"t2m", "msl", "tp"};

static void ok(int status) {
	if (status == NC_NOERR) return;
	fprintf(stderr, "netcdf: %s\n", nc_strerror(status));
	exit(1);
}

/* define defines dimensions, coordinates and variables. */
static void define(int file, const size_t *shape, int *vars) {
	static const char *const dims[] = {"time", "lat", "lon"};
	int dim[3], coordinate[3];
	size_t chunk[3] = {8, 181, 360};
	for (int d = 0; d < 3; d++) {
		ok(nc_def_dim(file, dims[d], shape[d], &dim[d]));
		ok(nc_def_var(file, dims[d], NC_DOUBLE, 1, &dim[d], &coordinate[d]));
		if (chunk[d] > shape[d]) chunk[d] = shape[d];
	}
	ok(nc_put_att_text(file, coordinate[0], "units", 22, "hours since 2020-01-01"));
	for (int v = 0; v < VARS; v++) {
		ok(nc_def_var(file, names[v], v < 2 ? NC_FLOAT : NC_SHORT, 3, dim, &vars[v]));
		ok(nc_def_var_chunking(file, vars[v], NC_CHUNKED, chunk));
		if (v > 0) ok(nc_def_var_deflate(file, vars[v], 1, 1, 4));
		ok(nc_set_var_chunk_cache(file, vars[v], 64 << 20, 1009, 1));
	}
	ok(nc_enddef(file));
	for (int d = 0; d < 3; d++)
		for (size_t i = 0; i < shape[d]; i++) {
			double at = i;
			ok(nc_put_var1_double(file, coordinate[d], &i, &at));
		}
}

/* fill sets the values of one time: a wave that moves eastwards, a gradient and noise of four
 * bits. */
static void fill(short *out, size_t t, size_t lat, size_t lon, int v) {
	uint64_t random = mix(v + 1, t, 0) | 1;
	for (size_t y = 0; y < lat; y++)
		for (size_t x = 0; x < lon; x++) {
			long phase = (long)((x + 3 * t + y / 2) % lon), half = (long)lon / 2;
			long wave = phase * (half * 2 - phase) * 4000 / (half * half + 1);
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			*out++ = (short)(wave + (long)(y * 8000 / lat) + (long)(random >> 60));
		}
}

static void make(const char *path, const size_t *shape) {
	int file, vars[VARS];
	size_t n = shape[1] * shape[2], steps = 8;
	short *values = grab(steps * n * sizeof *values);
	float *floats = grab(steps * n * sizeof *floats);
	ok(nc_create(path, NC_NETCDF4 | NC_NOCLOBBER, &file));
	define(file, shape, vars);
	for (size_t t = 0; t < shape[0]; t += steps) {
		size_t at[] = {t, 0, 0}, size[] = {shape[0] - t < steps ? shape[0] - t : steps, shape[1], shape[2]};
		for (int v = 0; v < VARS; v++) {
			for (size_t i = 0; i < size[0]; i++) fill(values + i * n, t + i, shape[1], shape[2], v);
			for (size_t i = 0; i < size[0] * n; i++) floats[i] = 250 + values[i] / 64.0f;
			if (v < 2)
				ok(nc_put_vara_float(file, vars[v], at, size, floats));
			else
				ok(nc_put_vara_short(file, vars[v], at, size, values));
		}
	}
	ok(nc_close(file));
}

static void check(const char *path) {
	int file, var, dim[3];
	size_t shape[3];
	uint64_t sum = 0;
	ok(nc_open(path, NC_NOWRITE, &file));
	for (int v = 0; v < VARS; v++) {
		ok(nc_inq_varid(file, names[v], &var));
		ok(nc_inq_vardimid(file, var, dim));
		for (int d = 0; d < 3; d++) ok(nc_inq_dimlen(file, dim[d], &shape[d]));
		double *row = grab(shape[2] * sizeof *row);
		for (uint64_t i = 0; i < ROWS; i++) {
			size_t at[] = {mix(v, i, 0) % shape[0], mix(v, i, 1) % shape[1], 0}, size[] = {1, 1, shape[2]};
			ok(nc_get_vara_double(file, var, at, size, row));
			for (size_t x = 0; x < shape[2]; x++) sum += (uint64_t)(row[x] * 64) * (x % 1009 + 1);
		}
		free(row);
	}
	ok(nc_close(file));
	printf("0 0 %llu\n", (unsigned long long)sum);
}

int main(int argc, char **argv) {
	if (argc == 6 && !strcmp(argv[1], "make"))
		make(argv[2], (size_t[]){strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10)});
	else if (argc == 3 && !strcmp(argv[1], "check"))
		check(argv[2]);
	else
		die("import_nc make FILE TIMES LAT LON | import_nc check FILE");
	return 0;
}
