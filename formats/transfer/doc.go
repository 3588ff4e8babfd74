// Package transfer imports files of other formats into arrays and datasets, and exports these: the
// commands drx import and drx export as functions.
//
//	grow := transfer.ImportOptions{Append: "time"}
//	made, err := transfer.Import(ctx, "weather", grow, "jan.nc", "feb.nc")
//	day := transfer.WriteOptions{Sel: []string{"time=2024-01-28"}}
//	parts, err := transfer.Write(ctx, "weather", day, "day28.nc")
//	o := transfer.ExportOptions{Codec: "zstd"}
//	done, err := transfer.Export(ctx, "weather", "out.zarr", o)
//
// NumPy files, pictures, tables and Zarr are read and written by the program itself. HDF5, NetCDF,
// FITS, MAT and the formats of GDAL need C libraries, which are linked into the program drx-bridge.
// It is started when a file needs it, and found as UseHelper describes. A program that imports
// drx/formats/hdf5 or another of these packages, with its build tag, has the library in its own
// process instead.
//
// Elements are streamed in boxes within ImportOptions.Memory: while one box is read from the
// source, the previous one is written. An import commits every 256 MiB and after each file that is
// appended, together with its progress, so that it can be continued after an interruption. The
// progress is in the attributes import.progress and import.sources until the import is complete.
//
// # Words
//
// Comments call the array or dataset that an import writes DST, and the one that an export reads
// SRC, as the command line does. An array by itself and a dataset share the code: a target is
// either of them, open for writing, and an existing is the description of either without its
// elements. A slice is a variable, or the file with it, that lacks the dimension along which DST
// grows and adds one index to it (sliceDim). A frame is a compressed chunk
// (formats.FrameReader). An error calls an option by its name in JSON, see package optionerr.
//
// # Files
//
//	import_run.go              Import: checks the options; makes DST, or appends to it
//	import_file.go             what is in a file, and its elements
//	import_plan*.go            what becomes of it: decisions alone, without reading or writing
//	import_cover.go            where it goes with the option Widen
//	import_compare.go          compares coordinates with those of DST; labels.go, auxiliary.go and
//	                           grid_mapping.go compare what else says where elements lie, and
//	                           import_sequence.go whether a coordinate goes on
//	import_create.go           makes DST; import_append.go lets it grow
//	import_copy.go             copies elements
//	import_progress.go         how far an import has come
//	export_run.go              Export; the others of export_ are its steps
//	arrayfile.go               arrays of DRX as files to be imported; see also import_arrays.go
//	alignment.go, write.go     Align and Write, for programs that write into what there is
//	conversion.go              the steps by which elements become others; typechange.go,
//	                           import_scale.go and rounding*.go have the steps
package transfer
