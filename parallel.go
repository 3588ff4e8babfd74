package drx

import (
	"context"
	"slices"

	"drx/dtype"
)

// ForEach calls f with the elements of every part that w meets, dense and in the order of
// w.Order, in any order of the parts, from as many goroutines as Options.Goroutines allow;
// as many more read ahead meanwhile, if w.Memory has room. data is f's to read and change
// until it returns; that changes nothing in the array. No lock is held while f runs: it may
// use the array.
//
// After an error no more parts are begun, and ForEach returns it when all calls of f have
// returned: that of f as it is, the cause of ctx's end, or one that wraps ErrDType, ErrRank,
// ErrBounds, ErrOverflow (a part is too large), ErrClosed or ErrCorrupt. The array may grow
// meanwhile: the walk has the bounds of its beginning. If it shrinks, or gets one more
// dimension, parts can no longer be read: ErrBounds, ErrRank. If f panics, so does ForEach,
// when all calls have returned, with an error that wraps f's and says where it came from.
func ForEach[T dtype.Element](ctx context.Context, a *Array, w Walk, f func(p Part, data []T) error) error {
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return err
	}
	return k.run(ctx, k.state.DType.Size(), false, func(most int) steps {
		in := &input[T]{walk: k, buf: make([]T, most)}
		return steps{
			load: in.load,
			work: func(p Part) error { return f(p, in.data) },
		}
	})
}

// Reduce calls f with every part, as ForEach does, and merges what it returns into acc: one
// result after the other, in the order of a.Parts(w). So it returns what a plain loop over
// the parts would, to the last bit of a sum of floats, whatever the number of goroutines, and
// acc if there are no parts. merge is never called twice at a time; a result waits for those
// of the parts before, and its goroutine with it. Errors are those of ForEach.
func Reduce[T dtype.Element, R any](
	ctx context.Context, a *Array, w Walk, acc R, f func(p Part, data []T) R, merge func(acc, r R) R,
) (R, error) {
	var none R
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return none, err
	}
	err = k.run(ctx, k.state.DType.Size(), true, func(most int) steps {
		in := &input[T]{walk: k, buf: make([]T, most)}
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

// Map calls f with every part of src that w meets, as ForEach does, and writes what f makes of
// it to the same indices of dst, which may be src. out is laid out as in, and holds zeros
// at first. Without w.Tile the parts are the chunks of src or, if those of dst have another
// shape, tiles of that shape, so that each chunk of dst is written once and as a whole. The
// section must be within the bounds of dst: Map extends nothing, and leaves Sync to the
// caller. Errors are those of ForEach, for either array, and of Write; some parts have been
// written then.
func Map[T, U dtype.Element](ctx context.Context, dst, src *Array, w Walk, f func(p Part, in []T, out []U) error) error {
	if chunk := dst.ChunkShape(); w.Tile == nil && !slices.Equal(chunk, src.ChunkShape()) {
		w.Tile = chunk
	}
	from, err := startTypedWalk[T](src, w)
	if err != nil {
		return err
	}
	to, err := startTypedWalk[U](dst, Walk{Section: from.Section})
	if err != nil {
		return err
	}
	return from.run(ctx, from.state.DType.Size()+to.state.DType.Size(), false, func(most int) steps {
		in := &input[T]{walk: from, buf: make([]T, most)}
		buf := make([]U, most)
		var out []U
		return steps{
			load: in.load,
			work: func(p Part) error {
				out = buf[:len(in.data)]
				clear(out)
				return f(p, in.data, out)
			},
			finish: func(p Part) error { return Write(dst, p.Section, out, from.Order) },
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

func (in *input[T]) load(p Part) error {
	n, err := p.Section.Len()
	if err != nil {
		return err
	}
	in.data = in.buf[:n]
	return ReadInto(in.walk.array, p.Section, in.data, in.walk.Order)
}
