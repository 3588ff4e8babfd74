// Package netcdf reads and writes NetCDF files with the C library libnetcdf. It is compiled with
// the build tag netcdf, and then registers two formats with package formats: "netcdf" reads all
// files and writes NetCDF-4, "netcdf3" writes classic files. A program that imports it for that
// says
//
//	import _ "drx/formats/netcdf"
//
// Without the tag the package compiles and registers nothing.
//
// # What becomes of a file
//
//	variable             variable, named by its path without the leading slash
//	group                part of that path; its attributes are in Content.Groups
//	dimension            its name, or its path if the file has another dimension of that name with another extent
//	phony dimension      "", as the library invents them for HDF5 files without dimension scales
//	unlimited dimension  Info.Unlimited
//	integer, float       the type of the same size
//	byte with the attribute dtype = "bool", as xarray writes it: bool
//	char                 strings, as long as the last dimension, unless that is unlimited or counts
//	                     other things as well, as profiles: then strings of one character: Info.Labels
//	string               Info.Labels and indices into them
//	enumeration          its integers, with the attributes flag_values, flag_meanings and enum_type, the name of the type
//	compound {r,i}       complex64 or complex128
//	other compound       a variable "variable.member" for each member that has numbers
//	filters of chunks    Info.Codec
//	fill value           Info.Fill: _FillValue, missing_value, or the default of the format; bytes have no default
//
// Variable-length and opaque types are listed with a reason (Info.Refused).
//
// # How it works
//
// libnetcdf is called by one goroutine at a time, and calls libhdf5: both are behind the mutex of
// package lock. What a file contains is found once (catalog.go) and kept for the last file, since a
// program lists a file and then opens its variables one after another. A variable is described in
// variable.go, its elements in element.go and compound.go, and reader.go reads them.
//
// The library trusts the header of a classic file and reads zeros after the end of a truncated one.
// So the header is read here first (header.go): its counts must fit the file, and so must the
// elements of each variable. A NetCDF-4 file may be any HDF5 file, also one with datasets whose
// elements are in other files. They are refused, as the HDF5 bridge refuses those outside of the
// file's folder: a file from elsewhere must not make this program read /etc/shadow as an array. A
// file with a link to another one is refused before the library opens it, which would follow the
// link.
//
// A writer defines the whole file before the first element: define.go and define_dims.go decide
// what it will have, create.go makes that, append.go lets it grow, and writer.go writes elements.
// Integers with the attributes of an enumeration become one (cformat.ParseEnum). Variables that can
// grow or are compressed are chunked, and the chunk cache holds a whole row of chunks if there is
// memory for it. Sections of whole chunks of numbers go around the library: package h5chunk decodes
// and encodes them on all processors.
//
// The filters blosc, lz4 and zstd are those of package h5filter. Chunks of NetCDF-4 files that one
// of these has encoded, and nothing else, are handed over as they are stored (package h5chunk).
package netcdf
