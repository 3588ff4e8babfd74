/* The peer NetCDF-4: one variable of doubles named "a", chunked, without fill values.
 *
 * Options, sent with every request: cache=default, none or BYTES, as for HDF5. Dimensions that may
 * grow are unlimited. They grow by a write beyond the end, which is the only way in NetCDF. */
#include "peer.h"

#include <fcntl.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int file, var;
static char file_path[4096];

static void ok(int status) {
	if (status != NC_NOERR) die("netcdf: %s", nc_strerror(status));
}

static void set_cache(void) {
	const char *cache = arg("cache", "default");
	if (!strcmp(cache, "none")) ok(nc_set_var_chunk_cache(file, var, 0, 0, 0.75f));
	else if (strcmp(cache, "default")) ok(nc_set_var_chunk_cache(file, var, number("cache", 0), 100003, 0.75f));
}

void store_create(const spec *s) {
	size_t chunk[MAX_RANK];
	int dims[MAX_RANK];
	snprintf(file_path, sizeof file_path, "%s", s->path);
	ok(nc_create(s->path, NC_NETCDF4 | NC_CLOBBER | (s->memory ? NC_DISKLESS : 0), &file));
	for (int d = 0; d < s->rank; d++) {
		char name[8];
		snprintf(name, sizeof name, "d%d", d);
		ok(nc_def_dim(file, name, s->grows ? NC_UNLIMITED : (size_t)s->shape[d], &dims[d]));
		chunk[d] = s->chunk[d];
	}
	ok(nc_def_var(file, "a", NC_DOUBLE, s->rank, dims, &var));
	ok(nc_def_var_chunking(file, var, NC_CHUNKED, chunk));
	ok(nc_def_var_fill(file, var, NC_NOFILL, NULL));
	set_cache();
	ok(nc_enddef(file));
}

void store_open(const char *path, bool write) {
	int dims[MAX_RANK];
	snprintf(file_path, sizeof file_path, "%s", path);
	ok(nc_open(path, write ? NC_WRITE : NC_NOWRITE, &file));
	ok(nc_inq_varid(file, "a", &var));
	set_cache();
	ok(nc_inq_varndims(file, var, &rank));
	ok(nc_inq_vardimid(file, var, dims));
	for (int d = 0; d < rank; d++) {
		size_t extent;
		ok(nc_inq_dimlen(file, dims[d], &extent));
		shape[d] = extent;
	}
}

void store_close(void) { ok(nc_close(file)); }

void store_extend(int dim, long by) {
	if (!strcmp(arg("write", "1"), "0")) refuse("netcdf grows by writing only");
	shape[dim] += by;
}

static void bounds(const box *b, size_t *lo, size_t *size) {
	for (int d = 0; d < rank; d++) lo[d] = b->lo[d], size[d] = b->size[d];
}

void store_read(const box *b, double *buf) {
	size_t lo[MAX_RANK], size[MAX_RANK];
	bounds(b, lo, size);
	ok(nc_get_vara_double(file, var, lo, size, buf));
}

void store_read_transposed(const box *b, double *buf) { read_then_transpose(b, buf); }

void store_write(const box *b, const double *buf) {
	size_t lo[MAX_RANK], size[MAX_RANK];
	bounds(b, lo, size);
	ok(nc_put_vara_double(file, var, lo, size, buf));
}

void store_gather(long n, const long *at, double *buf) { gather_one_by_one(n, at, buf); }

void store_scatter(long n, const long *at, const double *buf) { scatter_one_by_one(n, at, buf); }

void store_sync(bool durable) {
	ok(nc_sync(file));
	if (!durable || number("memory", 0)) return;
	int fd = open(file_path, O_RDWR);
	if (fd < 0 || fsync(fd) || close(fd)) die("netcdf: fsync failed");
}
