// Package h5filter gives libhdf5 the filters blosc (32001), lz4 (32004) and zstd (32015), as The
// HDF Group has registered them, by package codec: files with them are read and written where
// their plugins are not installed. They replace plugins that are, because those have no limit:
// decoding a stored chunk takes no more memory here than the chunk has, see [Expect].
//
// It is compiled with the build tag hdf5 or netcdf. Callers hold the mutex of libhdf5, see package
// lock.
package h5filter
