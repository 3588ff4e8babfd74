// Package hdf5 reads and writes HDF5 files with the C library libhdf5. It is compiled with the
// build tag hdf5, and then registers the format "hdf5" with package formats. A program that imports
// it for that says
//
//	import _ "drx/formats/hdf5"
//
// Without the tag the package compiles and registers nothing.
//
// # What becomes of a file
//
//	dataset              variable, named by its path without the leading slash
//	group                part of that path; its attributes are in Content.Groups
//	dimension scale      coordinate; its last name is the name of the dimension, which has the name of its path
//	                     if the file has another dimension of that name with another extent
//	dimension label      name of the dimension, where no scale is attached
//	integer, bitfield    the integer type of the same size, or the next larger one
//	float                the smallest type that holds every value exactly, float16 and bfloat16 included
//	enumeration          its integers, with the attributes flag_values, flag_meanings and enum_type, the name of the type; {FALSE, TRUE}: bool
//	compound {r,i}       complex64 or complex128
//	other compound       a variable "dataset.member" for each member
//	array type           further dimensions, after those of the dataset
//	string               Info.Labels and indices into them
//	fill value           Info.Fill, unless the attribute _FillValue or missing_value says otherwise
//
// Variable-length sequences, references, opaque and time types, and numbers too large for any type
// of DRX are listed with a reason (Info.Refused).
//
// # Files that a file names
//
// External links, external storage and virtual datasets name other files. They are followed into
// the folder of the file and below it, and nowhere else: a file from elsewhere must not make this
// program read /etc/shadow as an array. A virtual dataset whose parts are missing is refused, where
// the library would return fill values.
//
// # How it works
//
// libhdf5 is called by one goroutine at a time (package lock), which is locked to its thread while
// it is there, because the library keeps the description of an error per thread. What a file
// contains is found in one walk (catalog.go) and kept for the last file, since a program lists a
// file and then opens its variables one after another. Object addresses mark what was visited: a
// group that contains itself ends there.
//
// Sections of whole chunks are decoded and encoded on all processors (package h5chunk). A reader or
// writer selects other sections as hyperslabs. The chunk cache holds a whole row of chunks if
// Input.Memory has room for it: slabs that are read in ascending order then decompress each chunk
// once.
//
// The filter lzf of h5py is not in the library; lzf.c adds it, for reading. Package h5filter adds
// blosc, lz4 and zstd, for both. Chunks that one of these has encoded, and nothing else, are handed
// over as they are stored (package h5chunk): a reader is a formats.FrameReader, a writer a
// formats.FrameWriter.
//
// Integers with the attributes of an enumeration are written as one, of a committed type
// (cformat.ParseEnum). The type in memory is that in the file, so that the library converts
// nothing; it reads an enumeration as integers of the same size without converting them either.
//
// A writer creates files in the latest format of libhdf5 1.10, which SWMR readers and writers need
// (superblock 3, version 2 object headers, the newer chunk indices), and without times, so that
// equal content makes equal files.
package hdf5
