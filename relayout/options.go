package relayout

import (
	"time"

	"drx/dataset/meaning"
	"drx/nd"
)

// DefaultMemory is the bound on memory, in bytes, if Options.Memory is 0.
const DefaultMemory = 256 << 20

// DefaultCommitBytes replaces a CommitBytes of 0.
const DefaultCommitBytes = 256 << 20

// ArrayCache is the cache, in bytes, to open the arrays of a copy with. A smaller cache cannot
// join thin chunks for one write; a larger one gains nothing.
const ArrayCache = 16 << 20

// Options control a copy. The zero value copies the whole source with its dimensions in their
// order.
type Options struct {
	// Order says that dimension d of the target is dimension Order[d] of the source.
	Order nd.Order
	// Section is the section of the source to copy; nil means everything.
	Section nd.Section
	// Memory bounds the bytes of all buffers; 0 means DefaultMemory. The memory of the two arrays
	// themselves is not counted: open them with ArrayCache.
	Memory int64
	// Clip replaces elements that do not fit the type of the target by the nearest value that does,
	// and NaN, where the target has none, by the fill value. Without Clip they are an error.
	Clip bool
	// Rounding rounds the elements of the target, see meaning.Rounding, and sets the attribute that
	// records it; the zero Rounding rounds nothing.
	Rounding meaning.Rounding
	// TempDir is the folder for temporary arrays; empty is the folder of the target.
	TempDir string
	// Resume continues the copy that was interrupted in the target, if one was.
	Resume bool
	// CommitBytes is the least number of bytes, read and written, between two commits within a
	// template; the end of a template is always a commit. A copy that was killed repeats no more
	// than these bytes, or the template in progress, and the steps in progress. 0 is
	// DefaultCommitBytes; 1 commits after every step.
	CommitBytes int64
	// CommitInterval is the least time between two commits. It makes commits less frequent.
	CommitInterval time.Duration
	// Progress, if not nil, is called at the beginning of each pass and after each step, with
	// the bytes moved and the bytes to move in all passes, including what was moved before an
	// interruption. It may be called by any goroutine, by one at a time.
	Progress func(done, total int64)
}

// Stats describe a finished or interrupted copy.
type Stats struct {
	Plan       *Plan
	Cost       Cost  // what was read and written, as counted
	Skipped    Cost  // the part that an interrupted copy had done before
	PeakMemory int64 // the largest size of all buffers together, in bytes
	Elapsed    time.Duration
}
