//go:build netcdf && cgo

package netcdf

// encodingName is the attribute that says how characters are encoded.
const encodingName = "_Encoding"
