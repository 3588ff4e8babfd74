//go:build !netcdf || !cgo

package netcdf

// Built reports whether libnetcdf is compiled in.
const Built = false

// Library returns ErrNotBuilt: this program was built without the tag netcdf, or without cgo.
func Library() (string, error) { return "", ErrNotBuilt }
