// Package h5chunk reads and writes chunks of HDF5 datasets as they are stored, and decodes and
// encodes several at a time. libhdf5 does it one after the other. The bridges hdf5 and netcdf use
// it for whole chunks whose elements the library would convert in nothing but the order of their
// bytes, and which shuffle, fletcher32 and one of deflate, blosc, lz4 and zstd have encoded, or
// some of these. The library moves everything else: parts of chunks, which its cache serves,
// missing chunks, those with other filters, and those whose damage it can explain.
//
// Chunks that one of the filters of package h5filter has encoded, and no other, are [Frames], which
// an array may have as they are stored: they are read and written without being decoded.
//
// It is compiled with the build tag hdf5 or netcdf. Callers hold the mutex of libhdf5, see package
// lock.
package h5chunk
