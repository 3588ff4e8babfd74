//go:build hdf5 && cgo

#include "lzf.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LZF = 32000 }; // its number in the registry of the HDF Group

// decode writes what the n bytes at in encode to out, which has room for size bytes; with out NULL
// it only counts. It returns the number of bytes, or SIZE_MAX if they are damaged or do not fit.
//
// A byte c below 32 is followed by c + 1 bytes that stand for themselves. Other bytes repeat what
// came before: the upper three bits are the length less 2, with another byte to add if all are set;
// the lower five and the next byte are the distance less 1, the high bits first.
static size_t decode(const uint8_t *in, size_t n, uint8_t *out, size_t size) {
	size_t at = 0;
	for (const uint8_t *end = in + n; in < end;) {
		size_t c = *in++, length = c >> 5;
		if (length == 0) {
			length = c + 1;
			if (length > (size_t)(end - in) || length > size - at)
				return SIZE_MAX;
			if (out != NULL)
				memcpy(out + at, in, length);
			in += length;
			at += length;
			continue;
		}
		if (length == 7) {
			if (in == end)
				return SIZE_MAX;
			length += *in++;
		}
		length += 2;
		if (in == end)
			return SIZE_MAX;
		size_t distance = ((c & 31) << 8 | *in++) + 1;
		if (distance > at || length > size - at)
			return SIZE_MAX;
		for (; out != NULL && length > 0; length--, at++) // it may overlap what it makes
			out[at] = out[at - distance];
		at += length;
	}
	return at;
}

static size_t filter(unsigned flags, size_t n, const unsigned *values, size_t bytes, size_t *room, void **buf) {
	if (!(flags & H5Z_FLAG_REVERSE))
		return 0;
	size_t size = decode(*buf, bytes, NULL, SIZE_MAX - 1);
	if (size == SIZE_MAX || size == 0 || (n > 2 && size < values[2])) // h5py stores the size of a chunk there
		return 0;
	uint8_t *out = malloc(size);
	if (out == NULL)
		return 0;
	decode(*buf, bytes, out, size);
	free(*buf);
	*buf = out;
	*room = size;
	return size;
}

herr_t drxh5_register_lzf(void) {
	const H5Z_class2_t class = {H5Z_CLASS_T_VERS, LZF, 0, 1, "lzf", NULL, NULL, filter};
	return H5Zregister(&class);
}
