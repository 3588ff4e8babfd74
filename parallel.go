package drx

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"drx/dtype"
	"drx/nd"
)

// ForEach calls f with the elements of every part that w meets, dense and in the order of
// w.Order, from as many goroutines as Options.Goroutines allow, in any order; as many more
// read ahead meanwhile, within w.Memory. data is valid until f returns and f may change it,
// which changes nothing in the array. f may use the array, but must not close it.
//
// After an error no more parts are begun; ForEach returns it, when all calls of f have
// returned: that of f as it is, the cause of ctx's end, or one that wraps ErrDType,
// ErrRank, ErrBounds, ErrOverflow (a part too large), ErrClosed or ErrCorrupt. The array may grow
// meanwhile; f sees the bounds of the beginning.
func ForEach[T dtype.Element](ctx context.Context, a *Array, w Walk, f func(p Part, data []T) error) error {
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return err
	}
	return k.run(ctx, k.state.DType.Size(), false, func(most int) steps {
		in := newInput[T](k, most)
		return steps{
			load: in.load,
			work: func(p Part) error { return f(p, in.data) },
		}
	})
}

// Reduce calls f with every part, as ForEach does, and merges what it returns into acc: one
// result after the other in the order of a.Parts(w), never two at a time. So the result is that of
// a plain loop over the parts, to the last bit of a sum of floats, whatever the number of goroutines; with
// no parts it is acc. A result waits for those before it, and its goroutine with it, so
// that there are never more than twice Options.Goroutines. Errors are those of ForEach.
func Reduce[T dtype.Element, R any](
	ctx context.Context, a *Array, w Walk, acc R, f func(p Part, data []T) R, merge func(acc, r R) R,
) (R, error) {
	var none R
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return none, err
	}
	err = k.run(ctx, k.state.DType.Size(), true, func(most int) steps {
		in := newInput[T](k, most)
		var r R
		return steps{
			load: in.load,
			work: func(p Part) error {
				r = f(p, in.data)
				return nil
			},
			finish: func(Part) error {
				acc, r = merge(acc, r), none
				return nil
			},
		}
	})
	if err != nil {
		return none, err
	}
	return acc, nil
}

// Map calls f with every part of src that w meets, as ForEach does, and writes what f puts into
// out, which is zeros at first and laid out as in, to the same indices of dst; dst may be src. The section must
// be within the bounds of dst: Map extends nothing. Without w.Tile the parts are the chunks
// of src, or, if those of dst have another shape, tiles of that, so that each chunk of dst
// is written once and as a whole. Errors are those of ForEach and Write, for either array;
// after one, some parts have been written. The caller decides when to Sync.
func Map[T, U dtype.Element](ctx context.Context, dst, src *Array, w Walk, f func(p Part, in []T, out []U) error) error {
	if chunk := dst.Chunk(); w.Tile == nil && !slices.Equal(chunk, src.Chunk()) {
		w.Tile = chunk
	}
	k, err := startTypedWalk[T](src, w)
	if err != nil {
		return err
	}
	to, err := startTypedWalk[U](dst, Walk{Section: k.Section})
	if err != nil {
		return err
	}
	return k.run(ctx, k.state.DType.Size()+to.state.DType.Size(), false, func(most int) steps {
		in, out := newInput[T](k, most), make([]U, most)
		return steps{
			load: in.load,
			work: func(p Part) error {
				clear(out[:len(in.data)])
				return f(p, in.data, out[:len(in.data)])
			},
			finish: func(p Part) error { return Write(dst, p.Section, out[:len(in.data)], k.Order) },
		}
	})
}

func startTypedWalk[T dtype.Element](a *Array, w Walk) (*walk, error) {
	k, err := a.startWalk(w)
	if err == nil {
		err = a.errorf("walk", checkType[T](k.state))
	}
	return k, err
}

// An input reads parts into memory that it keeps.
type input[T dtype.Element] struct {
	walk *walk
	buf  []T
	data []T // of the part read last
}

func newInput[T dtype.Element](k *walk, most int) *input[T] {
	return &input[T]{walk: k, buf: make([]T, most)}
}

func (in *input[T]) load(p Part) error {
	n, err := p.Section.Len()
	if err != nil {
		return err
	}
	in.data = in.buf[:n]
	return ReadInto(in.walk.array, in.data, p.Section, in.walk.Order)
}

// steps are what a goroutine does with a part, one after the other; finish may be nil.
type steps struct{ load, work, finish func(Part) error }

// A crew is the goroutines that go over a walk.
type crew struct {
	slots    chan struct{} // holds one for each part that is at work
	ordered  bool          // parts are finished in the order of the walk
	progress func(done, total int64)

	mu          sync.Mutex
	next        func() (Part, error, bool)
	last        chan struct{} // closed when the part taken last is finished
	done, total int64
}

// run does the steps for every part, elem bytes of memory for each element. start is called by each goroutine for
// steps of its own, with the number of elements of the largest part.
func (k *walk) run(ctx context.Context, elem int, ordered bool, start func(most int) steps) error {
	most, goroutines, err := k.room(elem)
	if err != nil {
		return err
	}
	c := &crew{slots: make(chan struct{}, k.array.parallel), ordered: ordered, last: make(chan struct{})}
	close(c.last)
	if c.progress = k.Progress; c.progress != nil {
		if c.total, err = k.countWritten(); err != nil {
			return err
		}
	}
	var stop func()
	c.next, stop = iter.Pull2(k.parts())
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			err := errLeft
			defer func() { cancel2(cancel, err) }()
			err = c.serve(ctx, start(most))
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
