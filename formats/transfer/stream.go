package transfer

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"time"

	"drx/formats"
	"drx/nd"
)

// A box is a part of a variable in memory.
type box struct {
	sec nd.Section
	buf []byte
	err error
}

// abandon is the time that an interrupted import waits for a running read.
const abandon = time.Second

// stream reads boxes of a variable and calls use with each, while the next one is being read into a
// second buffer. It skips the first skip boxes. If fill is not nil, use gets an empty buffer for
// boxes that the file leaves out and whose elements are all fill. When ctx ends during a long read,
// stream waits for at most abandon and leaves the read behind.
func stream(ctx context.Context, r formats.Reader, boxes iter.Seq[nd.Section], skip int, fill []byte, use func(sec nd.Section, buf []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	free, filled, ended := make(chan []byte, 2), make(chan box), make(chan struct{})
	free <- nil
	free <- nil
	go func() {
		defer close(ended)
		defer close(filled)
		readBoxes(ctx, r, boxes, skip, fill, free, filled)
	}()
	defer func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(abandon):
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, more := <-filled:
			switch {
			case !more:
				return ctx.Err()
			case b.err != nil:
				return readError{b.err}
			}
			if err := use(b.sec, b.buf); err != nil {
				return err
			}
			free <- b.buf
		}
	}
}

// readBoxes reads boxes until ctx ends.
func readBoxes(ctx context.Context, r formats.Reader, boxes iter.Seq[nd.Section], skip int, fill []byte, free <-chan []byte, filled chan<- box) {
	size := r.Info().DType.Size()
	for sec := range boxes {
		if skip > 0 {
			skip--
			continue
		}
		var buf []byte
		select {
		case <-ctx.Done():
			return
		case buf = <-free:
		}
		var err error
		if buf = buf[:0]; !isLeftOut(r, sec, fill) {
			n, _ := sec.Len() // of a section of the variable
			buf = slices.Grow(buf, n*size)[:n*size]
			err = r.ReadSection(sec, buf)
		}
		select {
		case <-ctx.Done():
			return
		case filled <- box{sec, buf, err}:
		}
		if err != nil {
			return
		}
	}
}

// isLeftOut reports whether a file stores nothing of a section, so that all its elements are fill.
func isLeftOut(r formats.Reader, sec nd.Section, fill []byte) bool {
	s, ok := r.(formats.Sparse)
	return ok && fill != nil && bytes.Equal(s.Missing(sec), fill)
}

// whole returns the section of all elements of a variable.
func whole(shape []int) nd.Section { return nd.Box(make([]int, len(shape)), shape) }
