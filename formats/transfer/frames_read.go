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

// A frameImport copies compressed chunks of a file to an array as they are. The array decompresses
// each once, to check it, but does not compress it again.
type frameImport struct {
	r     formats.FrameReader
	a     *drx.Array
	to    frameTarget
	fill  []byte                                      // of unwritten elements; nil: copy all
	write func(sec nd.Section, elements []byte) error // writes a chunk that cannot be copied
	slots chan struct{}                               // limits the chunks that are checked at once
}

// A frameTarget maps the elements of a variable to an array.
type frameTarget struct {
	at  []int // index of the first element
	own []int // the array's dimension for each of the variable; one index along others
}

// targetAt returns the target of a variable that lacks dimension sliceDim of an array, or lacks
// none if sliceDim is -1.
func targetAt(at []int, sliceDim int) frameTarget {
	p := frameTarget{at: at}
	for d := range at {
		if d != sliceDim {
			p.own = append(p.own, d)
		}
	}
	return p
}

// isAligned reports whether chunks of a variable have the shape and the boundaries of the array's.
func (p frameTarget) isAligned(chunk []int, a *drx.Array) bool {
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
func (p frameTarget) index(chunk []int, a *drx.Array) []int {
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

// fillsChunk reports whether a section of a variable covers its whole chunk of the array, as far as
// that lies within the array's bounds. If not, the chunk also has elements of other origin, and
// cannot be replaced by a frame.
func (p frameTarget) fillsChunk(sec nd.Section, a *drx.Array) bool {
	bounds, chunk := a.Bounds(), a.ChunkShape()
	for i, d := range p.own {
		if sec[i].Len() < chunk[d] && p.at[d]+sec[i].Hi != bounds[d].Hi {
			return false
		}
	}
	return true
}

// newFrameImport returns a frameImport for chunks of r, or nil if none can be copied because codec,
// element order or chunks differ. It checks at most 32 MiB of chunks at a time.
func newFrameImport(r formats.Reader, a *drx.Array, to frameTarget, fill []byte, write func(sec nd.Section, elements []byte) error) *frameImport {
	f, ok := r.(formats.FrameReader)
	l := a.Layout()
	if !ok || l.Codec == "none" || l.ElementOrder != drx.RowOrder || !to.isAligned(r.Info().Chunk, a) {
		return nil
	}
	workers := int(max(1, min(int64(runtime.GOMAXPROCS(0)), (32<<20)/max(1, chunkBytes(r.Info())))))
	return &frameImport{f, a, to, fill, write, make(chan struct{}, workers)}
}

// hasFrames reports whether a variable of a file has compressed chunks with row-major elements of
// the given type, as an array stores them.
func hasFrames(info formats.Info, to dtype.DType) bool {
	return !info.Codec.IsNone() && info.Labels == nil && info.DType == to && !info.Streamed &&
		slices.Equal(info.Order.Dims(len(info.Shape)), nd.RowMajor.Dims(len(info.Shape)))
}

// CopyFrames copies a file to an array, from index at on: the compressed chunks where the array can
// store them unchanged, otherwise the elements. own are the array's dimensions that the file has.
// It calls used with the number of bytes of elements that were copied. It returns false, and has
// copied nothing, if no chunk can be stored unchanged, because codec, chunk shape or position
// differ. The caller makes sure that elements mean the same in both and are not to be rounded.
func CopyFrames(ctx context.Context, r formats.Reader, a *drx.Array, at, own []int, used func(bytes int)) (done bool, err error) {
	info := r.Info()
	if !hasFrames(info, a.DType()) {
		return false, nil
	}
	m := &mover{a: a, info: info, at: at, sliceDim: -1}
	if len(own) < len(at) {
		if len(own) != len(at)-1 {
			return false, nil
		}
		for m.sliceDim = 0; m.sliceDim < len(own) && own[m.sliceDim] == m.sliceDim; m.sliceDim++ {
			continue
		}
	}
	f := newFrameImport(r, a, frameTarget{at, own}, nil, m.write)
	if f == nil {
		return false, nil
	}
	boxes, copied := info.Boxes(whole(info.Shape), frameBoxes), 0
	count := func(sec nd.Section) {
		copied++
		n, _ := sec.Len() // of a section of the variable
		used(n * info.DType.Size())
	}
	err = f.copy(ctx, boxes, 0, func(sec nd.Section, _ int) error {
		count(sec)
		return nil
	})
	if err != nil || copied == 0 {
		return false, err
	}
	err = stream(ctx, r, boxes, copied, nil, func(sec nd.Section, buf []byte) error {
		count(sec)
		return m.write(sec, buf)
	})
	return true, err
}

// frameBoxes is the size of the boxes whose chunks are copied together, in bytes.
const frameBoxes = 8 << 20

// copy copies boxes, which consist of whole chunks, except for the first skip. It calls used after
// each box with the bytes that were written. It stops before the first box whose chunks could not
// be copied at all, because the chunks of later boxes probably cannot either: the caller copies the
// rest by stream, which is faster.
func (f *frameImport) copy(ctx context.Context, boxes iter.Seq[nd.Section], skip int, used func(sec nd.Section, bytes int) error) error {
	for sec := range boxes {
		if skip > 0 {
			skip--
			continue
		}
		rest, copied, err := f.copyBox(ctx, sec)
		if err != nil || copied == 0 {
			return err
		}
		for _, sec := range rest {
			n, err := f.copyElements(sec)
			if err != nil {
				return err
			}
			copied += n
		}
		if err := used(sec, copied); err != nil {
			return err
		}
	}
	return nil
}

// copyBox copies the chunks of a box unchanged. It returns the sections of the chunks that it could
// not copy, and the bytes of the others, including those that the file leaves out and that equal
// the array's fill value. The file is read here, one chunk at a time; the checks of the array run
// in parallel.
func (f *frameImport) copyBox(ctx context.Context, box nd.Section) (rest []nd.Section, copied int, err error) {
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
			copied += n * info.DType.Size()
		default:
			rest = append(rest, sec)
		}
	}
	for index, more := slices.Clone(first), true; more && ctx.Err() == nil; more = nd.Next(index, first, end) {
		sec := make(nd.Section, len(box))
		for d, r := range box {
			sec[d] = nd.Span(index[d]*info.Chunk[d], min(r.Hi, (index[d]+1)*info.Chunk[d]))
		}
		if !f.to.fillsChunk(sec, f.a) {
			done(sec, false, nil)
			continue
		}
		frame, readErr := f.r.ReadFrame(index)
		if readErr != nil || frame == nil {
			done(sec, readErr == nil && isLeftOut(f.r, sec, f.fill), nil) // ReadSection reports errors
			continue
		}
		f.slots <- struct{}{}
		at := f.to.index(index, f.a)
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
	return rest, copied, err
}

// copyElements copies the elements of a chunk, and returns their size in bytes.
func (f *frameImport) copyElements(sec nd.Section) (int, error) {
	n, _ := sec.Len() // of a section of the variable
	elements := make([]byte, n*f.r.Info().DType.Size())
	if err := f.r.ReadSection(sec, elements); err != nil {
		return 0, readError{err}
	}
	return len(elements), f.write(sec, elements)
}
