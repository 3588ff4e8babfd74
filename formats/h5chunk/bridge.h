#include <hdf5.h>

// drxc_filter is a filter that chunks pass: its number and its first parameters.
typedef struct {
	int id;
	unsigned values[8];
	size_t count; // of the parameters in values
} drxc_filter;

// drxc_dataset is an open dataset and how its chunks are stored.
typedef struct {
	hid_t file, id;
	int rank, size; // size of an element in bytes
	int big;        // whether the most significant byte is the first
	int filters;
	drxc_filter filter[H5Z_MAX_NFILTERS]; // in the order of encoding
	hsize_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
} drxc_dataset;

// drxc_open opens a dataset of any kind, of a file that is open already, with the flags of H5Fopen.
// It returns 0 if there is none.
int drxc_open(const char *path, const char *name, unsigned flags, drxc_dataset *d);

void drxc_close(drxc_dataset *d);

// drxc_describe returns whether the dataset has chunks, which are all stored alike, and its
// elements, integers if it is an enumeration of them, are of a type, but perhaps for the order of
// their bytes. It describes the dataset then.
int drxc_describe(drxc_dataset *d, hid_t elements);

// drxc_little returns the type of a dataset's numbers in memory, if that is little-endian,
// otherwise a negative number. The caller closes it.
hid_t drxc_little(hid_t dataset);

// drxc_stored returns the bytes that the chunk at an offset has in the file: 0 if there is no such
// chunk, negative for an error.
long long drxc_stored(const drxc_dataset *d, const hsize_t *offset);

// drxc_read reads a chunk as it is stored, and which filters it has not passed: a bit each. It
// returns 0 if there is no such chunk in the file.
int drxc_read(const drxc_dataset *d, const hsize_t *offset, void *to, unsigned *left_out);

// drxc_write writes the chunk at an offset as filters have encoded it, but for those left out. It
// returns 0 on errors.
int drxc_write(const drxc_dataset *d, const hsize_t *offset, const void *from, size_t bytes, unsigned left_out);

// drxc_fill returns the element, of a type, of which missing chunks consist. It is 0 on errors.
int drxc_fill(const drxc_dataset *d, hid_t elements, void *to);
