#include <hdf5.h>

// drxc_dataset is an open dataset and how its chunks are stored.
typedef struct {
	hid_t file, id;
	int rank, size, shuffle, deflate; // size of an element in bytes; whether there are these filters
	int filter;                       // the only one, of drxc_frames
	unsigned values[8];               // its parameters
	size_t count;                     // how many there are
	hsize_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
} drxc_dataset;

// drxc_open opens a dataset of an HDF5 file that is open already. It returns 0 if there is none, or
// none of the kind that is read here.
int drxc_open(const char *path, const char *name, drxc_dataset *d);

void drxc_close(drxc_dataset *d);

// drxc_stored returns the bytes that the chunk at an offset has in the file: 0 if there is no such
// chunk, negative for an error.
long long drxc_stored(const drxc_dataset *d, const hsize_t *offset);

// drxc_read reads a chunk as it is stored. It returns 0 if there is no such chunk in the file, or a
// filter was left out for it.
int drxc_read(const drxc_dataset *d, const hsize_t *offset, void *to);

// drxc_open_any opens a dataset of any kind, of a file that is open already, with the flags of
// H5Fopen. It returns 0 if there is none.
int drxc_open_any(const char *path, const char *name, unsigned flags, drxc_dataset *d);

// drxc_little returns the type in memory of a dataset of numbers that are little-endian, as the
// processor has them, or a negative number. The caller closes it.
hid_t drxc_little(hid_t dataset);

// drxc_frames returns whether the chunks of a dataset pass one filter, which is blosc, lz4 or zstd,
// and its elements, integers if it is an enumeration of them, are of the given type.
int drxc_frames(drxc_dataset *d, hid_t memory);

// drxc_write writes the chunk at an offset as a filter has encoded it. It returns 0 on errors.
int drxc_write(const drxc_dataset *d, const hsize_t *offset, const void *from, size_t bytes);
