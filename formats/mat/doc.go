// Package mat reads MAT files of MATLAB with the C library libmatio, and writes them. It is
// compiled with the build tag matio, and then registers the format "mat" with package formats. A
// program that imports it for that says
//
//	import _ "drx/formats/mat"
//
// Without the tag the package compiles and registers nothing.
//
// # What becomes of a file
//
//	numeric array         variable of the array's class, whatever smaller type its elements are stored in
//	logical array         bool
//	complex array         complex64 of single, complex128 of double and of integers up to 32 bits
//	char array            labels: a row is a string; blanks at the end of several rows are padding
//	field of a struct     variable "name.field", for a struct of one element, and for structs in it
//	dimensions            extents as in MATLAB, at least two; column-major; without names
//
// Everything else is listed with a reason (Info.Refused). MAT files have no attributes, no fill
// values and no names of dimensions.
//
// # How it works
//
// libmatio is called by one goroutine at a time, the one that holds the lock of libhdf5 too: it
// reads files of MATLAB 7.3 with that. It returns what was in memory for elements that a file has
// not, so a file of MATLAB 5 is checked before (scan.go).
//
// A compressed variable of MATLAB 5 can be read only from its beginning. It is decompressed once,
// as a whole, within Input.Memory. Sections of other variables are read from the file.
//
// The library writes a variable from memory only, all of it at once. The files of MATLAB 5 are
// written here: their layout is known before the first element, so sections go to their places in
// any order. A variable to be compressed waits in a temporary file.
package mat
