package onefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"drx/internal/chunktable"
	"drx/internal/vfs"
)

// create returns a container in a new file.
func create(t testing.TB, fsys vfs.FS, slot int64, align int) *Container {
	t.Helper()
	f, err := fsys.Create("a.drx")
	if err != nil {
		t.Fatal(err)
	}
	c := New(f)
	if err := errors.Join(c.Format(slot, align), f.Sync()); err != nil {
		t.Fatal(err)
	}
	return c
}

// reopen opens the container again with another handle.
func reopen(t testing.TB, fsys vfs.FS, write bool) *Container {
	t.Helper()
	f, err := fsys.Open("a.drx", write)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(f, write)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every byte has an offset of its own, the inverse mapping agrees, and slots are aligned.
func TestShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slot := rapid.Int64Range(1, 1<<rapid.IntRange(1, 40).Draw(t, "bits")).Draw(t, "slot")
		align := rapid.IntRange(0, 1<<20).Draw(t, "align")
		if align > 0 {
			slot = roundUp(slot, int64(align))
		}
		s := ShapeFor(slot, align)
		if rapid.Bool().Draw(t, "alone") {
			s = s.alone()
			if at, _ := (&stream{shape: s, extents: []extent{{length: s.reach(0)}}}).runsOf(dataMember).Find(0); slot%page == 0 && at%min(gcd(slot, writePiece), s.Unit) != 0 {
				t.Fatalf("%+v: slots begin at %d", s, at)
			}
		}
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		whole := &stream{shape: s, extents: []extent{{length: s.whole(s.reach(5 * s.Chunks))}}}
		q := rapid.Int64Range(0, 4*s.Chunks).Draw(t, "chunk")
		at, run := whole.runsOf(dataMember).Find(q * slot)
		if align > 0 && at%int64(align) != 0 || at < s.Unit || run < slot {
			t.Fatalf("%+v: chunk %d is at %d with %d bytes", s, q, at, run)
		}
		if length := s.reach(q); length < at+slot || s.roundUp(length) != length || length > s.whole(length) {
			t.Fatalf("%+v: chunk %d ends at %d, the stream at %d", s, q, at+slot, length)
		}
		for m, size := range map[member]int64{dataMember: slot, tableMember: chunktable.EntrySize, presenceMember: 1} {
			off := q*size + rapid.Int64Range(0, size-1).Draw(t, "within")
			if m == presenceMember && q%2 == 0 {
				off += chunktable.PresenceHead
			}
			at, run := whole.runsOf(m).Find(off)
			if got := s.below(m, at); got != off || s.below(m, at+1) != off+1 || run <= 0 {
				t.Fatalf("%+v: byte %d of member %d is at %d, below which are %d", s, off, m, at, got)
			}
		}
	})
}

// The views behave like files: random writes, reads, truncations and growth agree with plain
// slices, for two handles of the same file, and no byte belongs to two members.
func TestViewsAgainstSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkViews(t) })
}

// A model has the bytes of each view.
type model map[member][]byte

func (m model) write(v member, b []byte, off int64) {
	if more := off + int64(len(b)) - int64(len(m[v])); more > 0 {
		m[v] = append(m[v], make([]byte, more)...)
	}
	copy(m[v][off:], b)
}

func checkViews(t *rapid.T) {
	fsys := vfs.NewMem()
	f, err := fsys.Create("a.drx")
	if err != nil {
		t.Fatal(err)
	}
	c, slot := New(f), rapid.SampledFrom([]int64{1, 24, 100, 3000}).Draw(t, "slot")
	if err := c.Format(slot, 0); err != nil {
		t.Fatal(err)
	}
	if f, err = fsys.Open("a.drx", true); err != nil {
		t.Fatal(err)
	}
	other, err := Open(f, true)
	if err != nil {
		t.Fatal(err)
	}
	files := []map[member]vfs.File{viewsOf(c), viewsOf(other)}
	m, chunks := model{}, int64(1)
	for range rapid.IntRange(1, 15).Draw(t, "steps") {
		v := member(rapid.IntRange(0, 3).Draw(t, "member"))
		file := files[rapid.IntRange(0, 1).Draw(t, "handle")][v]
		off := rapid.Int64Range(0, limit(v, slot, chunks)).Draw(t, "offset")
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			chunks += rapid.Int64Range(1, max(1, min(500, 100_000/slot))).Draw(t, "more")
		case 1:
			if v == dataMember {
				break // its bytes may stay
			}
			if err := file.Truncate(min(off, int64(len(m[v])))); err != nil {
				t.Fatal(err)
			}
			m[v] = m[v][:min(off, int64(len(m[v])))]
		default:
			b := bytes.Repeat([]byte{byte(1 + off%255)}, rapid.IntRange(1, min(30_000, 3*int(slot))).Draw(t, "bytes"))
			if v == logMember { // a log has no gaps, and no zeros
				off = int64(len(m[v]))
			}
			if _, err := file.WriteAt(b, off); err != nil {
				t.Fatal(err)
			}
			m.write(v, b, off)
		}
	}
	for _, views := range files {
		compare(t, views, m)
	}
}

func viewsOf(c *Container) map[member]vfs.File {
	return map[member]vfs.File{logMember: c.Log(), dataMember: c.Data(), tableMember: c.Table(), presenceMember: c.Presence()}
}

// limit returns the offset up to which a member is written while there are the given number of
// chunks.
func limit(v member, slot, chunks int64) int64 {
	return map[member]int64{logMember: 0, dataMember: slot * chunks, tableMember: 16 * chunks, presenceMember: 64 + chunks}[v]
}

// compare compares the views with the model, as a whole and by their ranges of data.
func compare(t *rapid.T, views map[member]vfs.File, m model) {
	for v, file := range views {
		size, err := file.Size()
		if err != nil || size < int64(len(m[v])) || v == logMember && size != int64(len(m[v])) {
			t.Fatalf("member %d has %d bytes, want %d: %v", v, size, len(m[v]), err)
		}
		got := make([]byte, size)
		if n, err := file.ReadAt(got, 0); err != nil || int64(n) != size {
			t.Fatalf("member %d: %d of %d bytes: %v", v, n, size, err)
		}
		if !bytes.Equal(got[:len(m[v])], m[v]) || !isZero(got[len(m[v]):]) {
			t.Fatalf("member %d has other bytes", v)
		}
		dense := make([]byte, size)
		for off := int64(0); ; {
			from, to, err := file.Data(off)
			if errors.Is(err, io.EOF) {
				break
			}
			if v == logMember { // other data may follow its extent
				to = min(to, max(size, from))
			}
			if err != nil || from < off || to < from || to > size && v != logMember {
				t.Fatalf("member %d: data from %d to %d, asked from %d of %d: %v", v, from, to, off, size, err)
			}
			if from >= size {
				break
			}
			copy(dense[from:to], got[from:to])
			off = to
		}
		if !bytes.Equal(dense, got) {
			t.Fatalf("member %d: a hole has bytes", v)
		}
	}
}

// The log outgrows its first extent a thousandfold while chunks are added, and no chunk moves.
func TestLogOutgrowsItsFirstExtent(t *testing.T) {
	fsys := vfs.NewMem()
	c := create(t, fsys, 1<<16, 0)
	log, data := c.Log(), c.Data()
	line := bytes.Repeat([]byte("a line of the log\n"), 2000)
	places := map[int64]int64{}
	var end int64
	for q := int64(0); end < 1000*firstLogExtent; q++ {
		if _, err := log.WriteAt(line, end); err != nil {
			t.Fatal(err)
		}
		end += int64(len(line))
		if _, err := data.WriteAt(fmt.Appendf(nil, "chunk %d", q), 1<<16*q); err != nil {
			t.Fatal(err)
		}
		_, places[q] = vfs.Locate(data, 1<<16*q)
	}
	s := c.streams.Load()
	if n := len(s.stream(logStream).extents); n < 4 || n > 12 {
		t.Errorf("the log has %d extents", n)
	}
	after := reopen(t, fsys, false)
	for q, at := range places {
		_, now := vfs.Locate(after.Data(), 1<<16*q)
		b := make([]byte, len(fmt.Sprintf("chunk %d", q)))
		if _, err := fsysFile(t, fsys).ReadAt(b, at); err != nil || now != at || string(b) != fmt.Sprintf("chunk %d", q) {
			t.Fatalf("chunk %d is at %d, was at %d, and is %q: %v", q, now, at, b, err)
		}
	}
	got := make([]byte, len(line))
	if _, err := after.Log().ReadAt(got, end-int64(len(line))); err != nil || !bytes.Equal(got, line) {
		t.Errorf("the last line is %q: %v", got, err)
	}
}

// Writing a page of the table as a whole does not make a small file long.
func TestShortTable(t *testing.T) {
	c := create(t, vfs.NewMem(), 1<<20, 0)
	entries := make([]byte, 4096)
	entries[20] = 1
	if n, err := c.Table().WriteAt(entries, 0); n != len(entries) || err != nil {
		t.Fatal(n, err)
	}
	if size, err := c.File().Size(); size > 64<<10+2<<20+leastGrowth || err != nil {
		t.Errorf("%d bytes, %v", size, err)
	}
}

// The space of the form, in addition to the bytes that several files have as well, is as
// docs/ARCHITECTURE.md says.
func TestCost(t *testing.T) {
	const line = 60 // approximate bytes of the log per expansion
	for _, slot := range []int64{64 << 10, 1 << 20} {
		for _, chunks := range []int64{10, 1e4, 1e7} {
			for _, expansions := range []int64{1, 1e3, 1e6} {
				s, logBytes := ShapeFor(slot, 0).alone(), int64(firstLogExtent)
				for logBytes < line*expansions {
					logBytes *= 2
				}
				groups := (chunks + s.Chunks - 1) / s.Chunks
				entries, presence := roundUp(chunktable.EntrySize*s.Chunks, page), chunktable.PresenceHead+chunks
				cost := headerBytes + logBytes - line*expansions + groups*entries - chunktable.EntrySize*chunks + roundUp(presence, page) - presence
				vouches := int64(block)
				for vouches < presence {
					vouches *= 2
				}
				holes := roundUp(headerBytes+logBytes, block) - headerBytes - logBytes + vouches - roundUp(presence, page) + s.Unit + groups*(s.front()-entries)
				t.Logf("| %d KiB | %.0e | %.0e | %d | %.4f %% | %d |", slot>>10, float64(chunks), float64(expansions), cost, 100*float64(cost)/float64(chunks*slot), holes)
				if holes > chunks*slot/200+4*s.Unit {
					t.Errorf("%d chunks of %d bytes: %d bytes in holes", chunks, slot, holes)
				}
				if most := 2*line*expansions + chunks*slot/1000 + headerBytes + firstLogExtent + 3*page; cost > most {
					t.Errorf("%d chunks of %d bytes, %d expansions: %d bytes, want at most %d", chunks, slot, expansions, cost, most)
				}
			}
		}
	}
}

func fsysFile(t testing.TB, fsys vfs.FS) vfs.File {
	t.Helper()
	f, err := fsys.Open("a.drx", true)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The file is at most a quarter, or two groups, longer than its contents, and has few extents, in
// whatever order log and chunks grow.
func TestSlack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		fsys, slot := vfs.NewMem(), int64(1+rng.IntN(1<<16))
		c := create(t, fsys, slot, 0)
		log, data := c.Log(), c.Data()
		var lines, chunks int64
		for range 200 {
			if rng.IntN(2) == 0 {
				more := 1 + rng.Int64N(1+lines/4)
				_, err := log.WriteAt([]byte{'\n'}, lines+more)
				if lines += more; err != nil {
					t.Fatal(err)
				}
			} else {
				chunks += 1 + rng.Int64N(1+chunks/4)
				if _, err := data.WriteAt([]byte{1}, slot*chunks-1); err != nil {
					t.Fatal(err)
				}
			}
		}
		s := c.streams.Load()
		shape := s.stream(groupStream).shape
		least := 2*lines + shape.reach(chunks)
		logExtents := int64(len(s.stream(logStream).extents))
		if most := least + least/4 + logExtents*(shape.group()+firstLogExtent) + leastGrowth + 2*headerBytes + leastGrowth; s.end > most {
			t.Errorf("slot %d: %d bytes for %d bytes of log and %d chunks, want at most %d", slot, s.end, lines, chunks, most)
		}
		if n := len(s.records); n > headRecordBlock.count*9/10 {
			t.Errorf("%d records for %d bytes of log and %d chunks", n, lines, chunks)
		}
	}
}
