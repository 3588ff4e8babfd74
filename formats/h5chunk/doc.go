// Package h5chunk reads chunks of HDF5 datasets as they are stored, and decodes several at a time.
// libhdf5 decodes them one after the other. The bridges hdf5 and netcdf use it for the datasets
// that most files have: numbers as the processor has them, in chunks that deflate and shuffle have
// encoded, or nothing. Everything else goes through their library.
//
// Chunks that one of the filters of package h5filter has encoded, and no other, are [Frames], which
// an array may have as they are stored: they are read and written without being decoded.
//
// It is compiled with the build tag hdf5 or netcdf. Callers hold the mutex of libhdf5, see package
// lock.
package h5chunk
