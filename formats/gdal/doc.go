// Package gdal reads rasters with the C library GDAL, and writes GeoTIFF and ENVI files. It is
// compiled with the build tag gdal, and then registers formats with package formats. A program that
// imports it for that says
//
//	import _ "drx/formats/gdal"
//
// Without the tag the package compiles and registers nothing.
//
// # What becomes of a file
//
//	raster                 variable (band, y, x), or (y, x) with one band; without a name if it is the only one
//	bands of several types variables "band1", "band2" ...
//	pages, segments        variables "image1", "image2" ... (subdatasets)
//	mask of the file       variable "mask" of uint8, 0 where there is no data
//	complex integers       complex64 or complex128, which hold every value
//	no-data value          Info.Fill, and the attribute nodata
//	blocks                 Info.Chunk
//	transform              attribute geotransform, 6 numbers in GDAL's order
//	reference system       attribute crs_wkt
//	colour table           attribute palette, a list of [red, green, blue, alpha]; the elements stay indices
//	band descriptions      attribute band_names
//	scale and offset       attributes scale_factor and add_offset; lists if bands differ
//	metadata               attributes, as strings; those of another domain as "domain.name"
//
// Overviews are copies of lower resolution, and are not read.
//
// # Hostile files
//
// Only drivers that read one file, and the header beside it, are left registered: none that follows
// names in a file to other files or to a network (VRT, WMS, catalogues such as A.TOC), and none of
// formats that other bridges read. Side files (.aux.xml) are neither read nor written. The cache of
// blocks takes half of Input.Memory; a block that does not fit is refused.
package gdal
