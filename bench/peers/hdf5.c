/* The peer HDF5: one chunked dataset of doubles named "a".
 *
 * Options, sent with every request:
 *   cache=default   the library's chunk cache of 1 MiB
 *   cache=none      no chunk cache: the library reads and writes parts of unfiltered chunks in place
 *   cache=BYTES     a chunk cache of so many bytes, with a hundred slots per chunk
 *   format=default  the oldest sufficient file format, fill values written by the library's default
 *   format=latest   the latest file format, no fill values: all workloads write what they read
 *   batch=1         gather and scatter by one selection of points, otherwise element by element
 * Arrays that do not grow have fixed bounds, for which HDF5 has a faster chunk index. */
#include "peer.h"

#include <hdf5.h>
#include <string.h>
#include <unistd.h>

static hid_t file = -1, set = -1, space = -1, memory = -1;
static long memory_size[MAX_RANK];

static hid_t ok(hid_t id) {
	if (id < 0) {
		H5Eprint2(H5E_DEFAULT, stderr);
		die("hdf5: a call failed");
	}
	return id;
}

static bool latest(void) { return !strcmp(arg("format", "default"), "latest"); }

static hid_t file_access(bool in_memory) {
	hid_t p = ok(H5Pcreate(H5P_FILE_ACCESS));
	if (latest()) ok(H5Pset_libver_bounds(p, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
	if (in_memory) ok(H5Pset_fapl_core(p, 64 << 20, 0));
	return p;
}

/* chunk_access sizes the chunk cache; slots should be a prime of about 100 per chunk. */
static hid_t chunk_access(void) {
	hid_t p = ok(H5Pcreate(H5P_DATASET_ACCESS));
	const char *cache = arg("cache", "default");
	if (!strcmp(cache, "none")) ok(H5Pset_chunk_cache(p, 0, 0, 0.75));
	else if (strcmp(cache, "default")) ok(H5Pset_chunk_cache(p, 100003, number("cache", 0), 0.75));
	return p;
}

/* bounds gets the shape of the dataset and a dataspace for selections. */
static void bounds(void) {
	hsize_t dims[MAX_RANK];
	if (space >= 0) ok(H5Sclose(space));
	space = ok(H5Dget_space(set));
	rank = H5Sget_simple_extent_dims(space, dims, NULL);
	for (int d = 0; d < rank; d++) shape[d] = dims[d];
}

void store_create(const spec *s) {
	hsize_t dims[MAX_RANK], most[MAX_RANK], chunk[MAX_RANK];
	for (int d = 0; d < s->rank; d++) {
		dims[d] = s->shape[d], chunk[d] = s->chunk[d];
		most[d] = s->grows ? H5S_UNLIMITED : dims[d];
	}
	hid_t access = file_access(s->memory), layout = ok(H5Pcreate(H5P_DATASET_CREATE)), cache = chunk_access();
	ok(H5Pset_chunk(layout, s->rank, chunk));
	if (latest()) ok(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER));
	file = ok(H5Fcreate(s->path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
	hid_t extents = ok(H5Screate_simple(s->rank, dims, most));
	set = ok(H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, extents, H5P_DEFAULT, layout, cache));
	ok(H5Sclose(extents)), ok(H5Pclose(access)), ok(H5Pclose(layout)), ok(H5Pclose(cache));
	bounds();
}

void store_open(const char *path, bool write) {
	hid_t access = file_access(false), cache = chunk_access();
	file = ok(H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access));
	set = ok(H5Dopen2(file, "a", cache));
	ok(H5Pclose(access)), ok(H5Pclose(cache));
	bounds();
}

void store_close(void) {
	if (memory >= 0) ok(H5Sclose(memory));
	ok(H5Sclose(space)), ok(H5Dclose(set)), ok(H5Fclose(file));
	memory = space = set = file = -1;
}

void store_extend(int dim, long by) {
	hsize_t dims[MAX_RANK];
	for (int d = 0; d < rank; d++) dims[d] = shape[d] + (d == dim ? by : 0);
	ok(H5Dset_extent(set, dims));
	bounds();
}

/* select_box selects the box in the file. It keeps the dataspace of the dense buffer for the next
 * box of this size. */
static void select_box(const box *b) {
	hsize_t lo[MAX_RANK], size[MAX_RANK];
	for (int d = 0; d < rank; d++) lo[d] = b->lo[d], size[d] = b->size[d];
	ok(H5Sselect_hyperslab(space, H5S_SELECT_SET, lo, NULL, size, NULL));
	if (memory >= 0 && !memcmp(memory_size, b->size, rank * sizeof *memory_size)) return;
	if (memory >= 0) ok(H5Sclose(memory));
	memory = ok(H5Screate_simple(rank, size, NULL));
	memcpy(memory_size, b->size, sizeof memory_size);
}

void store_read(const box *b, double *buf) {
	select_box(b);
	ok(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, buf));
}

void store_read_transposed(const box *b, double *buf) { read_then_transpose(b, buf); }

void store_write(const box *b, const double *buf) {
	select_box(b);
	ok(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, buf));
}

/* select_points selects n points in the file and returns a buffer for them. */
static hid_t select_points(long n, const long *at) {
	_Static_assert(sizeof(long) == sizeof(hsize_t), "indices are passed on as they are");
	hsize_t len = n;
	ok(H5Sselect_elements(space, H5S_SELECT_SET, n, (const hsize_t *)at));
	return ok(H5Screate_simple(1, &len, NULL));
}

void store_gather(long n, const long *at, double *buf) {
	if (!number("batch", 0)) {
		gather_one_by_one(n, at, buf);
		return;
	}
	hid_t points = select_points(n, at);
	ok(H5Dread(set, H5T_NATIVE_DOUBLE, points, space, H5P_DEFAULT, buf));
	ok(H5Sclose(points));
}

void store_scatter(long n, const long *at, const double *buf) {
	if (!number("batch", 0)) {
		scatter_one_by_one(n, at, buf);
		return;
	}
	hid_t points = select_points(n, at);
	ok(H5Dwrite(set, H5T_NATIVE_DOUBLE, points, space, H5P_DEFAULT, buf));
	ok(H5Sclose(points));
}

void store_sync(bool durable) {
	void *fd;
	ok(H5Fflush(file, H5F_SCOPE_GLOBAL));
	if (!durable || number("memory", 0)) return;
	ok(H5Fget_vfd_handle(file, H5P_DEFAULT, &fd));
	if (fsync(*(int *)fd)) die("hdf5: fsync failed");
}
