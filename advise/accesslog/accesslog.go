// Package accesslog counts the shapes of the sections that a program reads and writes. It appends
// the counts to a file, from which "drx advise" and package advise choose a chunk shape:
//
//	log := accesslog.New("speed.access")
//	defer log.Close()
//	a, err := drx.Open("speed", drx.Options{Observe: log.Add})
//
// A log is text with one JSON object per line:
//
//	{"op":"read","box":[1,512,512],"count":1000}
//
// A shape may have any number of lines; their counts are added. Several programs may append to a
// log at once.
package accesslog

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"drx/nd"
)

// Ext is the extension of an array's access log, ARRAY.access, which "drx advise" reads by default.
const Ext = ".access"

const (
	// maxShapes is the largest number of shapes that a Log counts in memory.
	maxShapes = 1024
	// period is the time between two writes of the counts.
	period = time.Minute
)

// An Entry is a line of an access log: the number of sections of one shape that were read or
// written.
type Entry struct {
	// Op is "read" or "write". A fill counts as a write.
	Op string `json:"op"`
	// Box holds the extents of the sections in elements. For a section with steps these are the
	// extents of its bounding box.
	Box []int `json:"box"`
	// Count is the number of sections, at least 1.
	Count int64 `json:"count"`
}

// Read reads an access log and returns one entry per operation and shape, in order of first
// appearance. Boxes may differ in rank, because dimensions can be added to an array. The error is
// one of r, or names the line and wraps ErrSyntax, or nd.ErrOverflow for a sum of counts that does
// not fit an int64.
func Read(r io.Reader) ([]Entry, error) {
	var counts []Entry
	indexOf := map[string]int{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c, err := parseEntry(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("access log, line %d: %w", n, err)
		}
		key := fmt.Sprint(c.Op, c.Box)
		at, known := indexOf[key]
		if !known {
			indexOf[key] = len(counts)
			counts = append(counts, c)
			continue
		}
		var ok bool
		if counts[at].Count, ok = addCounts(counts[at].Count, c.Count); !ok {
			return nil, fmt.Errorf("access log, line %d: counts of %v: %w", n, c.Box, nd.ErrOverflow)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("access log: %w", err)
	}
	return counts, nil
}

func addCounts(a, b int64) (int64, bool) { return a + b, a+b >= a }

func parseEntry(line []byte) (c Entry, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("%w: more than one object", ErrSyntax)
	}
	switch {
	case c.Op != "read" && c.Op != "write":
		return c, fmt.Errorf("%w: op %q is neither read nor write", ErrSyntax, c.Op)
	case len(c.Box) < 1 || len(c.Box) > nd.MaxRank:
		return c, fmt.Errorf("%w: box of rank %d", ErrSyntax, len(c.Box))
	case slices.Min(c.Box) < 1:
		return c, fmt.Errorf("%w: box %v has an extent below 1", ErrSyntax, c.Box)
	case c.Count < 1:
		return c, fmt.Errorf("%w: count %d is below 1", ErrSyntax, c.Count)
	}
	return c, nil
}

// ErrSyntax is wrapped by the error of Read for a line that is not an entry of an access log.
var ErrSyntax = errors.New("not an access log")

// A Log counts accesses by shape. It appends the counts to a file every minute, when there are more
// than 1024 shapes, and when it is closed. It keeps no file open in between. It is safe for
// concurrent use.
type Log struct {
	name  string
	timer *time.Timer

	mu         sync.RWMutex // held exclusively to change shapes
	shapes     map[uint64]*shape
	shapeCount int   // shapes
	lostErr    error // the first error that lost counts
	closed     bool
}

// A shape is an operation and a box with their count. Shapes with the same hash are chained.
type shape struct {
	Entry
	count atomic.Int64
	next  *shape
}

// New returns a Log that appends to the file with the given name. It creates the file at the first
// write.
func New(name string) *Log {
	l := &Log{name: name, shapes: map[uint64]*shape{}}
	l.timer = time.AfterFunc(period, l.writePeriodically)
	return l
}

// Add counts an access to a section with the given extents. Use it as drx.Options.Observe.
func (l *Log) Add(write bool, box []int) {
	op := "read"
	if write {
		op = "write"
	}
	key := hashBox(op, box)
	l.mu.RLock()
	s := l.lookup(key, op, box)
	if s != nil {
		s.count.Add(1)
	}
	l.mu.RUnlock()
	if s == nil {
		l.insert(key, op, box)
	}
}

// hashBox returns a hash in the manner of FNV-1a, over words instead of bytes.
func hashBox(op string, box []int) uint64 {
	h := 14695981039346656037 ^ uint64(op[0])
	for _, n := range box {
		h = (h ^ uint64(n)) * 1099511628211
	}
	return h
}

// lookup returns the shape with its count, or nil. l.mu must be held.
func (l *Log) lookup(key uint64, op string, box []int) *shape {
	for s := l.shapes[key]; s != nil; s = s.next {
		if s.Op == op && slices.Equal(s.Box, box) {
			return s
		}
	}
	return nil
}

// insert counts a box that lookup did not find. Another goroutine may have inserted it since.
func (l *Log) insert(key uint64, op string, box []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.lookup(key, op, box)
	if s == nil {
		if l.shapeCount == maxShapes {
			if err := l.flush(); l.lostErr == nil {
				l.lostErr = err // the counts are dropped even then, to limit memory
			}
			clear(l.shapes)
			l.shapeCount = 0
		}
		s = &shape{Entry: Entry{Op: op, Box: slices.Clone(box)}, next: l.shapes[key]}
		l.shapes[key] = s
		l.shapeCount++
	}
	s.count.Add(1)
}

// writePeriodically writes the counts and restarts the timer.
func (l *Log) writePeriodically() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		_ = l.flush() // on failure the counts are kept for the next write
		l.timer.Reset(period)
	}
}

// Close writes the counts. It returns the first error that lost counts.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.timer.Stop()
	err := l.flush()
	if l.lostErr != nil {
		err = l.lostErr
	}
	if err != nil {
		return fmt.Errorf("access log: %w", err)
	}
	return nil
}

// flush appends the counts to the file and resets them to zero. After an error they are unchanged.
// l.mu must be held exclusively.
func (l *Log) flush() error {
	var used []*shape
	for _, s := range l.shapes {
		for ; s != nil; s = s.next {
			if s.Count = s.count.Load(); s.Count > 0 {
				used = append(used, s)
			}
		}
	}
	if len(used) == 0 {
		return nil
	}
	slices.SortFunc(used, func(a, b *shape) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), slices.Compare(a.Box, b.Box))
	})
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	for _, s := range used {
		if err := e.Encode(s.Entry); err != nil {
			return err
		}
	}
	if err := appendFile(l.name, text.Bytes()); err != nil {
		return err
	}
	for _, s := range used {
		s.count.Store(0)
	}
	return nil
}

// appendFile appends text to a file with one write. If only a part of it is written, it removes
// that part again, unless another process has appended since.
func appendFile(name string, text []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	n, err := f.Write(text)
	if err == nil || n == 0 {
		return err
	}
	end, seekErr := f.Seek(0, io.SeekCurrent)
	info, statErr := f.Stat()
	if seekErr == nil && statErr == nil && info.Size() == end {
		_ = f.Truncate(end - int64(n)) // the caller needs the first error
	}
	return err
}
