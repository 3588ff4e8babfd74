package relayout

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"drx"
	"drx/nd"
	"drx/relayout/internal/exec"
	"drx/relayout/internal/planner"
)

// A copy between arrays that store chunks alike need not decompress them: it copies chunk by chunk,
// without the buffers of the plan. A chunk that the bounds cut differently, or that is just being
// written, is read and written by elements.

// storesAlike reports whether chunks can be copied in their stored form. The target must have no
// chunks yet: then every chunk that it has later was copied, and a resumed copy needs no other
// record of the progress.
func (j *copyJob) storesAlike(from, to planner.Grid) (bool, error) {
	k := len(to.Lo)
	if j.round != nil || len(j.plan.Passes) != 1 || !slices.Equal(from.Lo, to.Lo) || !isIdentity(j.options.Order, k) ||
		!j.dst.StoresLike(j.src) || 2*to.ChunkBytes() > j.options.Memory {
		return false, nil
	}
	if err := j.dst.Sync(); err != nil { // Usage does not know of chunks in memory
		return false, err
	}
	usage, err := j.dst.Usage()
	return usage.Written == 0, err
}

func isIdentity(order nd.Order, rank int) bool {
	return slices.IsSorted(order.Dims(rank))
}

// copyStored copies all chunks that the target lacks.
func (j *copyJob) copyStored(ctx context.Context) error {
	pass := &j.plan.Passes[0]
	chunkBytes := pass.Target.ChunkBytes()
	workers := int(max(1, min(int64(runtime.GOMAXPROCS(0)), j.options.Memory/(2*chunkBytes))))
	j.peak = max(j.peak, 2*int64(workers)*chunkBytes)
	first, end := chunksOf(pass.Target)
	j.report()
	var mu sync.Mutex
	return exec.ForEachIndex(ctx, workers, first, end, func(index []int) error {
		written, err := j.copyOneStored(index)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if cost := pass.CostOfChunks(1, 1); written {
			j.skipped = j.skipped.Plus(cost)
		} else {
			j.cost = j.cost.Plus(cost)
		}
		j.report()
		if !j.due(planner.Position{Steps: 1}) {
			return nil
		}
		return j.commit()
	})
}

// chunksOf returns the range of the indices of the chunks of a grid that has elements.
func chunksOf(g planner.Grid) (first, end []int) {
	for d, c := range g.ChunkShape {
		first = append(first, nd.FloorDiv(g.Lo[d], c))
		end = append(end, nd.CeilDiv(g.Hi[d], c))
	}
	return first, end
}

// copyOneStored copies a chunk, unless the target has it from an interrupted copy.
func (j *copyJob) copyOneStored(index []int) (written bool, err error) {
	if q, ok := j.dst.Grid().Number(index); ok {
		if written, err = j.dst.Written(q); err != nil || written {
			return written, err
		}
	}
	copied, err := j.dst.CopyChunk(j.src, index)
	if err != nil || copied {
		return false, err
	}
	sec := chunkSection(j.dst, index)
	elements, err := nd.Product(sec.Shape()...)
	if err != nil {
		return false, err
	}
	buf := make([]byte, elements*j.dst.DType().Size())
	if err := j.src.ReadBytes(sec, buf, nil); err != nil {
		return false, err
	}
	return false, j.dst.WriteBytes(sec, buf, nil)
}

// chunkSection returns the elements of a chunk that are within the bounds of an array.
func chunkSection(a *drx.Array, index []int) nd.Section {
	sec := a.Bounds()
	for d, c := range a.ChunkShape() {
		sec[d] = nd.Span(max(sec[d].Lo, index[d]*c), min(sec[d].Hi, (index[d]+1)*c))
	}
	return sec
}
