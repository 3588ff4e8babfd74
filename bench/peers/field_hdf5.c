/* The peer HDF5 that compresses: one chunked dataset "a" with the latest file format, fixed bounds,
 * and a chunk cache of 64 MiB, which is what DRX has by default.
 *
 *   codec=gzip:LEVEL:shuffle          HDF5's own filters shuffle and deflate
 *   codec=blosc:NAME:LEVEL:shuffle    the filter 32001, a plugin (Debian:
 * hdf5-filter-plugin-blosc-serial) */
#include "field.h"

#include <hdf5.h>
#include <string.h>

enum { BLOSC = 32001 };

static hid_t file = -1, set = -1;

static hid_t ok(hid_t id) {
	if (id < 0) {
		H5Eprint2(H5E_DEFAULT, stderr);
		die("hdf5: a call failed");
	}
	return id;
}

static hid_t cache_of_64MiB(void) {
	hid_t p = ok(H5Pcreate(H5P_DATASET_ACCESS));
	ok(H5Pset_chunk_cache(p, 100003, 64 << 20, 0.75));
	return p;
}

static hid_t type_of(const field *f) {
	if (f->kind == 'f') return f->element == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
	if (f->element == 1) return f->kind == 'u' ? H5T_NATIVE_UINT8 : H5T_NATIVE_INT8;
	return f->kind == 'u' ? H5T_NATIVE_UINT16 : H5T_NATIVE_INT16;
}

static void set_filters(hid_t layout, const field *f) {
	if (f->gzip) {
		if (f->shuffle) ok(H5Pset_shuffle(layout));
		ok(H5Pset_deflate(layout, f->level));
	}
	if (!f->blosc) return;
	if (H5Zfilter_avail(BLOSC) <= 0) refuse("blosc");
	const char *names[] = {"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
	unsigned options[7] = {0, 0, 0, 0, f->level, f->shuffle, 0};
	while (options[6] < 5 && strcmp(names[options[6]], f->codec)) options[6]++;
	ok(H5Pset_filter(layout, BLOSC, H5Z_FLAG_MANDATORY, 7, options));
}

void field_store(const char *path, const field *f) {
	hsize_t dims[MAX_RANK], chunk[MAX_RANK];
	for (int d = 0; d < rank; d++) dims[d] = shape[d], chunk[d] = f->chunk[d];
	hid_t access = ok(H5Pcreate(H5P_FILE_ACCESS)), layout = ok(H5Pcreate(H5P_DATASET_CREATE));
	ok(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
	ok(H5Pset_chunk(layout, rank, chunk));
	ok(H5Pset_fill_time(layout, H5D_FILL_TIME_NEVER));
	set_filters(layout, f);
	hid_t cache = cache_of_64MiB(), to = ok(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access));
	hid_t space = ok(H5Screate_simple(rank, dims, NULL));
	hid_t a = ok(H5Dcreate2(to, "a", type_of(f), space, H5P_DEFAULT, layout, cache));
	ok(H5Dwrite(a, type_of(f), H5S_ALL, H5S_ALL, H5P_DEFAULT, f->bytes));
	ok(H5Sclose(space)), ok(H5Pclose(access)), ok(H5Pclose(layout)), ok(H5Pclose(cache));
	ok(H5Dclose(a)), ok(H5Fclose(to));
}

void field_open(const char *path) {
	hsize_t dims[MAX_RANK];
	field_close();
	file = ok(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
	hid_t cache = cache_of_64MiB();
	set = ok(H5Dopen2(file, "a", cache));
	ok(H5Pclose(cache));
	hid_t space = ok(H5Dget_space(set));
	rank = H5Sget_simple_extent_dims(space, dims, NULL);
	for (int d = 0; d < rank; d++) shape[d] = dims[d];
	ok(H5Sclose(space));
}

void field_close(void) {
	if (file < 0) return;
	ok(H5Dclose(set)), ok(H5Fclose(file));
	file = set = -1;
}

int field_element(void) {
	if (file < 0) die("no array is open");
	hid_t type = ok(H5Dget_type(set));
	int n = H5Tget_size(type);
	ok(H5Tclose(type));
	return n;
}

void field_read(const box *b, char *buf) {
	static hid_t space = -1, memory = -1, type = -1, of = -1;
	static box last;
	hsize_t lo[MAX_RANK], size[MAX_RANK];
	if (of != set || memcmp(last.size, b->size, sizeof last.size)) { /* the dataspaces are kept for the next box */
		if (space >= 0) ok(H5Sclose(space)), ok(H5Sclose(memory)), ok(H5Tclose(type));
		for (int d = 0; d < rank; d++) size[d] = b->size[d];
		space = ok(H5Dget_space(set)), memory = ok(H5Screate_simple(rank, size, NULL)), type = ok(H5Dget_type(set));
		of = set, last = *b;
	}
	for (int d = 0; d < rank; d++) lo[d] = b->lo[d], size[d] = b->size[d];
	ok(H5Sselect_hyperslab(space, H5S_SELECT_SET, lo, NULL, size, NULL));
	ok(H5Dread(set, type, memory, space, H5P_DEFAULT, buf));
}

uint64_t field_stored(void) { return H5Dget_storage_size(set); }
