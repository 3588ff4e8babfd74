// Package lock has one mutex for each C library that several bridges call and that only one
// goroutine may use at a time.
package lock

import "sync"

// HDF5 is held during every call of libhdf5, and of the libraries that call it themselves:
// libnetcdf, GDAL and libmatio.
var HDF5 sync.Mutex
