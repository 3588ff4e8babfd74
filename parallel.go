package drx

import (
	"context"
	"slices"

	"drx/dtype"
)

// ForEach calls f with the elements of every part of the walk w. The elements are dense, in the order w.Order.
// f is called by as many goroutines at the same time as Options.Goroutines allows, for the parts in any order.
// As many further goroutines read ahead, if w.Memory has room for them. f may change data, which is its own
// until it returns; that does not change the array. No lock is held while f runs, so f may use the array.
//
// After an error ForEach begins no more parts, waits until all calls of f have returned, and returns the error:
// that of f, unchanged; the cause of ctx's cancellation; or one that wraps ErrDType, ErrRank, ErrBounds,
// ErrOverflow if a part is too large, ErrClosed or ErrCorrupt. The array may grow meanwhile: the walk uses the
// bounds at its beginning. If the array shrinks or gets another dimension, the remaining parts may be
// unreadable (ErrBounds, ErrRank). If f panics, ForEach panics when all calls have returned, with an error that
// wraps f's value, if that is an error, and contains the stack of the panic.
func ForEach[T dtype.Element](ctx context.Context, a *Array, w Walk, f func(p Part, data []T) error) error {
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return err
	}
	return runTyped(ctx, k, 0, false, func(int) typedStages[T] { return typedStages[T]{work: f} })
}

// Reduce calls f with every part, as ForEach does, and merges the results into acc, one after the other, in the
// order of a.Parts(w). So it returns exactly what a plain loop over the parts would return, even for sums of
// floats, and with any number of goroutines. It returns acc if there are no parts. merge is never called by two
// goroutines at the same time. A result waits, together with its goroutine, until the results of all previous
// parts are merged. Errors are those of ForEach.
func Reduce[T dtype.Element, R any](
	ctx context.Context, a *Array, w Walk, acc R, f func(p Part, data []T) R, merge func(acc, r R) R,
) (R, error) {
	var none R
	k, err := startTypedWalk[T](a, w)
	if err != nil {
		return none, err
	}
	err = runTyped(ctx, k, 0, true, func(int) typedStages[T] {
		var r R
		return typedStages[T]{
			work: func(p Part, data []T) error {
				r = f(p, data)
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

// Map calls f with every part of src, as ForEach does, and writes out, which f has filled, to the same indices
// of dst. src and dst may be the same array. out has the length and the order of in, and is zero at first. If
// w.Tile is nil, the parts are the chunks of src or, if the chunks of dst have another shape, tiles of that
// shape, so that each chunk of dst is written once and as a whole. The section must be within the bounds of
// dst, which Map does not extend. Map does not call Sync. Errors are those of ForEach, for either array, and of
// Write; some parts may have been written then.
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
	return runTyped(ctx, from, to.state.DType.Size(), false, func(most int) typedStages[T] {
		buf := make([]U, most)
		var out []U
		return typedStages[T]{
			work: func(p Part, in []T) error {
				out = buf[:len(in)]
				clear(out)
				return f(p, in, out)
			},
			finish: func(p Part) error { return Write(dst, p.Section, out, from.Order) },
		}
	})
}

// startTypedWalk begins a walk over an array of elements of type T.
func startTypedWalk[T dtype.Element](a *Array, w Walk) (*walk, error) {
	k, err := a.startWalk(w)
	if err == nil {
		err = a.errorf("walk", checkType[T](k.state))
	}
	return k, err
}

// typedStages are the functions that a worker calls for each part, after it has read its elements. finish may be nil.
type typedStages[T dtype.Element] struct {
	work   func(p Part, data []T) error
	finish func(Part) error
}

// runTyped is walk.run for stages that get the elements. They use elem bytes per element in addition.
func runTyped[T dtype.Element](ctx context.Context, k *walk, elem int, ordered bool, newStages func(most int) typedStages[T]) error {
	return k.run(ctx, k.state.DType.Size()+elem, ordered, func(most int) stages {
		buf, s := make([]T, most), newStages(most) // each worker uses its buffer for every part
		var data []T
		return stages{
			load: func(p Part) error {
				n, err := p.Section.Len()
				if err != nil {
					return err
				}
				data = buf[:n]
				return ReadInto(k.array, p.Section, data, k.Order)
			},
			work:   func(p Part) error { return s.work(p, data) },
			finish: s.finish,
		}
	})
}
