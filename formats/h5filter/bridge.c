//go:build (hdf5 || netcdf) && cgo

#include "bridge.h"
#include "_cgo_export.h"

// run is a filter of libhdf5, in Go. It replaces the buffer, and returns the bytes of the new one,
// or 0 on errors.
static size_t run(int id, unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *room, void **buf) {
	char why[512] = "";
	size_t size = 0;
	void *out = drxFilter(id, (flags & H5Z_FLAG_REVERSE) != 0, n, (unsigned *)values, bytes, *buf, &size, why, sizeof why);
	if (out == NULL) {
		H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_PLINE, H5E_CANTFILTER, "%s", why);
		return 0;
	}
	H5free_memory(*buf);
	*buf = out;
	*room = size;
	return size;
}

static size_t blosc(unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *room, void **buf) {
	return run(32001, flags, n, values, bytes, room, buf);
}

static size_t lz4(unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *room, void **buf) {
	return run(32004, flags, n, values, bytes, room, buf);
}

static size_t zstd(unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *room, void **buf) {
	return run(32015, flags, n, values, bytes, room, buf);
}

herr_t drxf_register(void) {
	const H5Z_class2_t classes[] = {
		{H5Z_CLASS_T_VERS, 32001, 1, 1, "blosc", NULL, NULL, blosc},
		{H5Z_CLASS_T_VERS, 32004, 1, 1, "lz4", NULL, NULL, lz4},
		{H5Z_CLASS_T_VERS, 32015, 1, 1, "zstd", NULL, NULL, zstd},
	};
	for (int i = 0; i < 3; i++)
		if (H5Zregister(&classes[i]) < 0)
			return -1;
	return 0;
}
