package diff

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"

	"drx/formats"
	"drx/nd"
)

// maxBox is the largest size of a box of elements, in bytes.
const maxBox = 16 << 20

// A box is the same part of both variables, in memory.
type box struct {
	sec  nd.Section
	a, b []byte
	err  error
}

// stream reads both variables box by box, and compares each box while the next one is read. Two
// boxes circulate between reader and comparison, which bounds the memory.
func (d *differ) stream(ctx context.Context, p pair, c *comparison) (total tally, err error) {
	ra, err := d.a.Reader(p.a.Name)
	if err != nil {
		return total, err
	}
	rb, err := d.b.Reader(p.b.Name)
	if err != nil {
		return total, errors.Join(err, ra.Close())
	}
	c.namesA, c.namesB = ra.Info().Labels, rb.Info().Labels
	ctx, cancel := context.WithCancel(ctx)
	boxes, free := make(chan *box), make(chan *box, 2)
	free <- &box{}
	free <- &box{}
	go func() {
		defer close(boxes)
		d.read(ctx, ra, rb, c, boxes, free)
	}()
	for b := range boxes {
		if err = b.err; err != nil {
			break
		}
		total.add(c.at(b.sec).box(b))
		d.report(int64(len(b.a)))
		free <- b
	}
	err = errors.Join(err, ctx.Err())
	cancel()
	for range boxes { //nolint:revive // until the reader has returned: it uses ra and rb
	}
	return total, errors.Join(err, ra.Close(), rb.Close())
}

// read reads boxes until ctx ends or one cannot be read.
func (d *differ) read(ctx context.Context, ra, rb formats.Reader, c *comparison, boxes chan<- *box, free <-chan *box) {
	for sec := range c.boxes(d.boxBytes(c)) {
		var x *box
		select {
		case <-ctx.Done():
			return
		case x = <-free:
		}
		n, _ := sec.Len() // of a section of the variables
		x.sec = slices.Clone(sec)
		x.a, x.b = sized(x.a, n*c.a.DType.Size()), sized(x.b, n*c.b.DType.Size())
		failed := make(chan error, 1)
		go func() { failed <- rb.ReadSection(x.sec, x.b) }()
		x.err = ra.ReadSection(x.sec, x.a)
		x.err = errors.Join(x.err, <-failed)
		select {
		case <-ctx.Done():
			return
		case boxes <- x:
		}
		if x.err != nil {
			return
		}
	}
}

func sized(buf []byte, n int) []byte { return slices.Grow(buf[:0], n)[:n] }

// boxBytes returns the size of a box of A, in bytes. Two boxes of each file are in memory at a
// time.
func (d *differ) boxBytes(c *comparison) int {
	limit := max(min(int(d.memory/8), maxBox), 64<<10)
	a, b := c.a.DType.Size(), c.b.DType.Size()
	return max(limit/max(a, b), 1) * a
}

// boxes returns the boxes of the variables. A box has a single index along each dimension whose
// indices differ in meaning, so that one comparison applies to the whole box.
func (c *comparison) boxes(bytes int) iter.Seq[nd.Section] {
	var split []int
	for _, d := range []int{c.splitA, c.splitB} {
		if d >= 0 && !slices.Contains(split, d) {
			split = append(split, d)
		}
	}
	all := nd.Box(make([]int, len(c.a.Shape)), c.a.Shape)
	return func(yield func(nd.Section) bool) { c.cut(all, split, bytes, yield) }
}

// cut yields the boxes of a section, cut into single indices along the dimensions in split.
func (c *comparison) cut(sec nd.Section, split []int, bytes int, yield func(nd.Section) bool) bool {
	if len(split) == 0 {
		for part := range c.a.Boxes(sec, bytes) {
			if !yield(part) {
				return false
			}
		}
		return true
	}
	one := slices.Clone(sec)
	for i := range c.a.Shape[split[0]] {
		one[split[0]] = nd.Span(i, i+1)
		if !c.cut(one, split[1:], bytes, yield) {
			return false
		}
	}
	return true
}

// atOnce is the smallest number of elements for a goroutine: comparing fewer costs less than
// starting one.
const atOnce = 64 << 10

// box compares the elements of a box, in parallel.
func (c *comparison) box(b *box) (total tally) {
	sizeA, sizeB := c.a.DType.Size(), c.b.DType.Size()
	n := len(b.a) / sizeA
	if !slices.Equal(c.a.Order.Dims(len(b.sec)), c.b.Order.Dims(len(b.sec))) {
		b.b = reorder(b.b, b.sec.Shape(), c.b.Order, c.a.Order, sizeB)
	}
	parts := max(1, min(runtime.GOMAXPROCS(0), n/atOnce))
	tallies := make([]tally, parts)
	var wait sync.WaitGroup
	for i := range parts {
		lo, hi := n*i/parts, n*(i+1)/parts
		wait.Go(func() {
			run := &run{comparison: c, sec: b.sec, dims: c.a.Order.Dims(len(b.sec))}
			run.compare(b.a[lo*sizeA:hi*sizeA], b.b[lo*sizeB:hi*sizeB], lo)
			tallies[i] = run.tally
		})
	}
	wait.Wait()
	for _, t := range tallies {
		total.add(t)
	}
	return total
}

// reorder returns the elements of a box in another order.
func reorder(elements []byte, shape []int, from, to nd.Order, size int) []byte {
	out := make([]byte, 0, len(elements))
	strides, step := make([]int, len(shape)), size
	for _, d := range slices.Backward(from.Dims(len(shape))) {
		strides[d] = step
		step *= shape[d]
	}
	dims, index := to.Dims(len(shape)), make([]int, len(shape))
	for len(out) < len(elements) {
		at := 0
		for d, i := range index {
			at += i * strides[d]
		}
		out = append(out, elements[at:at+size]...)
		for _, d := range slices.Backward(dims) {
			if index[d]++; index[d] < shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}
