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

int drxc_open(const char *path, const char *name, unsigned flags, drxc_dataset *d) {
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

// close_type closes a type, unless it is none.
static void close_type(hid_t type) {
	if (type >= 0)
		H5Tclose(type);
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
	close_type(type);
	H5Eclear2(H5E_DEFAULT);
	return memory;
}

// elements describes the elements of a dataset, which are of a type in memory. It returns 0 if the
// library must convert them by more than the order of their bytes.
static int elements(drxc_dataset *d, hid_t memory) {
	hid_t type = integers_of(H5Dget_type(d->id)), of = integers_of(H5Tcopy(memory));
	int ok = type >= 0 && of >= 0;
	d->size = (int)H5Tget_size(type);
	d->big = ok && H5Tget_order(type) == H5T_ORDER_BE && H5Tget_order(of) == H5T_ORDER_LE && H5Tset_order(of, H5T_ORDER_BE) >= 0;
	ok = ok && H5Tequal(type, of) > 0;
	close_type(type);
	close_type(of);
	return ok;
}

// filters lists the filters of a dataset. It returns 0 if there are more than it has room for.
static int filters(drxc_dataset *d, hid_t plist) {
	d->filters = H5Pget_nfilters(plist);
	if (d->filters < 0 || d->filters > H5Z_MAX_NFILTERS)
		return 0;
	for (int i = 0; i < d->filters; i++) {
		drxc_filter *f = &d->filter[i];
		unsigned flags;
		f->count = sizeof f->values / sizeof *f->values;
		f->id = H5Pget_filter2(plist, i, &flags, &f->count, f->values, 0, NULL, NULL);
		if (f->id < 0)
			return 0;
	}
	return 1;
}

// chunks describes the chunks of a dataset. It returns 0 if it has none, or those at the edges are
// stored in another way than the others.
static int chunks(drxc_dataset *d) {
	hid_t plist = H5Dget_create_plist(d->id), space = H5Dget_space(d->id);
	unsigned options = 0;
	int ok = H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk_opts(plist, &options) >= 0 && options == 0 && filters(d, plist);
	d->rank = H5Sget_simple_extent_ndims(space);
	ok = ok && d->rank > 0 && H5Sget_simple_extent_dims(space, d->shape, NULL) == d->rank && H5Pget_chunk(plist, d->rank, d->chunk) == d->rank;
	if (space >= 0)
		H5Sclose(space);
	if (plist >= 0)
		H5Pclose(plist);
	return ok;
}

int drxc_describe(drxc_dataset *d, hid_t memory) {
	int ok = memory >= 0 && elements(d, memory) && chunks(d);
	H5Eclear2(H5E_DEFAULT);
	return ok;
}

long long drxc_stored(const drxc_dataset *d, const hsize_t *offset) {
	hsize_t n = 0;
	return H5Dget_chunk_storage_size(d->id, offset, &n) < 0 ? -1 : (long long)n;
}

int drxc_read(const drxc_dataset *d, const hsize_t *offset, void *to, unsigned *left_out) {
	return H5Dread_chunk(d->id, H5P_DEFAULT, offset, left_out, to) >= 0;
}

int drxc_write(const drxc_dataset *d, const hsize_t *offset, const void *from, size_t bytes, unsigned left_out) {
	return H5Dwrite_chunk(d->id, H5P_DEFAULT, left_out, offset, bytes, from) >= 0;
}

int drxc_fill(const drxc_dataset *d, hid_t elements, void *to) {
	hid_t plist = H5Dget_create_plist(d->id);
	H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
	int ok = H5Pfill_value_defined(plist, &defined) >= 0 && (defined == H5D_FILL_VALUE_UNDEFINED || H5Pget_fill_value(plist, elements, to) >= 0);
	if (plist >= 0)
		H5Pclose(plist);
	H5Eclear2(H5E_DEFAULT);
	return ok;
}
