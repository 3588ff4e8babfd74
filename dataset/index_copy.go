package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout"
)

// An indexCopy copies an array with other indices along dimension k.
type indexCopy struct {
	from    *cube.Cube
	bounds  nd.Section
	k       int
	indices cube.Indices
	attrs   map[string]any
}

// A copyMark marks an incomplete copy, as the value of relayout.IncompleteAttr: which copy it is,
// and how many tiles are copied.
type copyMark struct {
	ID    string `json:"rearrangement"`
	Tile  []int  `json:"tile"`
	Tiles int    `json:"tiles"`
}

// commitEveryBytes is the number of bytes between two commits of a copy, and rearrangeMemory the
// default size of its buffer.
const (
	commitEveryBytes = 256 << 20
	rearrangeMemory  = 64 << 20
)

// newIndexCopy prepares the copy of an array. It returns an error if labels or attributes cannot
// follow their indices.
func newIndexCopy(a *drx.Array, bounds nd.Section, k int, indices cube.Indices) (*indexCopy, error) {
	c, err := cube.Of(a)
	if err != nil {
		return nil, err
	}
	j := &indexCopy{from: c, bounds: bounds, k: k, indices: indices, attrs: map[string]any{}}
	if err := j.checkPixels(); err != nil {
		return nil, err
	}
	n := a.Shape()[k]
	// Lists of n values belong to the first dimension of this extent, see meaning.Dim.
	first := slices.Index(a.Shape(), n) == k
	if band := slices.Index(a.Dims(), "band"); band >= 0 && a.Shape()[band] == n {
		first = band == k
	}
	for name, raw := range a.Attrs() {
		var list []json.RawMessage
		dim, isLabels := cube.LabelDim(name)
		switch {
		case isLabels && dim == k: // see addLabels
		case isLabels:
			j.attrs[name] = raw
		case first && n > 1 && json.Unmarshal(raw, &list) == nil && len(list) == n:
			kept := make([]json.RawMessage, indices.Len())
			for i := range kept {
				kept[i] = list[indices.At(i)-a.Bounds()[k].Lo]
			}
			j.attrs[name] = kept
		default:
			j.attrs[name] = raw
		}
	}
	return j, j.addLabels()
}

// addLabels adds the labels of the dimension in their new order.
func (j *indexCopy) addLabels() error {
	first, all := j.from.Labels(j.k)
	if len(all) == 0 {
		return nil
	}
	var labels []string
	begin := 0 // the position of the first label
	for i := range j.indices.Len() {
		at := j.indices.At(i) - first
		if at < 0 || at >= len(all) {
			continue
		}
		if len(labels) == 0 {
			begin = i
		}
		if i != begin+len(labels) {
			return errkind.Errorf(cube.ErrLabel, "%s: dimension %s has %d labels for %d indices, which would have gaps: label all or none",
				j.from.Array().Name(), strconv.Quote(j.from.Array().Dims()[j.k]), len(all), j.bounds[j.k].Len())
		}
		labels = append(labels, all[at])
	}
	if len(labels) > 0 {
		j.attrs[cube.LabelAttr(j.k, j.bounds[j.k].Lo+begin)] = labels
	}
	return nil
}

// worldAttr matches the keywords with which FITS locates pixels along an axis.
var worldAttr = regexp.MustCompile(`^(?:CTYPE|CUNIT|CRVAL|CDELT|CROTA|CRPIX)(\d+)[A-Z]?$`)

// checkPixels returns an error if attributes place the pixels along the dimension on an even grid:
// in the copy they would no longer be right.
func (j *indexCopy) checkPixels() error {
	a := j.from.Array()
	for name := range a.Attrs() {
		m := worldAttr.FindStringSubmatch(name)
		if name == "geotransform" && j.k >= a.Rank()-2 || m != nil && m[1] == strconv.Itoa(a.Rank()-j.k) {
			return errkind.Errorf(ErrDim, "%s: dimension %s has places on an even grid, by the attribute %s: its indices keep their order",
				a.Name(), strconv.Quote(a.Dims()[j.k]), name)
		}
	}
	return nil
}

// spec describes the copy.
func (j *indexCopy) spec() drx.Spec {
	a := j.from.Array()
	lo, hi := j.bounds.Bounds()
	shape := nd.Shape(lo, hi)
	shape[j.k] = j.indices.Len()
	return drx.Spec{
		DType: a.DType(), Lo: lo, Shape: shape, ChunkShape: a.ChunkShape(), Order: a.Layout().ElementOrder, Dims: a.Dims(),
		FillValue: a.DType().Format(a.FillValue()), Align: a.Layout().Align, Codec: a.Layout().Codec, Attrs: j.attrs, Source: a.Name(),
		Options: drx.Options{Incomplete: true},
	}
}

// copy makes the copy, or continues it with o.Resume. After an error it removes an array that it
// has created, unless ctx has ended and o.Keep is set. It never removes an array that existed
// before.
func (j *indexCopy) copy(ctx context.Context, to string, o RearrangeOptions) error {
	var a *drx.Array
	created := false
	err := fs.ErrNotExist
	if o.Resume {
		a, err = drx.Open(to, drx.Options{Write: true, Incomplete: true})
	}
	if errors.Is(err, fs.ErrNotExist) {
		a, err = drx.Create(to, j.spec())
		created = true
	}
	if err != nil {
		return err
	}
	if err = j.copyTo(ctx, a, o); err == nil {
		return a.Close()
	}
	if err = errors.Join(err, a.Discard()); created && !(o.Keep && ctx.Err() != nil) {
		err = errors.Join(err, drx.Remove(a.Name()))
	}
	return err
}

// copyTo copies the tiles that are not copied yet.
func (j *indexCopy) copyTo(ctx context.Context, to *drx.Array, o RearrangeOptions) error {
	mark, complete, err := j.markOf(to, o.Memory)
	if complete || err != nil {
		return err
	}
	size, sinceCommit, tiles := to.DType().Size(), 0, 0
	var done, total int64
	n, _ := to.Bounds().Len()
	total = int64(n * size)
	var buf []byte
	for part, err := range to.Parts(drx.Walk{Tile: mark.Tile}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		n, _ := part.Section.Len()
		if tiles++; tiles > mark.Tiles {
			buf = slices.Grow(buf[:0], n*size)[:n*size]
			if err := j.copyPart(part.Section, to, buf); err != nil {
				return err
			}
			sinceCommit += n * size
		}
		if done += int64(n * size); o.Progress != nil {
			o.Progress(done, total)
		}
		if sinceCommit >= commitEveryBytes {
			if err := mark.commit(to, tiles); err != nil {
				return err
			}
			sinceCommit = 0
		}
	}
	return to.DeleteAttr(relayout.IncompleteAttr)
}

// markOf returns the mark of a copy: a new one, or that of the copy to continue. complete reports
// that the copy was finished earlier.
func (j *indexCopy) markOf(to *drx.Array, memory int) (mark copyMark, complete bool, err error) {
	other := errkind.Errorf(ErrMismatch, "%s: what is to be resumed is another copy: remove it and begin again", to.Name())
	raw := to.Attrs()[relayout.IncompleteAttr]
	if !slices.Equal(to.Shape(), j.spec().Shape) || to.DType() != j.from.Array().DType() {
		return mark, false, other
	}
	if raw == nil {
		return mark, true, nil
	}
	if string(raw) == "true" { // set by drx.Create
		mark = copyMark{ID: j.id(), Tile: j.tile(memory)}
		return mark, false, to.SetAttr(relayout.IncompleteAttr, mark)
	}
	if json.Unmarshal(raw, &mark) != nil || mark.ID != j.id() || len(mark.Tile) != len(j.bounds) {
		return mark, false, other
	}
	return mark, false, nil
}

// commit commits the first tiles together with their number.
func (m copyMark) commit(to *drx.Array, tiles int) error {
	m.Tiles = tiles
	if err := to.SetAttr(relayout.IncompleteAttr, m); err != nil {
		return err
	}
	return to.Sync()
}

// copyPart copies the elements of a section of the target.
func (j *indexCopy) copyPart(sec nd.Section, to *drx.Array, buf []byte) error {
	of := make(cube.Selection, len(sec))
	for d, r := range sec {
		of[d] = cube.Indices{r}
	}
	of[j.k] = j.indices.Slice(sec[j.k].Lo-j.bounds[j.k].Lo, sec[j.k].Len())
	if err := j.from.Read(of, buf, nil); err != nil {
		return fmt.Errorf("%s: %w", j.from.Array().Name(), err)
	}
	return to.WriteBytes(sec, buf, nil)
}

// tile returns the extents of the part that is copied at once: as many whole chunks as fit into the
// memory. It extends the last dimension first.
func (j *indexCopy) tile(memory int) []int {
	if memory == 0 {
		memory = rearrangeMemory
	}
	a := j.from.Array()
	tile := slices.Clone(a.ChunkShape())
	bytes, err := nd.Product(append([]int{a.DType().Size()}, tile...)...)
	if err != nil {
		return tile
	}
	for d := len(tile) - 1; d >= 0; d-- {
		n := max(1, min(memory/bytes, nd.CeilDiv(j.bounds[d].Len(), tile[d])+1))
		tile[d], bytes = tile[d]*n, bytes*n
	}
	return tile
}
