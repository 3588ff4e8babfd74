//go:build !matio || !cgo

package mat

// Built reports whether libmatio is compiled in.
const Built = false

// Library returns ErrNotBuilt: this program was built without the tag matio, or without cgo.
func Library() (string, error) { return "", ErrNotBuilt }
