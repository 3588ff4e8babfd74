// Package accesslog counts the shapes of the sections that a program reads and writes, in a file from which
// "drx advise" and package advise choose the shape of chunks:
//
//	log := accesslog.New("speed.access")
//	defer log.Close()
//	a, err := drx.Open("speed", drx.Options{Observe: log.Add})
//
// A log is text, a JSON object a line:
//
//	{"op":"read","box":[1,512,512],"count":1000}
//
// A shape may have any number of lines, whose counts add up. Several programs may append to a log at once.
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

// Ext is what the name of an array's access log has behind the array's by custom: where "drx advise" looks
// for it.
const Ext = ".access"

const (
	// maxShapes is how many shapes an access log counts in memory.
	maxShapes = 1024
	// period is how often the counts are written.
	period = time.Minute
)

// An Entry is a line of an access log: so many sections of one shape were read or written.
type Entry struct {
	// Op is "read" or "write"; a fill is a write.
	Op string `json:"op"`
	// Box holds the extents of the section in elements; with a step, those from the first
	// index to the last.
	Box []int `json:"box"`
	// Count is how often, at least once.
	Count int64 `json:"count"`
}

// Read reads an access log and adds up the lines of equal shape, in the order in which
// they appear first. Boxes may be of different ranks, as dimensions are added. The error is
// that of reading, or names the line and wraps ErrSyntax.
func Read(r io.Reader) ([]Entry, error) {
	var counts []Entry
	places := map[string]int{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c, err := parseAccess(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("access log, line %d: %w", n, err)
		}
		key := fmt.Sprint(c.Op, c.Box)
		at, known := places[key]
		if !known {
			places[key] = len(counts)
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

func parseAccess(line []byte) (c Entry, err error) {
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

// ErrSyntax is wrapped by the error of Read for text that is no access log.
var ErrSyntax = errors.New("no access log")

// A Log counts accesses by shape and appends the counts to a file: every minute, when there are too many
// shapes, and when it is closed. No file stays open in between. It may be used by several goroutines.
type Log struct {
	name  string
	timer *time.Timer

	mu     sync.RWMutex // held exclusively to change shapes
	shapes map[uint64]*shape
	n      int   // shapes
	lost   error // why counts were given up, the first time
	closed bool
}

// A shape is a shape with its count. Shapes of one hash are chained.
type shape struct {
	Entry
	count atomic.Int64
	next  *shape
}

// New returns a log that is appended to the file with a name, which is created when there is something to
// write.
func New(name string) *Log {
	l := &Log{name: name, shapes: map[uint64]*shape{}}
	l.timer = time.AfterFunc(period, l.tick)
	return l
}

// Add counts an access to a section with these extents. It is what drx.Options.Observe is for.
func (l *Log) Add(write bool, box []int) {
	op := "read"
	if write {
		op = "write"
	}
	key := hashBox(op, box)
	l.mu.RLock()
	s := l.find(key, op, box)
	if s != nil {
		s.count.Add(1)
	}
	l.mu.RUnlock()
	if s == nil {
		l.insert(key, op, box)
	}
}

// hashBox is FNV-1a by words.
func hashBox(op string, box []int) uint64 {
	h := 14695981039346656037 ^ uint64(op[0])
	for _, n := range box {
		h = (h ^ uint64(n)) * 1099511628211
	}
	return h
}

// find returns the count of a box, nil if there is none. A lock must be held.
func (l *Log) find(key uint64, op string, box []int) *shape {
	for s := l.shapes[key]; s != nil; s = s.next {
		if s.Op == op && slices.Equal(s.Box, box) {
			return s
		}
	}
	return nil
}

// insert counts a box that is new, or was a moment ago.
func (l *Log) insert(key uint64, op string, box []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.find(key, op, box)
	if s == nil {
		if l.n == maxShapes {
			if err := l.write(); l.lost == nil {
				l.lost = err // memory is bounded
			}
			clear(l.shapes)
			l.n = 0
		}
		s = &shape{Entry: Entry{Op: op, Box: slices.Clone(box)}, next: l.shapes[key]}
		l.shapes[key] = s
		l.n++
	}
	s.count.Add(1)
}

// tick writes the counts and asks to be called again.
func (l *Log) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		_ = l.write() // the counts stay, and close tries again
		l.timer.Reset(period)
	}
}

// Close writes the counts. The error says why some are lost.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.timer.Stop()
	err := l.write()
	if l.lost != nil {
		err = l.lost
	}
	if err != nil {
		return fmt.Errorf("access log: %w", err)
	}
	return nil
}

// write appends the counts to the file and sets them to zero; after an error they stay. l.mu
// must be held exclusively.
func (l *Log) write() error {
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

// appendFile appends text to a file in one write. Of one that fails half way nothing stays,
// unless somebody else has appended since.
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
		_ = f.Truncate(end - int64(n)) // the first error is what the caller needs
	}
	return err
}
