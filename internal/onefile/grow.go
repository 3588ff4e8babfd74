package onefile

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"

	"drx/internal/chunktable"
)

// Format writes the header of a new file: the log's first extent, and the head of the groups. The
// header is not durable yet: that comes with the first line of the log. slot and align are those of
// ShapeFor.
func (c *Container) Format(slot int64, align int) error {
	shape := c.shapeFor(slot, align)
	if err := shape.check(); err != nil {
		return c.named(err)
	}
	if c.base != logStream {
		return c.formatMember(shape)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	const vouches = (headerBytes + firstLogExtent + block - 1) / block * block
	raw := encodeHeader(form{witnesses: true}, []record{
		{extentKind, logStream, 0, headerBytes, firstLogExtent},
		{shapeKind, groupStream, shape.Slot, shape.Chunks, shape.Unit},
		{extentKind, uint32(witness(logStream)), 0, vouches, block},
		{extentKind, groupStream, 0, roundUp(vouches+block, shape.Unit), shape.Unit},
	})
	s, err := readStreams(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer c.note()
	if err := c.File().Truncate(s.end); err != nil {
		return err
	}
	if err := c.syncGrowth(); err != nil {
		return err
	}
	if _, err := c.File().WriteAt(raw, 0); err != nil {
		return err
	}
	c.streams.Store(s)
	return nil
}

// shapeFor returns the shape for a new array in the container.
func (c *Container) shapeFor(slot int64, align int) Shape {
	if c.base != logStream {
		return ShapeFor(slot, align).small()
	}
	return ShapeFor(slot, align).alone()
}

// Fits reports whether the file is laid out as Format and Preallocate lay it out, for a number of
// chunks and not for many more.
func (c *Container) Fits(slot int64, align int, chunks int64) bool {
	shape := c.shapeFor(slot, align)
	st := c.streams.Load().stream(c.base + 1)
	if shape.check() != nil || st.shape != shape {
		return false
	}
	fresh := stream{shape: shape, length: shape.Unit}
	if chunks > 0 {
		fresh.length = c.lengthFor(&fresh, chunks-1, 0)
	}
	return st.length <= fresh.length
}

// allocationLock is the byte that a process locks to make the file longer, unless nobody else can
// do so.
const allocationLock = 1<<61 - 1

// allocate calls f with the current streams, under the lock for making the file longer.
func (c *Container) allocate(f func(*streams) error) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.exclusive() {
		unlock, err := c.File().LockRange(allocationLock, 1)
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
		if err == nil {
			defer func() { err = errors.Join(err, unlock()) }()
		} else if c.base != logStream {
			return err
		}
		if err := c.refreshLocked(); err != nil {
			return err
		}
	}
	return f(c.streams.Load())
}

// Growth of the groups: at least leastGrowth bytes or growthSlots slots, whichever is less, and at
// least a quarter. For chunks of the array they grow in one step, up to expectedGrowth bytes or
// four times their length, but not by more than mostGrowth: a sync for growth between two writes
// waits for the first one.
const (
	leastGrowth    = 8 << 20
	growthSlots    = 16
	expectedGrowth = 128 << 20
	mostGrowth     = 1 << 30
)

// lengthFor returns the length that groups get for chunk q of an array whose number of chunks is
// "of". An array in a file with several gets less in advance, because unused space stays between
// the arrays.
func (c *Container) lengthFor(st *stream, q, of int64) int64 {
	more, first := st.length/4, int64(expectedGrowth)
	if c.base != logStream {
		more, first = st.length/8, leastGrowth
	}
	length := st.length + roundUp(max(more, min(leastGrowth, growthSlots*st.shape.Slot)), page)
	if of > q {
		length = max(length, min(st.shape.reach(of-1), max(first, min(4*st.length, st.length+mostGrowth))))
	}
	return st.shape.roundUp(max(length, st.shape.reach(q)))
}

// cover makes the groups long enough for all chunks up to q, of an array whose number of chunks is
// "of", and returns the number of chunks for which they have space. With sync the header that
// records this is durable, also if another process has written it.
func (c *Container) cover(q, of int64, sync bool) (chunks int64, err error) {
	err = c.allocate(func(s *streams) error {
		st, most := s.stream(c.base+1), int64(0)
		if st.shaped() {
			most = (maxEnd - s.end) / st.shape.group() / 2 * st.shape.Chunks
		}
		switch {
		case q >= most:
			return c.named(fmt.Errorf("chunk %d is beyond what a file can have", q))
		case st.shape.reach(q) <= st.length:
			return c.secure(sync)
		}
		err := c.extend(c.base+1, c.lengthFor(st, q, min(of, most)))
		if errors.Is(err, syscall.EFBIG) { // the file system or a limit refuses bytes in advance
			err = c.extend(c.base+1, st.shape.roundUp(st.shape.reach(q)))
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	st := c.streams.Load().stream(c.base + 1)
	return st.shape.below(dataMember, st.length) / st.shape.Slot, nil
}

// growLog extends a log, a directory or a witness until it has space for need bytes. Each extent is
// as long as all before it.
func (c *Container) growLog(n int, need int64) error {
	return c.allocate(func(s *streams) error {
		length := s.stream(n).length
		if need <= length {
			return nil
		}
		unit := int64(page)
		if isWitness(n) {
			unit = block
		}
		return c.extend(n, roundUp(max(need, 2*length), unit))
	})
}

// Preallocate makes the file long enough for the given number of chunks and for a log of the given
// number of bytes. All of them then have an offset (vfs.Member), to which they may be copied.
func (c *Container) Preallocate(chunks, log int64) error {
	if chunks > 0 {
		if _, err := c.cover(chunks-1, 0, false); err != nil {
			return err
		}
	}
	return errors.Join(c.growLog(c.base, log), c.growLog(witness(c.base), chunktable.PresenceHead+chunks))
}

// extend sets the length of a stream, in bytes. The file is longer, durably, before the header says
// so, and the header is durable before anything is written there.
func (c *Container) extend(n int, length int64) error {
	if c.streams.Load().last != n {
		if err := c.makeRecord(); err != nil {
			return err
		}
	}
	return c.apply(c.streams.Load().extended(n, length))
}

// makeRecord prepares the file for another record of an extent: its last group is complete, and the
// header has room.
func (c *Container) makeRecord() error {
	if err := c.finishLast(); err != nil {
		return err
	}
	if s := c.streams.Load(); s.full() {
		return c.apply(len(s.records), s.nextRecordBlock())
	}
	return nil
}

// finishLast completes the last group of the last extent, so that another extent may follow.
func (c *Container) finishLast() error {
	s := c.streams.Load()
	st := s.stream(s.last)
	if !st.shaped() || st.shape.whole(st.length) == st.length {
		return nil
	}
	return c.apply(s.extended(s.last, st.shape.whole(st.length)))
}

// apply changes or adds a record. The first copy is durable before the second is written, so that
// one of them is always whole.
func (c *Container) apply(n int, r record) error {
	if h := c.streams.Load().recordBlocks; n > h[len(h)-1].last() {
		return c.named(fmt.Errorf("its header has no room for another extent, it has %d: drx compact makes room", n))
	}
	before := c.streams.Load()
	next, err := before.with(n, r)
	if err != nil {
		return c.named(err)
	}
	if n < len(before.records) || next.end > c.reserved { // makes a record's second copy durable, too
		if err := c.reserve(next.end); err != nil {
			return err
		}
	}
	c.durable = false
	if err := c.writeRecord(0, n, r); err != nil {
		return err
	}
	if err := c.syncGrowth(); err != nil {
		return err
	}
	c.durable = true
	c.streams.Store(next)
	if err := c.writeRecord(1, n, r); err != nil {
		return err
	}
	next = next.written(before, n)
	c.streams.Store(next)
	next.keep()
	return nil
}

// reserve makes the file end bytes long, durably.
func (c *Container) reserve(end int64) error {
	size, err := c.File().Size()
	if err != nil {
		return err
	}
	if size < end {
		if err := c.File().Truncate(end); err != nil {
			return err
		}
	}
	c.note()
	if err := c.syncGrowth(); err != nil {
		return err
	}
	c.reserved = end
	return nil
}

// writeRecord writes one copy of a record.
func (c *Container) writeRecord(copy, n int, r record) error {
	defer c.note()
	_, err := c.File().WriteAt(r.encode(n), c.streams.Load().recordOffset(copy, n))
	return err
}

// syncGrowth syncs the file, unless no write needs to be durable.
func (c *Container) syncGrowth() error {
	if c.relaxed.Load() {
		return nil
	}
	return c.Sync()
}

// secure makes sure that the header is durable, if sync is set: the process that wrote it may have
// been killed before its sync.
func (c *Container) secure(sync bool) error {
	if c.durable || !sync {
		return nil
	}
	if err := c.Sync(); err != nil {
		return err
	}
	c.durable = true
	return nil
}
