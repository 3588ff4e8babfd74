// The filter with which h5py's compression="lzf" encodes chunks.
#pragma once
#include <hdf5.h>

// drxh5_register_lzf adds the filter, for reading, to the filters of the library.
herr_t drxh5_register_lzf(void);
