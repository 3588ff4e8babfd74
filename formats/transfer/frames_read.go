package transfer

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"

	"drx"
	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// A frameImport takes compressed chunks of a file as they are. An array stores them after it has
// decompressed them once, to check them; they are not compressed again.
type frameImport struct {
	r     formats.FrameReader
	a     *drx.Array
	place framePlace
	fill  []byte                                      // what the array has anyway
	write func(sec nd.Section, elements []byte) error // the elements of a section
	slots chan struct{}                               // one for each chunk that is being checked
}

// A framePlace says where an array has the elements of a variable.
type framePlace struct {
	at  []int // the index of the first one
	own []int // the dimensions of the array that the variable has; along the others it is one index
}

// placeAt returns the place of a variable that has all dimensions of an array but frame, unless
// that is -1.
func placeAt(at []int, frame int) framePlace {
	p := framePlace{at: at}
	for d := range at {
		if d != frame {
			p.own = append(p.own, d)
		}
	}
	return p
}

// isAligned reports whether chunks of a variable are those of the array.
func (p framePlace) isAligned(chunk []int, a *drx.Array) bool {
	own := a.ChunkShape()
	if len(chunk) != len(p.own) || len(p.at) != len(own) {
		return false
	}
	extents := slices.Repeat([]int{1}, len(own)) // of a chunk in the array
	for i, d := range p.own {
		extents[d] = chunk[i]
	}
	for d, at := range p.at {
		if at%own[d] != 0 {
			return false
		}
	}
	return slices.Equal(extents, own)
}

// index returns the index in the array of a chunk of the variable.
func (p framePlace) index(chunk []int, a *drx.Array) []int {
	own := a.ChunkShape()
	at := make([]int, len(own))
	for d, lo := range p.at {
		at[d] = nd.FloorDiv(lo, own[d])
	}
	for i, d := range p.own {
		at[d] += chunk[i]
	}
	return at
}

// fillsChunk reports whether the elements that a variable has of a chunk are all that the array has
// of it.
func (p framePlace) fillsChunk(sec nd.Section, a *drx.Array) bool {
	bounds, chunk := a.Bounds(), a.ChunkShape()
	for i, d := range p.own {
		if sec[i].Len() < chunk[d] && p.at[d]+sec[i].Hi != bounds[d].Hi {
			return false
		}
	}
	return true
}

// newFrameImport returns what takes chunks from r, nil if the file has none that the array could
// have.
func newFrameImport(r formats.Reader, a *drx.Array, place framePlace, fill []byte, write func(sec nd.Section, elements []byte) error) *frameImport {
	f, ok := r.(formats.FrameReader)
	l := a.Layout()
	if !ok || l.Codec == "none" || l.ElementOrder != drx.RowOrder || !place.isAligned(r.Info().Chunk, a) {
		return nil
	}
	workers := int(max(1, min(int64(runtime.GOMAXPROCS(0)), (32<<20)/max(1, chunkBytes(r.Info())))))
	return &frameImport{f, a, place, fill, write, make(chan struct{}, workers)}
}

// hasFrames reports whether a variable of a file has compressed chunks whose elements are those of
// an array of a type, in the same order.
func hasFrames(info formats.Info, to dtype.DType) bool {
	return !info.Codec.IsNone() && info.Labels == nil && info.DType == to && !info.Streamed &&
		slices.Equal(info.Order.Dims(len(info.Shape)), nd.RowMajor.Dims(len(info.Shape)))
}

// CopyFrames copies a file to an array whose compressed chunks it has, at the index at; own are the
// dimensions of the array that the file has. It calls used with the bytes of elements that are
// copied. It returns false, and has copied nothing, if no chunk can be taken as it is: if the
// codec, the chunks or their places are others. The elements must mean the same in both.
func CopyFrames(ctx context.Context, r formats.Reader, a *drx.Array, at, own []int, used func(bytes int)) (done bool, err error) {
	info := r.Info()
	if !hasFrames(info, a.DType()) {
		return false, nil
	}
	m := &mover{a: a, info: info, at: at, frameDim: -1}
	if len(own) < len(at) {
		if len(own) != len(at)-1 {
			return false, nil
		}
		for m.frameDim = 0; m.frameDim < len(own) && own[m.frameDim] == m.frameDim; m.frameDim++ {
			continue
		}
	}
	f := newFrameImport(r, a, framePlace{at, own}, nil, m.write)
	if f == nil {
		return false, nil
	}
	boxes, taken := info.Boxes(whole(info.Shape), frameBoxes), 0
	count := func(sec nd.Section) {
		taken++
		n, _ := sec.Len() // of a section of the variable
		used(n * info.DType.Size())
	}
	err = f.copy(ctx, boxes, 0, func(sec nd.Section, _ int) error {
		count(sec)
		return nil
	})
	if err != nil || taken == 0 {
		return false, err
	}
	err = stream(ctx, r, boxes, taken, nil, func(sec nd.Section, buf []byte) error {
		count(sec)
		return m.write(sec, buf)
	})
	return true, err
}

// frameBoxes is the size of the boxes whose chunks are taken together, in bytes.
const frameBoxes = 8 << 20

// copy copies boxes, which consist of whole chunks, but for the first ones that skip counts. It
// calls used after each with the bytes that were written. It ends before the first box of which no
// chunk could be taken, as then probably none can: stream copies the rest, faster.
func (f *frameImport) copy(ctx context.Context, boxes iter.Seq[nd.Section], skip int, used func(sec nd.Section, bytes int) error) error {
	for sec := range boxes {
		if skip > 0 {
			skip--
			continue
		}
		rest, taken, err := f.take(ctx, sec)
		if err != nil || taken == 0 {
			return err
		}
		for _, sec := range rest {
			n, err := f.copyElements(sec)
			if err != nil {
				return err
			}
			taken += n
		}
		if err := used(sec, taken); err != nil {
			return err
		}
	}
	return nil
}

// take takes the chunks of a box. It returns those that the array does not have now, and the bytes
// of the others, with those that it has anyway.
func (f *frameImport) take(ctx context.Context, box nd.Section) (rest []nd.Section, taken int, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	info := f.r.Info()
	first, end := make([]int, len(box)), make([]int, len(box))
	for d, r := range box {
		first[d], end[d] = r.Lo/info.Chunk[d], nd.CeilDiv(r.Hi, info.Chunk[d])
	}
	done := func(sec nd.Section, written bool, failed error) {
		mu.Lock()
		defer mu.Unlock()
		n, _ := sec.Len() // of a section of the variable
		switch {
		case failed != nil && err == nil:
			err = failed
		case written:
			taken += n * info.DType.Size()
		default:
			rest = append(rest, sec)
		}
	}
	for index, more := slices.Clone(first), true; more && ctx.Err() == nil; more = nd.Next(index, first, end) {
		sec := make(nd.Section, len(box))
		for d, r := range box {
			sec[d] = nd.Span(index[d]*info.Chunk[d], min(r.Hi, (index[d]+1)*info.Chunk[d]))
		}
		if !f.place.fillsChunk(sec, f.a) {
			done(sec, false, nil)
			continue
		}
		frame, readErr := f.r.ReadFrame(index)
		if readErr != nil || frame == nil {
			done(sec, readErr == nil && isLeftOut(f.r, sec, f.fill), nil) // ReadSection reports errors
			continue
		}
		f.slots <- struct{}{}
		at := f.place.index(index, f.a)
		all.Go(func() {
			written, err := f.a.WriteFrame(at, frame)
			done(sec, written, err)
			<-f.slots
		})
	}
	all.Wait()
	if err == nil {
		err = ctx.Err()
	}
	return rest, taken, err
}

// copyElements copies a chunk by its elements, and returns their bytes.
func (f *frameImport) copyElements(sec nd.Section) (int, error) {
	n, _ := sec.Len() // of a section of the variable
	elements := make([]byte, n*f.r.Info().DType.Size())
	if err := f.r.ReadSection(sec, elements); err != nil {
		return 0, readError{err}
	}
	return len(elements), f.write(sec, elements)
}
