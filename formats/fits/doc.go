// Package fits reads and writes FITS files with the C library CFITSIO. It is compiled with the
// build tag fits, and then registers the format "fits" with package formats. A program that imports
// it for that says
//
//	import _ "drx/formats/fits"
//
// Without the tag the package compiles and registers nothing.
//
// # What becomes of a file
//
//	image, compressed or not   variable, named by EXTNAME, or "primary", "hdu2", "hdu3" ... without one; of several of a
//	                           name the later ones are "NAME_2" by EXTVER, or by the number of the header
//	NAXISn                     extents in reverse: the last axis, which varies slowest, comes first
//	CNAMEn                     names of dimensions
//	CTYPEn, CRVALn ...         a coordinate, a variable of float64 with the name of the dimension, if the axis is linear
//	BUNIT                      attribute units besides the card
//	BITPIX                     uint8, int16, int32, int64, float32 or float64
//	BZERO of 2^(bits-1)        the convention for unsigned integers (for uint8: signed): uint16, uint32, uint64, int8
//	other BSCALE, BZERO        stored numbers, and attributes scale_factor and add_offset besides the cards
//	BLANK; NaN                 Info.Fill, of integers; of floats
//	cards                      attributes by their keywords; COMMENT and HISTORY are lists of strings. The comments of cards
//	                           are not kept, nor the cards that describe the bytes
//	header without data        attributes of the file (first header), or of a group named as a variable would be
//
// Tables and random groups are listed with a reason (Info.Refused).
//
// # How it works
//
// CFITSIO is called by one goroutine at a time (mutex in library.go): it keeps a list of open files
// and a stack of messages per process. Files are opened by names that have no meaning besides that,
// so that nothing in one starts a download or a filter. A file that gzip has compressed is
// decompressed here, within Input.Memory, because the library would do it without limit.
//
// Numbers are read as they are stored, and the highest bit is flipped here where the convention for
// unsigned integers holds: 64-bit numbers would lose digits in the library's scaling, which
// computes in float64.
package fits
