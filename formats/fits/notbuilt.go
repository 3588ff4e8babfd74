//go:build !fits || !cgo

package fits

// Built reports whether CFITSIO is compiled in.
const Built = false

// Library returns ErrNotBuilt: this program was built without the tag fits, or without cgo.
func Library() (string, error) { return "", ErrNotBuilt }
