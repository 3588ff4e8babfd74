#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdlib.h>

// drxnc_quiet keeps libhdf5 from printing its errors. It does so per thread.
void drxnc_quiet(void);

// drxnc_within returns 1 if the elements of a dataset are in the HDF5 file at path, 0 if they are
// in another file, and a negative number if there is no such dataset.
int drxnc_within(const char *path, const char *dataset);

// drxnc_link returns 1 if the HDF5 file at path has a link to another file, and the name of the
// first one, 0 if it has none, and a negative number if the file cannot be read.
int drxnc_link(const char *path, char *name, size_t size);
