#include <hdf5.h>

// drxf_register adds the filters to those of the library. Negative on errors.
herr_t drxf_register(void);
