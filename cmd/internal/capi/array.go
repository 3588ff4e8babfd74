package capi

import (
	"context"
	"encoding/json"
	"fmt"

	"drx"
	"drx/cmd/internal/result"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
	"drx/relayout"
)

// An array is an open array of the host.
type array struct {
	*drx.Array
	mode     Mode
	variable *variable // nil if the array belongs to no dataset
}

// A variable is what an array of a dataset has besides.
type variable struct {
	*dataset.Variable
	of *openDataset
}

// arrays are the open arrays.
var arrays = table[*array]{kind: arrayKind}

// bounds returns the present bounds; those that readers of its dataset see, if the array belongs to one.
func (a *array) bounds() nd.Section {
	if a.variable == nil {
		return a.Bounds()
	}
	a.variable.of.mu.Lock()
	defer a.variable.of.mu.Unlock()
	return a.variable.Bounds()
}

// checkOwn returns an error wrapping ErrInvalid if the array belongs to a dataset. instead is what to call then.
func (a *array) checkOwn(instead string) error {
	if a.variable == nil {
		return nil
	}
	return invalidf("%s belongs to a dataset: call %s", a.Name(), instead)
}

// Open opens an array and returns its handle. options is the JSON of drx.h.
func Open(name string, mode Mode, options string) (Handle, error) {
	var v versionOptions
	if err := parseOptions(options, &v); err != nil {
		return 0, err
	}
	o, err := v.options(mode)
	if err != nil {
		return 0, err
	}
	if v.Commit == nil {
		a, err := drx.Open(name, o)
		return addArray(a, mode, err)
	}
	if mode != ModeRead {
		return 0, invalidf("%s: an array as it was after a commit can be opened with DRX_READ only", name)
	}
	a, err := drx.OpenAt(name, *v.Commit, o)
	return addArray(a, mode, err)
}

// Create makes an array, opens it for writing and returns its handle.
func Create(name string, t dtype.DType, shape []int, options string) (Handle, error) {
	var c createOptions
	if err := parseOptions(options, &c); err != nil {
		return 0, err
	}
	spec, err := c.spec(t, shape)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if spec.Options, err = c.openOptions.options(ModeWrite); err != nil {
		return 0, err
	}
	a, err := drx.Create(name, spec)
	return addArray(a, ModeWrite, err)
}

// addArray returns a handle for an array that was just opened, unless there was an error.
func addArray(a *drx.Array, mode Mode, err error) (Handle, error) {
	if err != nil {
		return 0, err
	}
	h, err := arrays.add(&array{Array: a, mode: mode})
	if err != nil {
		_ = a.Discard()
	}
	return h, err
}

// Close commits and closes an array.
func Close(h Handle) error { return closeArray(h, (*drx.Array).Close) }

// Discard closes an array without a commit.
func Discard(h Handle) error { return closeArray(h, (*drx.Array).Discard) }

// closeArray frees a handle and closes its array.
func closeArray(h Handle, closing func(*drx.Array) error) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_close or drx_dataset_discard"); err != nil {
		return err
	}
	if a, err = arrays.remove(h); err != nil {
		return err
	}
	if a.mode == ModeRead {
		closing = (*drx.Array).Close
	}
	return closing(a.Array)
}

// Sync commits the changes of an array.
func Sync(h Handle) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_sync"); err != nil {
		return err
	}
	return a.Sync()
}

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

// storeSection stores the bounds of a section in lo and hi, either of which may be nil. rank is the length of both.
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
		return fmt.Errorf("dimension %d: the array has dimensions 0 to %d: %w", dim, rank-1, drx.ErrRank)
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

// Verify checks all chunks and returns the report as JSON. The error wraps ErrDamaged if something is damaged; the
// report is valid then.
func Verify(h Handle, progress Progress) (report string, err error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	var r drx.VerifyReport
	err = long(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		u, err := a.Usage()
		if err != nil {
			return err
		}
		r, err = a.Verify(ctx, func(done int64) { report(done, u.Written) })
		return err
	})
	if err != nil {
		return "", err
	}
	if report, err = toJSON(result.NewVerify(a.Name(), r)); err == nil && !r.Good() {
		err = fmt.Errorf("%s: %d damaged chunks: %w", a.Name(), len(r.Damaged), ErrDamaged)
	}
	return report, err
}

// Compact rewrites the files of an array.
func Compact(h Handle, progress Progress) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	if err := a.checkOwn("drx_dataset_close, open the array by its name, and compact it"); err != nil {
		return err
	}
	return long(progress, func(ctx context.Context, report func(done, total int64)) error { return a.Compact(ctx, report) })
}

// Relayout copies src into dst and returns what that took as JSON.
func Relayout(dst, src Handle, options string, progress Progress) (stats string, err error) {
	to, err := arrays.get(dst)
	if err != nil {
		return "", err
	}
	from, err := arrays.get(src)
	if err != nil {
		return "", err
	}
	if to.Array == from.Array {
		return "", invalidf("%s: source and target of a copy are the same array", to.Name())
	}
	if err := to.checkOwn("drx_relayout with an array that is opened by its name"); err != nil {
		return "", err
	}
	var c copyOptions
	if err := parseOptions(options, &c); err != nil {
		return "", err
	}
	o, err := c.options(from.Array)
	if err != nil {
		return "", err
	}
	var s relayout.Stats
	err = long(progress, func(ctx context.Context, report func(done, total int64)) (err error) {
		o.Progress = report
		s, err = relayout.Copy(ctx, to.Array, from.Array, o)
		return err
	})
	if err != nil {
		return "", err
	}
	return toJSON(copyStats{len(s.Plan.Passes), s.Cost.BytesRead, s.Cost.BytesWritten, s.PeakMemory, s.Elapsed.Seconds()})
}

// copyStats is what a copy took, as JSON.
type copyStats struct {
	Passes       int     `json:"passes"`
	BytesRead    int64   `json:"bytes_read"`
	BytesWritten int64   `json:"bytes_written"`
	PeakMemory   int64   `json:"peak_memory"`
	Seconds      float64 `json:"seconds"`
}

// toJSON returns a value as one line of JSON.
func toJSON(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
