// Package transfer imports files of other formats into arrays and datasets, and exports these: the
// commands drx import and drx export as functions.
//
//	grow := transfer.ImportOptions{Append: "time"}
//	made, err := transfer.Import(ctx, "weather", grow, "jan.nc", "feb.nc")
//	day := transfer.WriteOptions{Sel: []string{"time=2024-01-28"}}
//	parts, err := transfer.Write(ctx, "weather", day, "day28.nc")
//	done, err := transfer.Export(ctx, "weather", "out.zarr", transfer.ExportOptions{Codec: "zstd"})
//
// NumPy files, pictures, tables and Zarr are read and written by the program itself. HDF5, NetCDF,
// FITS, MAT and the formats of GDAL need C libraries, which the program drx-bridge has: it is
// started when a file needs it, and found as UseHelper says. A program that imports
// drx/formats/hdf5 or another of these packages, with its build tag, has the library in its own
// process instead.
//
// The elements are streamed in parts: while one is read from the source, the one before is written,
// within ImportOptions.Memory. An import is committed now and then, so that one that was
// interrupted can be continued: how far it has come is kept in the attributes import.progress and
// import.sources until it is complete.
package transfer
