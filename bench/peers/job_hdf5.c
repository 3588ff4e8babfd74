/* Parallel HDF5 with the latest file format, collective metadata, data aligned to pages, and chunks
 * allocated at creation without fill values, as all of them are written.
 *
 *     layout=chunks      chunks as the request says
 *     layout=share       one chunk per process
 *     xfer=collective    H5FD_MPIO_COLLECTIVE, or
 *     xfer=independent   H5FD_MPIO_INDEPENDENT
 *     gzip=LEVEL         chunks are shuffled and deflated, and allocated when they are written
 *
 * An array that grows has an unlimited number of columns, and in requests with steps of rows. It is
 * not flushed after a round, as a flush would make it durable. */
#include "job.h"

#include <hdf5.h>

const bool store_extends = true;

static hid_t file, set, transfer;

static hid_t must(hid_t code, const char *what) {
	if (code < 0) die("hdf5: %s", what);
	return code;
}

static hid_t access_list(void) {
	hid_t list = must(H5Pcreate(H5P_FILE_ACCESS), "access list");
	must(H5Pset_fapl_mpio(list, group, MPI_INFO_NULL), "mpio");
	must(H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "format");
	must(H5Pset_all_coll_metadata_ops(list, true), "collective metadata");
	must(H5Pset_coll_metadata_write(list, true), "collective metadata");
	must(H5Pset_alignment(list, 65536, 4096), "alignment");
	return list;
}

static void set_transfer(void) {
	transfer = must(H5Pcreate(H5P_DATASET_XFER), "transfer list");
	must(H5Pset_dxpl_mpio(transfer, option("xfer", "collective") ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT), "transfer");
}

static hid_t create_list(void) {
	hid_t list = must(H5Pcreate(H5P_DATASET_CREATE), "create list");
	hsize_t edge[2];
	long grid[MAX_RANK];
	numbers("grid", grid);
	for (int d = 0; d < 2; d++) edge[d] = option("layout", "share") ? shape[d] / grid[d] : chunk[d];
	must(H5Pset_chunk(list, 2, edge), "chunks");
	long level = number("gzip", 0);
	if (level) must(H5Pset_shuffle(list), "shuffle"), must(H5Pset_deflate(list, level), "deflate");
	must(H5Pset_alloc_time(list, level ? H5D_ALLOC_TIME_INCR : H5D_ALLOC_TIME_EARLY), "allocation");
	must(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER), "fill");
	return list;
}

void store_create(const char *path, bool grows) {
	hid_t access = access_list(), create = create_list();
	hsize_t extents[2] = {shape[0], shape[1]}, most[2] = {*arg("steps", "") ? H5S_UNLIMITED : (hsize_t)shape[0], grows ? H5S_UNLIMITED : (hsize_t)shape[1]};
	hid_t space = must(H5Screate_simple(2, extents, most), "space");
	file = must(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access), "create");
	set = must(H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT), "create set");
	set_transfer();
	H5Sclose(space), H5Pclose(create), H5Pclose(access);
}

void store_open(const char *path, bool write) {
	hid_t access = access_list();
	file = must(H5Fopen(path, write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access), "open");
	set = must(H5Dopen2(file, "a", H5P_DEFAULT), "open set");
	set_transfer();
	H5Pclose(access);
}

void store_close(void) {
	H5Pclose(transfer);
	must(H5Dclose(set), "close set");
	must(H5Fclose(file), "close");
}

void store_extend(int dim, long by) {
	shape[dim] += by;
	must(H5Dset_extent(set, (hsize_t[2]){shape[0], shape[1]}), "extend");
}

/* spaces returns the dataspaces of the share in the file and in memory. */
static hid_t spaces(const part *p, hid_t *memory) {
	hsize_t lo[2], size[2];
	for (int d = 0; d < 2; d++) lo[d] = p->mine.lo[d], size[d] = p->mine.size[d];
	hid_t space = must(H5Dget_space(set), "space");
	must(H5Sselect_hyperslab(space, H5S_SELECT_SET, lo, NULL, size, NULL), "selection");
	*memory = must(H5Screate_simple(2, size, NULL), "memory space");
	return space;
}

void store_write(const part *p) {
	hid_t memory, space = spaces(p, &memory);
	must(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, p->data), "write");
	H5Sclose(space), H5Sclose(memory);
}

void store_read(part *p) {
	hid_t memory, space = spaces(p, &memory);
	must(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, transfer, p->data), "read");
	H5Sclose(space), H5Sclose(memory);
}
