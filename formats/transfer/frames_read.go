package transfer

import (
	"context"
	"iter"
	"runtime"
	"slices"
	"sync"

	"drx"
	"drx/formats"
	"drx/nd"
)

// A frameImport takes compressed chunks of a file as they are. An array stores them after it has
// decompressed them once, to check them; they are not compressed again.
type frameImport struct {
	r     formats.FrameReader
	a     *drx.Array
	fill  []byte                                      // what the array has anyway
	write func(sec nd.Section, elements []byte) error // the elements of a section
	slots chan struct{}                               // one for each chunk that is being checked
}

// newFrameImport returns what takes chunks from r, nil if the file has none that the array could
// have.
func newFrameImport(r formats.Reader, a *drx.Array, fill []byte, write func(sec nd.Section, elements []byte) error) *frameImport {
	f, ok := r.(formats.FrameReader)
	l := a.Layout()
	if !ok || l.Codec == "none" || l.ElementOrder != drx.RowOrder || !slices.Equal(r.Info().Chunk, a.ChunkShape()) {
		return nil
	}
	workers := int(max(1, min(int64(runtime.GOMAXPROCS(0)), (32<<20)/max(1, chunkBytes(r.Info())))))
	return &frameImport{f, a, fill, write, make(chan struct{}, workers)}
}

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
		frame, readErr := f.r.ReadFrame(index)
		if readErr != nil || frame == nil {
			done(sec, readErr == nil && isLeftOut(f.r, sec, f.fill), nil) // ReadSection reports errors
			continue
		}
		f.slots <- struct{}{}
		at := slices.Clone(index)
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
