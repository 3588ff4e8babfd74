// Package envi reads images and spectral libraries in the format of the program ENVI: a text file
// with fields, the header, and a file of plain numbers.
//
//	ENVI
//	samples = 100            pixels of a line
//	lines = 100
//	bands = 198
//	header offset = 0        bytes before the first number
//	data type = 2            1 uint8, 2 int16, 3 int32, 4 float32, 5 float64, 12 uint16, 13 uint32, 14 int64, 15 uint64
//	interleave = bil         bsq: band, line, sample; bil: line, band, sample; bip: line, sample, band
//	byte order = 0           0 little-endian, 1 big-endian
//	wavelength = { 399.37, 409.21, ... }
//
// The fields are described in "ENVI Header Files", the documentation of ENVI (NV5 Geospatial).
// Fields that do not concern the numbers are kept as text.
package envi
