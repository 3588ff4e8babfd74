// Package fortran has the tests of the Fortran module drx. Its source is in folder src:
//
//	c.f90           drx_constants, drx_c  the constants and the functions of drx.h; generated from include/drx.abi
//	support.f90     drx_support           errors, text, JSON
//	sections.f90    drx_sections          sections, and the procedures that the library calls
//	attributes.f90  drx_attributes        attributes of arrays
//	arrays.f90      drx_arrays            arrays, except for their elements
//	transfers.f90   drx_transfers         reading and writing of variables of any type and rank
//	elements.f90    drx_elements          arrays with their elements, a procedure per type; generated from generate/elements.f90.tmpl
//	datasets.f90    drx_datasets          datasets
//	names.f90       drx_names             operations on the files of arrays
//	drx.f90         drx                   the module that programs use: everything above
//
// In this order they form one source file for a compiler, which scripts/lib.sh compiles and
// installs. docs/FORTRAN.md is the guide.
package fortran

//go:generate go run ./generate
