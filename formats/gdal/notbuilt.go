//go:build !gdal || !cgo

package gdal

// Built reports whether GDAL is compiled in.
const Built = false

// Library returns ErrNotBuilt: this program was built without the tag gdal, or without cgo.
func Library() (string, error) { return "", ErrNotBuilt }
