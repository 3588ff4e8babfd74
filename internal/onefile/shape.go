package onefile

import (
	"fmt"

	"drx/internal/chunktable"
)

// page is the unit of the offsets and lengths of extents.
const page = 4096

// block is the largest unit in which disks and file systems are expected to lose bytes. What
// vouches for something is in another one: table entries, the chunks that their checksums are of,
// and witnesses, see witness.
const block = 64 << 10

// A Shape says how the groups of an array are laid out. Its stream is, with parts that are
// multiples of Unit:
//
//	| head | entries, presence bytes | slots | entries, presence bytes | slots | ...
//	|      |<------------ group 0 ---------->|<------------ group 1 ---------->|
type Shape struct {
	Slot   int64 // bytes from one chunk to the next
	Chunks int64 // chunks of a group
	Unit   int64 // of the parts, a multiple of page; of new files also of block
}

// The limits of a Shape. They bound what a damaged header can ask for.
const (
	maxChunks = 1 << 20
	maxUnit   = 1 << 42
	maxGroup  = 1 << 60 // bytes
)

const (
	vouchBytes  = chunktable.EntrySize + 1 // bytes of the table and the presence map for a chunk
	vouchPage   = page / vouchBytes        // most chunks with entries and presence bytes in a page
	groupBytes  = 8 << 20                  // about the size of a group of small chunks
	largeGroup  = 32 << 20                 // about the size of a group of large ones
	leastChunks = 16                       // of a group
	mostPages   = 16                       // of the entries of a group
	tinySlot    = 256                      // bytes; groups of smaller chunks have one unit of entries
	writePiece  = 128 << 10                // bytes that are written at a time, see writeq
)

// ShapeFor returns the shape for chunks that are slot bytes apart and begin at multiples of align
// bytes. A group has some MiB of chunks; its entries take few pages. Where that is possible, its
// slots fill whole pages.
func ShapeFor(slot int64, align int) Shape { return shapeFor(slot, align, block) }

// shapeFor is ShapeFor with parts that are multiples of a unit, a page in files of earlier
// versions.
func shapeFor(slot int64, align int, unit int64) Shape {
	s := Shape{Slot: slot, Unit: unit}
	if a := int64(max(1, align)); unit%a != 0 {
		s.Unit = a / gcd(a, unit) * unit
	}
	pages := min(max(1, groupBytes/(vouchPage*slot)), mostPages, max(unit/page, slot/tinySlot))
	s.Chunks = pages * vouchPage
	if pages == 1 {
		s.Chunks = min(vouchPage, max(leastChunks, largeGroup/slot))
	}
	if whole := page / gcd(slot, page); whole <= s.Chunks {
		s.Chunks -= s.Chunks % whole
	}
	return s
}

// alone returns the shape for an array that has the file for itself. Slots of whole pages are
// aligned as in a file of their own, up to the size of a write, because the page cache has large
// pages for aligned writes; other writes take up to a third longer. The free bytes in front of the
// slots stay a hole. The groups of several arrays are too small for that.
func (s Shape) alone() Shape {
	if s.Unit == block || s.Unit == page { // no alignment asks for more
		s.Unit = max(s.Unit, gcd(s.Slot, writePiece))
	}
	return s
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// check returns the reason why a shape that was read is impossible, nil if it is not.
func (s Shape) check() error {
	switch {
	case s.Slot <= 0 || s.Slot > maxGroup:
		return fmt.Errorf("slots of %d bytes", s.Slot)
	case s.Chunks <= 0 || s.Chunks > maxChunks:
		return fmt.Errorf("groups of %d chunks, the limit is %d", s.Chunks, maxChunks)
	case s.Unit <= 0 || s.Unit > maxUnit || s.Unit%page != 0:
		return fmt.Errorf("a unit of %d bytes", s.Unit)
	case s.Slot > maxGroup/s.Chunks:
		return fmt.Errorf("groups of %d chunks of %d bytes", s.Chunks, s.Slot)
	}
	return nil
}

// roundUp returns n, rounded up to a multiple of unit.
func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// front returns the bytes of a group in front of its slots.
func (s Shape) front() int64 { return roundUp(vouchBytes*s.Chunks, s.Unit) }

// group returns the bytes of a group.
func (s Shape) group() int64 { return s.front() + roundUp(s.Chunks*s.Slot, s.Unit) }

// groups returns how many groups have begun in a stream of length bytes.
func (s Shape) groups(length int64) int64 {
	if length <= s.Unit {
		return 0
	}
	g := s.group()
	return (length - s.Unit + g - 1) / g
}

// reach returns the length of a stream that has space for chunk q and all before it. It never ends
// in front of the slots of a group.
func (s Shape) reach(q int64) int64 {
	end := s.Unit + q/s.Chunks*s.group() + s.front() + (q%s.Chunks+1)*s.Slot
	return roundUp(end, page)
}

// roundUp returns the least length that is at least length and does not end within the front of a
// group.
func (s Shape) roundUp(length int64) int64 {
	within := (length - s.Unit) % s.group()
	if length > s.Unit && within > 0 && within < s.front() {
		length += s.front() - within
	}
	return length
}

// whole returns the length of a stream whose last group is complete.
func (s Shape) whole(length int64) int64 { return s.Unit + s.groups(length)*s.group() }

// A member is one of what would be the files of an array.
type member uint8

const (
	logMember member = iota
	dataMember
	tableMember
	presenceMember
)

// per returns the bytes of a member in each group, and their offset in the group.
func (s Shape) per(m member) (bytes, at int64) {
	switch m {
	case tableMember:
		return s.Chunks * chunktable.EntrySize, 0
	case presenceMember:
		return s.Chunks, s.Chunks * chunktable.EntrySize
	default:
		return s.Chunks * s.Slot, s.front()
	}
}

// below returns the number of a member's bytes in front of an offset in the stream. It is the
// inverse of place.
func (s Shape) below(m member, at int64) int64 {
	head := int64(0)
	if m == presenceMember {
		if head = min(at, chunktable.PresenceHead); at <= s.Unit {
			return head
		}
	}
	if at <= s.Unit {
		return 0
	}
	per, begin := s.per(m)
	group, within := (at-s.Unit)/s.group(), (at-s.Unit)%s.group()
	return head + group*per + min(max(0, within-begin), per)
}
