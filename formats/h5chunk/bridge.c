//go:build (hdf5 || netcdf) && cgo

#include "bridge.h"

// open_again opens a file that is open. All who open a file must agree how its objects are closed,
// and libraries differ in what they do.
static hid_t open_again(const char *path, unsigned flags) {
	const H5F_close_degree_t degrees[] = {H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG};
	hid_t file = -1, access = H5Pcreate(H5P_FILE_ACCESS);
	for (int i = 0; i < 3 && file < 0; i++)
		if (H5Pset_fclose_degree(access, degrees[i]) >= 0)
			file = H5Fopen(path, flags, access);
	H5Pclose(access);
	return file;
}

// native returns whether the elements are numbers as the processor has them.
static int native(drxc_dataset *d) {
	hid_t type = H5Dget_type(d->id), memory = H5Tget_native_type(type, H5T_DIR_ASCEND);
	H5T_class_t class = H5Tget_class(type);
	int ok = (class == H5T_INTEGER || class == H5T_FLOAT) && memory >= 0 && H5Tequal(type, memory) > 0;
	d->size = (int)H5Tget_size(type);
	if (memory >= 0)
		H5Tclose(memory);
	if (type >= 0)
		H5Tclose(type);
	return ok;
}

// filters returns whether the chunks are stored as they are, or encoded by shuffle, deflate, or
// both in this order.
static int filters(drxc_dataset *d, hid_t plist) {
	int n = H5Pget_nfilters(plist);
	d->shuffle = d->deflate = 0;
	for (int i = 0; i < n; i++) {
		unsigned flags, values[8];
		size_t count = 8;
		H5Z_filter_t f = H5Pget_filter2(plist, i, &flags, &count, values, 0, NULL, NULL);
		if (f == H5Z_FILTER_SHUFFLE && i == 0 && count == 1 && values[0] == (unsigned)d->size)
			d->shuffle = 1;
		else if (f == H5Z_FILTER_DEFLATE && i == n - 1)
			d->deflate = 1;
		else
			return 0;
	}
	return n >= 0;
}

// frame_filter returns whether the chunks pass one filter, whose frames an array may have.
static int frame_filter(drxc_dataset *d, hid_t plist) {
	unsigned flags;
	d->count = sizeof d->values / sizeof *d->values;
	if (H5Pget_nfilters(plist) != 1)
		return 0;
	d->filter = H5Pget_filter2(plist, 0, &flags, &d->count, d->values, 0, NULL, NULL);
	return d->filter == 32001 || d->filter == 32004 || d->filter == 32015;
}

// chunked returns whether the dataset has chunks that are all stored alike, by filters that pass a
// test.
static int chunked(drxc_dataset *d, int (*test)(drxc_dataset *, hid_t)) {
	hid_t plist = H5Dget_create_plist(d->id), space = H5Dget_space(d->id);
	unsigned options = 0;
	int ok = H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk_opts(plist, &options) >= 0 && options == 0 && test(d, plist);
	d->rank = H5Sget_simple_extent_ndims(space);
	ok = ok && d->rank > 0 && H5Sget_simple_extent_dims(space, d->shape, NULL) == d->rank && H5Pget_chunk(plist, d->rank, d->chunk) == d->rank;
	if (space >= 0)
		H5Sclose(space);
	if (plist >= 0)
		H5Pclose(plist);
	return ok;
}

int drxc_open(const char *path, const char *name, drxc_dataset *d) {
	int ok = drxc_open_any(path, name, H5F_ACC_RDONLY, d) && native(d) && chunked(d, filters);
	if (!ok)
		drxc_close(d);
	H5Eclear2(H5E_DEFAULT);
	return ok;
}

int drxc_open_any(const char *path, const char *name, unsigned flags, drxc_dataset *d) {
	d->id = -1;
	if ((d->file = open_again(path, flags)) >= 0)
		d->id = H5Dopen2(d->file, name, H5P_DEFAULT);
	if (d->id < 0)
		drxc_close(d);
	H5Eclear2(H5E_DEFAULT);
	return d->id >= 0;
}

void drxc_close(drxc_dataset *d) {
	if (d->id >= 0)
		H5Dclose(d->id);
	if (d->file >= 0)
		H5Fclose(d->file);
	d->id = d->file = -1;
}

long long drxc_stored(const drxc_dataset *d, const hsize_t *offset) {
	hsize_t n = 0;
	return H5Dget_chunk_storage_size(d->id, offset, &n) < 0 ? -1 : (long long)n;
}

int drxc_read(const drxc_dataset *d, const hsize_t *offset, void *to) {
	unsigned left_out = 0;
	return H5Dread_chunk(d->id, H5P_DEFAULT, offset, &left_out, to) >= 0 && left_out == 0;
}

// integers_of returns the type of an enumeration's integers, or the type itself, and closes that of
// the enumeration.
static hid_t integers_of(hid_t type) {
	if (type < 0 || H5Tget_class(type) != H5T_ENUM)
		return type;
	hid_t of = H5Tget_super(type);
	H5Tclose(type);
	return of;
}

hid_t drxc_little(hid_t dataset) {
	hid_t type = integers_of(H5Dget_type(dataset)), memory = H5Tget_native_type(type, H5T_DIR_ASCEND);
	H5T_class_t class = H5Tget_class(type);
	if (memory >= 0 && ((class != H5T_INTEGER && class != H5T_FLOAT) || H5Tget_order(memory) != H5T_ORDER_LE)) {
		H5Tclose(memory);
		memory = -1;
	}
	if (type >= 0)
		H5Tclose(type);
	return memory;
}

int drxc_frames(drxc_dataset *d, hid_t memory) {
	hid_t type = integers_of(H5Dget_type(d->id)), elements = integers_of(H5Tcopy(memory));
	int ok = type >= 0 && elements >= 0 && H5Tequal(type, elements) > 0 && chunked(d, frame_filter);
	d->size = (int)H5Tget_size(type);
	if (type >= 0)
		H5Tclose(type);
	if (elements >= 0)
		H5Tclose(elements);
	return ok;
}

int drxc_write(const drxc_dataset *d, const hsize_t *offset, const void *from, size_t bytes) {
	return H5Dwrite_chunk(d->id, H5P_DEFAULT, 0, offset, bytes, from) >= 0;
}
