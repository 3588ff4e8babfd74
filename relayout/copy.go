package relayout

import (
	"context"
	"time"

	"drx"
	"drx/internal/errkind"
)

// Copy copies src, or a section of it, to dst, whose extents must be those of the source in the
// given order. It plans with NewPlan, and its buffers never exceed Options.Memory. Intermediate
// data goes to temporary arrays, which are removed at the end and after an error.
//
// Where both arrays store chunks alike (drx.Array.StoresLike), their dimensions have the same order
// and indices, and the target has no chunks yet, chunks are copied in their stored form:
// compressed, and verified against their checksums. Unwritten chunks of the source then stay
// unwritten.
//
// Elements are converted to the type of the target: numbers become the nearest number of that type,
// ties the even integer. Complex numbers cannot become real. Options.Rounding rounds the converted
// elements.
//
// Until the copy is complete, the target has the attribute IncompleteAttr, committed before
// any data, and the attribute relayout.done, replaced with every commit. With Options.Resume,
// Copy continues from there after an interruption of any kind, in this process or another, which
// opens the target with drx.Options.Incomplete. It reads again what finished steps have read of
// target chunks that they did not complete. The source must not have changed in between. After
// the end of ctx, temporary arrays stay for Resume.
//
// When Copy returns nil, everything is committed. The error is the cause of the end of ctx, or one
// of the arrays, or wraps one of these: drx.ErrIncomplete if the source is incomplete, or if the
// target is and Resume is not set; ErrMismatch; ErrMemory; optionerr.ErrOption for a rounding that
// the type of the target does not have; drx.ErrDType for a value that does not
// fit, or types that cannot be converted; nd.ErrRank; nd.ErrBounds.
func Copy(ctx context.Context, dst, src *drx.Array, o Options) (Stats, error) {
	start := time.Now()
	j, err := newCopyJob(dst, src, o)
	if err == nil {
		err = j.run(ctx)
	}
	stats := j.stats()
	stats.Elapsed = time.Since(start)
	if err != nil {
		return stats, errkind.Doing(src.Name(), "copy to "+dst.Name(), err)
	}
	return stats, nil
}
