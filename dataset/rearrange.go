package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout"
)

// A Rearrangement chooses indices of a dimension in a new order.
type Rearrangement struct {
	Dim     string       // its name; in an array also its number
	Indices cube.Indices // in their new order
}

// RearrangeOptions are the options of Rearrange.
type RearrangeOptions struct {
	// Memory limits the buffer, in bytes; 0 means 64 MiB. Options.Cache is extra.
	Memory int
	// Resume continues a copy of the same name that was interrupted, if there is one.
	Resume bool
	// Keep keeps what was copied if ctx ends, for Resume.
	Keep bool
	// Progress, if not nil, is called with the number of bytes copied so far and the total.
	Progress func(done, total int64)
}

// ErrMismatch is wrapped by the error about a copy to resume that was begun with other arguments.
var ErrMismatch = relayout.ErrMismatch

// Sorted returns the indices of a coordinate in ascending order of their values. The sort is
// stable. The error wraps ErrValue if an index has no value.
func (c *Coordinate) Sorted() (cube.Indices, error) {
	order := make([]int, len(c.values))
	for i, v := range c.values {
		if order[i] = i; v.missing() {
			return nil, errkind.Errorf(ErrValue, "%s: index %d has no value, so it has no place among the others", c.name, c.first+i)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return c.values[i].compare(c.values[k]) })
	var sorted cube.Indices
	for _, i := range order {
		sorted = sorted.Append(cube.Indices{nd.At(c.first + i).By(1)})
	}
	return sorted, nil
}

// SortedBy returns the indices with the given labels, the first of which is first, in the order of
// the labels as text.
func SortedBy(first int, labels []string) (sorted cube.Indices) {
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return strings.Compare(labels[i], labels[k]) })
	for _, i := range order {
		sorted = sorted.Append(cube.Indices{nd.At(first + i).By(1)})
	}
	return sorted
}

// Without returns the indices of a range except those removed, in ascending order.
func Without(all nd.Range, removed cube.Indices) (kept cube.Indices) {
	gone := make(map[int]bool, removed.Len())
	for i := range removed.Len() {
		gone[removed.At(i)] = true
	}
	for i := all.Lo; i < all.Hi; i++ {
		first := i
		for i < all.Hi && !gone[i] {
			i++
		}
		if i > first {
			kept = append(kept, nd.Span(first, i))
		}
	}
	return kept
}

// Rearrange copies a dataset with other indices along one of its dimensions, in all variables that
// have it: without a range, or in another order. Labels, bounds, and attributes that are lists with
// a value for each index follow. The first index stays the same. The new dataset appears when it is
// complete. Until then it is a hidden folder. Resume continues that folder if the dataset has not
// changed; any other copy to the same name removes it.
//
// The error wraps ErrDim if the dataset has no such dimension, drx.ErrBounds for indices outside of
// it, cube.ErrLabel if only some indices have labels, ErrMismatch if the copy to resume is another
// one, fs.ErrExist if the new name is taken, or is that of Copy.
func Rearrange(ctx context.Context, from, to string, r Rearrangement, o RearrangeOptions) error {
	if err := checkNew(to); err != nil {
		return fmt.Errorf("%s: copy: %w", from, err)
	}
	if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
		return errkind.Errorf(fs.ErrInvalid, "%s: copy to %s, which is in it: choose a name outside", from, to)
	}
	d, err := openAlone(from)
	if err != nil {
		return err
	}
	defer func() { _ = d.Discard() }() // nothing was changed
	dim, err := d.Dim(r.Dim)
	if err != nil {
		return err
	}
	if err := r.check(dim.Bounds); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	hidden := hiddenName(to, copying)
	if !o.Resume {
		err = drx.RemoveFolder(hidden)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	copied, err := Open(hidden, drx.Options{Write: true})
	if errors.Is(err, fs.ErrNotExist) {
		copied, err = Create(hidden, drx.Options{})
	}
	if err != nil {
		return asNamed(to, err, copying)
	}
	err = copied.nameAs(to, d.rearrangeInto(ctx, copied, dim, r, o))
	if err != nil && !(o.Keep && ctx.Err() != nil) && !errors.Is(err, ErrMismatch) {
		err = errors.Join(err, drx.RemoveFolder(hidden))
	}
	return asNamed(to, err, copying)
}

// check checks the indices against the bounds of the dimension.
func (r *Rearrangement) check(bounds nd.Range) error {
	for _, x := range r.Indices {
		if n := x.Len(); n > 0 && (min(x.Lo, x.Lo+(n-1)*x.Stride()) < bounds.Lo || max(x.Lo, x.Lo+(n-1)*x.Stride()) >= bounds.Hi) {
			return errkind.Errorf(drx.ErrBounds, "dimension %q: range %v is not in %v", r.Dim, x, bounds)
		}
	}
	if index, twice := r.Indices.Twice(); twice {
		return errkind.Errorf(drx.ErrBounds, "dimension %q: index %d is given twice", r.Dim, index)
	}
	return nil
}

// rearrangeInto copies the groups and the variables to a new dataset.
func (d *Dataset) rearrangeInto(ctx context.Context, to *Dataset, dim Dim, r Rearrangement, o RearrangeOptions) error {
	if err := d.copyGroups(to); err != nil {
		return err
	}
	sizes, total, err := d.sizes()
	if err != nil {
		return err
	}
	done := int64(0)
	for _, name := range d.Variables() {
		size := sizes[name]
		count := func(part, _ int64) {
			if o.Progress != nil {
				o.Progress(done+min(part, size), total)
			}
		}
		array, err := d.arrayOf(name)
		if err != nil {
			return err
		}
		if k := slices.Index(d.scan.vars[name].dims, dim.Name); k < 0 {
			if there, existsErr := drx.Exists(to.path(array)); existsErr != nil || there {
				err = existsErr // by the copy that is resumed
			} else {
				err = drx.CopyFiles(ctx, d.path(array), to.path(array), count)
			}
		} else {
			err = rearrangeVariable(ctx, d, name, to.path(array), k, r, o, count)
		}
		if err != nil {
			return err
		}
		done += size
	}
	return nil
}

// sizes returns the bytes of each variable and their sum. It leaves no variable open, because its
// lock would stop the copy.
func (d *Dataset) sizes() (sizes map[string]int64, total int64, err error) {
	sizes = map[string]int64{}
	for _, name := range d.Variables() {
		v, err := d.Variable(name)
		if err != nil {
			return nil, 0, err
		}
		n, _ := v.Bounds().Len()
		sizes[name] = int64(n * v.a.DType().Size())
		total += sizes[name]
		delete(d.vars, name)
		if err := v.a.Discard(); err != nil { // nothing was written
			return nil, 0, err
		}
	}
	return sizes, total, nil
}

// rearrangeVariable copies a variable that has the dimension.
func rearrangeVariable(ctx context.Context, d *Dataset, name, to string, k int, r Rearrangement, o RearrangeOptions, count func(done, total int64)) error {
	v, err := d.Variable(name)
	if err != nil {
		return err
	}
	j, err := newIndexCopy(v.Array(), v.Bounds(), k, r.Indices)
	if err != nil {
		return err
	}
	o.Progress = count
	return j.copy(ctx, to, o)
}

// RearrangeArray is Rearrange for an array that belongs to no dataset. A complete copy cannot be
// resumed: the array may have changed since, so the error wraps fs.ErrExist.
func RearrangeArray(ctx context.Context, a *drx.Array, to string, r Rearrangement, o RearrangeOptions) error {
	k, err := a.Dim(r.Dim)
	if err != nil {
		return err
	}
	if err := r.check(a.Bounds()[k]); err != nil {
		return fmt.Errorf("%s: %w", a.Name(), err)
	}
	if o.Resume {
		there, err := drx.Open(to, drx.Options{})
		if err == nil {
			return errors.Join(errkind.Errorf(fs.ErrExist, "%s: there is an array of that name, no copy that was interrupted: remove it to begin again", to), there.Close())
		}
	}
	j, err := newIndexCopy(a, a.Bounds(), k, r.Indices)
	if err != nil {
		return err
	}
	return j.copy(ctx, to, o)
}

// CopySorted is Copy, but sorts the indices of a dimension by its coordinate, see
// Coordinate.Sorted. Values that were appended late thus move to their position in the order.
func CopySorted(ctx context.Context, from, to, dim string, progress func(done, total int64)) error {
	sorted, err := sortedIn(from, dim)
	if err != nil {
		return err
	}
	return Rearrange(ctx, from, to, Rearrangement{dim, sorted}, RearrangeOptions{Progress: progress})
}

// sortedIn returns the indices of a dimension of a dataset in the order of its coordinate.
func sortedIn(folder, dim string) (sorted cube.Indices, err error) {
	d, err := Open(folder, drx.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Discard() }()
	c, err := d.Coordinate(dim)
	if err != nil {
		return nil, err
	}
	known, err := d.Dim(dim)
	if err != nil {
		return nil, err
	}
	if sorted, err = c.Sorted(); err == nil && sorted.Len() != known.Bounds.Len() {
		err = errkind.Errorf(ErrDim, "%s: dimension %s has %d indices, and its coordinate %d", folder, dim, known.Bounds.Len(), sorted.Len())
	}
	return sorted, err
}

// id identifies a rearrangement of an array, to recognise it when it is resumed.
func (j *indexCopy) id() string {
	h := sha256.New()
	fmt.Fprint(h, j.bounds, j.from.Array().DType(), j.k, j.indices)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
