#include <hdf5.h>

// drxc_dataset is an open dataset and how its chunks are stored.
typedef struct {
	hid_t file, id;
	int rank, size, shuffle, deflate; // size of an element in bytes; whether there are these filters
	hsize_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK];
} drxc_dataset;

// drxc_open opens a dataset of an HDF5 file that is open already. It returns 0 if there is none, or none of the kind that is read here.
int drxc_open(const char *path, const char *name, drxc_dataset *d);

void drxc_close(drxc_dataset *d);

// drxc_stored returns the bytes that the chunk at an offset has in the file: 0 if there is no such chunk, negative for an error.
long long drxc_stored(const drxc_dataset *d, const hsize_t *offset);

// drxc_read reads a chunk as it is stored. It returns 0 if there is no such chunk in the file, or a filter was left out for it.
int drxc_read(const drxc_dataset *d, const hsize_t *offset, void *to);
