// Package lock has one mutex for each library that several bridges call, or that several variables
// of a file share, and that only one goroutine may use at a time.
package lock

import "sync"

// HDF5 is held during every call of libhdf5, and of the libraries that call it themselves:
// libnetcdf, GDAL and libmatio.
var HDF5 sync.Mutex

// Parquet is held while the columns of a table are read or written, which share their file.
var Parquet sync.Mutex
