package capi

import (
	"encoding/json"
	"fmt"

	"drx"
	"drx/cmd/internal/result"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
)

// Rank returns the number of dimensions.
func Rank(h Handle) (int, error) {
	a, err := arrays.get(h)
	if err != nil {
		return 0, err
	}
	return a.Rank(), nil
}

// DType returns the element type.
func DType(h Handle) (dtype.DType, error) {
	a, err := arrays.get(h)
	if err != nil {
		return 0, err
	}
	return a.DType(), nil
}

// OpenMode returns how the array was opened.
func OpenMode(h Handle) (Mode, error) {
	a, err := arrays.get(h)
	if err != nil {
		return 0, err
	}
	return a.mode, nil
}

// Name returns the name of an array.
func Name(h Handle) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	return a.Name(), nil
}

// Bounds stores the bounds in lo and hi, either of which may be nil. rank is the length of both.
func Bounds(h Handle, rank int, lo, hi []int64) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	return storeSection(a.bounds(), rank, lo, hi)
}

// storeSection stores the bounds of a section in lo and hi, either of which may be nil. rank is the
// length of both.
func storeSection(sec nd.Section, rank int, lo, hi []int64) error {
	if lo == nil && hi == nil {
		return nil
	}
	if err := nd.CheckRank("places for bounds", rank, len(sec)); err != nil {
		return err
	}
	for d, r := range sec {
		if lo != nil {
			lo[d] = int64(r.Lo)
		}
		if hi != nil {
			hi[d] = int64(r.Hi)
		}
	}
	return nil
}

// ChunkShape stores the extents of a chunk.
func ChunkShape(h Handle, rank int, chunk []int64) error {
	a, err := arrays.get(h)
	if err != nil || chunk == nil {
		return err
	}
	shape := a.ChunkShape()
	if err := nd.CheckRank("places for extents", rank, len(shape)); err != nil {
		return err
	}
	for d, n := range shape {
		chunk[d] = int64(n)
	}
	return nil
}

// Dim returns the number of a dimension.
func Dim(h Handle, name string) (int, error) {
	a, err := arrays.get(h)
	if err != nil {
		return 0, err
	}
	return a.Dim(name)
}

// DimName returns the name of a dimension.
func DimName(h Handle, dim int) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	dims := a.Dims()
	if err := checkDim(dim, len(dims)); err != nil {
		return "", fmt.Errorf("%s: %w", a.Name(), err)
	}
	return dims[dim], nil
}

// checkDim returns an error wrapping drx.ErrRank unless there is a dimension.
func checkDim(dim, rank int) error {
	if dim < 0 || dim >= rank {
		return errkind.Errorf(drx.ErrRank, "dimension %d: the array has dimensions 0 to %d", dim, rank-1)
	}
	return nil
}

// Info returns the description of an array as JSON.
func Info(h Handle) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	i, err := result.NewArray(a.Array)
	if err != nil {
		return "", err
	}
	return toJSON(i)
}

// History returns the changes of an array as JSON.
func History(h Handle) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	changes, err := a.History()
	if err != nil {
		return "", err
	}
	return changesJSON(changes)
}

// Snapshot returns the commit that an array shows, as the text of a drx.Snapshot.
func Snapshot(h Handle) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	s, err := a.Snapshot()
	return s.String(), err
}

// toJSON returns a value as one line of JSON.
func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
