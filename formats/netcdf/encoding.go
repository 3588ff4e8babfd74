//go:build netcdf && cgo

package netcdf

// encodingName is the attribute that names the encoding of characters.
const encodingName = "_Encoding"
