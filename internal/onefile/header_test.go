package onefile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"drx/internal/state"
	"drx/internal/vfs"
)

var update = flag.Bool("update", false, "write the golden files")

// grown returns the header of a file whose log and groups have grown in turn.
func grown(t testing.TB) []byte {
	t.Helper()
	fsys := vfs.NewMem()
	c := create(t, fsys, 1000, 0)
	log, data := c.Log(), c.Data()
	for i := range int64(4) {
		_, err := data.WriteAt([]byte{1}, 4000*1000*i)
		if err == nil {
			_, err = log.WriteAt([]byte("\n"), 30_000<<i)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return headerOf(t, c)
}

// headerOf returns the record blocks of a file, concatenated.
func headerOf(t testing.TB, c *Container) []byte {
	t.Helper()
	s, err := readStreams(c.File())
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(s.raw)
}

// oneRecordBlock reads a header without other record blocks.
func oneRecordBlock(raw []byte) (*streams, error) { return readStreams(bytes.NewReader(raw)) }

// golden compares bytes with those of a golden file.
func golden(t *testing.T, file string, raw []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, raw, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(raw, want) {
		t.Fatalf("the header has other bytes than %s: %v", file, err)
	}
}

// The bytes of a header equal the golden file, and still have the same meaning.
func TestGoldenHeader(t *testing.T) {
	raw := grown(t)
	golden(t, "testdata/header.golden", raw)
	s, err := oneRecordBlock(raw)
	if err != nil {
		t.Fatal(err)
	}
	if n, m := len(s.stream(logStream).extents), len(s.stream(groupStream).extents); n != 5 || m != 4 {
		t.Errorf("%d extents of the log and %d extents of groups", n, m)
	}
	if shape := s.stream(groupStream).shape; shape != (Shape{Slot: 1000, Chunks: 3584, Unit: block}) {
		t.Errorf("shape %+v", shape)
	}
}

// Impossible records, of a hostile or a damaged file, are errors that name the byte.
func TestImpossibleHeaders(t *testing.T) {
	shape := record{shapeKind, groupStream, 1000, 720, page}
	first := record{extentKind, logStream, 0, headerBytes, firstLogExtent}
	head := record{extentKind, groupStream, 0, 32768, page}
	more := record{extentKind, logStream, firstLogExtent, 36864, page}
	for want, records := range map[string][]record{
		"lacks the extents":                 {first, shape},
		"before its shape":                  {first, head},
		"kind 7":                            {first, {7, 0, 0, 0, 0}},
		"one array has 0 and 1":             {first, shape, head, {extentKind, 2, 0, 36864, page}},
		"stream 65536, the limit":           {{extentKind, 1 << 16, 0, headerBytes, page}},
		"continues at byte 5":               {first, {extentKind, logStream, 5, 32768, page}},
		"the one before it ends at byte":    {first, shape, {extentKind, groupStream, 0, headerBytes, page}},
		"an extent of 0 bytes":              {{extentKind, logStream, 0, headerBytes, 0}},
		"an extent of -4096 bytes":          {{extentKind, logStream, 0, headerBytes, -page}},
		"at byte 9223372036854771712":       {{extentKind, logStream, 0, 1<<63 - page, page}},
		"at byte 8193":                      {{extentKind, logStream, 0, headerBytes + 1, page}},
		"slots of 0 bytes":                  {first, {shapeKind, groupStream, 0, 720, page}},
		"groups of 1048577 chunks":          {first, {shapeKind, groupStream, 1, 1<<20 + 1, page}},
		"a unit of 100 bytes":               {first, {shapeKind, groupStream, 1, 1, 100}},
		"chunks of 1152921504606846976":     {first, {shapeKind, groupStream, maxGroup, 2, page}},
		"which has one":                     {first, shape, shape},
		"or needs none":                     {{shapeKind, logStream, 1000, 720, page}},
		"is not one of groups":              {first, shape, {extentKind, groupStream, 0, 32768, 2 * page}},
		"ends within a group":               {first, shape, {extentKind, groupStream, 0, 32768, 6 * page}, {extentKind, logStream, firstLogExtent, 32768 + 6*page, page}},
		"record 3 at byte 704 is damaged":   {first, shape, head, more},
		"record 3 at byte 704 is missing":   {first, shape, head, {}, more},
		"bytes 704 and 4800 is damaged":     {first, shape, head, more},
		"only the last record of a part":    {first, shape, head, {recordBlockKind, 0, 0, 36864, 2 * page}},
		"bytes 8 to 511 are not as written": nil,
	} {
		raw := encodeHeader(form{}, records)
		for n, r := range records {
			for i := range 2 {
				if r == (record{}) {
					clear(raw[headRecordBlock.offset(i, n):][:recordBytes])
				}
			}
		}
		switch {
		case strings.HasSuffix(want, "damaged"):
			raw[headRecordBlock.offset(0, 3)+20]++
			raw[headRecordBlock.offset(1, 3)+40]++
			want = "record 3 at bytes 704 and 4800 is damaged"
		case records == nil:
			raw[8], raw[page+8], want = 1, 1, "bytes 8 to 511 are not as they were written"
		}
		_, err := oneRecordBlock(raw)
		if !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// One copy of a record may be damaged, lost or older.
func TestCopiesOfRecords(t *testing.T) {
	raw := grown(t)
	want, err := oneRecordBlock(raw)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for n := range want.records {
			damaged := bytes.Clone(raw)
			damaged[headRecordBlock.offset(i, n)+33]++
			s, err := oneRecordBlock(damaged)
			if err != nil || s.end != want.end || !slices.Equal(s.records, want.records) {
				t.Errorf("copy %d of record %d is damaged: %v", i, n, err)
			}
		}
		lost := bytes.Clone(raw)
		clear(lost[i*page : (i+1)*page])
		if s, err := oneRecordBlock(lost); err != nil || s.end != want.end {
			t.Errorf("copy %d is lost: %v", i, err)
		}
	}
}

// lengthened returns a file with extents more extents than a new one, added to the log and the
// groups in turn.
func lengthened(t testing.TB, extents int) *Container {
	t.Helper()
	c := create(t, vfs.NewMem(), 1, 0)
	for i := range extents {
		err := c.allocate(func(s *streams) error {
			n := []int{logStream, groupStream}[i%2]
			more := []int64{page, s.stream(groupStream).shape.group()}[i%2]
			return c.extend(n, s.stream(n).length+more)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A header has as many records as a file needs, in record blocks each of which is as long as all
// earlier ones. They equal the golden file, and another process finds everything that one process
// has added.
func TestLongHeader(t *testing.T) {
	c := lengthened(t, 200)
	raw := headerOf(t, c)
	golden(t, "testdata/long.golden", raw)
	if want := headerBytes + 2*page + 2*2*page; len(raw) != want {
		t.Errorf("the header has %d bytes, want %d", len(raw), want)
	}
	s, err := readStreams(c.File())
	if err != nil {
		t.Fatal(err)
	}
	checkStreams(t, s)
	if now := c.streams.Load(); !slices.Equal(now.records, s.records) || now.end != s.end || len(s.records) != 4+200+2 {
		t.Errorf("%d records, in the file %d", len(now.records), len(s.records))
	}
	if !s.unchanged(c.File()) {
		t.Error("it seems to have changed")
	}
	for n := range s.records { // each of its copies may be damaged
		for i := range 2 {
			at := s.recordOffset(i, n) + 33
			b := make([]byte, 1)
			_, err := c.File().ReadAt(b, at)
			b[0]++
			_, writeErr := c.File().WriteAt(b, at)
			again, readErr := readStreams(c.File())
			if err := errors.Join(err, writeErr, readErr); err != nil || !slices.Equal(again.records, s.records) || s.unchanged(c.File()) {
				t.Fatalf("copy %d of record %d is damaged: %v", i, n, err)
			}
			b[0]--
			if _, err := c.File().WriteAt(b, at); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Impossible record blocks are errors that name the byte, and need no more memory than the existing
// records.
func TestImpossibleRecordBlocks(t *testing.T) {
	extents := lengthened(t, 53).streams.Load().records[:headRecordBlock.last()]
	end := extents[len(extents)-1].b + extents[len(extents)-1].c
	for want, r := range map[string]record{
		"byte 7":                     {recordBlockKind, 0, 0, end + 7, 2 * page},
		"the extent before it ends":  {recordBlockKind, 0, 0, end - page, 2 * page},
		"of 0 bytes":                 {recordBlockKind, 0, 0, end, 0},
		"of 4096 bytes":              {recordBlockKind, 0, 0, end, page},
		"of 1099511627776 bytes":     {recordBlockKind, 0, 0, end, 1 << 40},
		"of 16384 bytes":             {recordBlockKind, 0, 0, end, 4 * page},
		"of 8192 bytes":              {recordBlockKind, 1, 0, end, 2 * page},
		"cut short at byte":          {recordBlockKind, 0, 0, 1 << 50, 2 * page},
		"9223372036854771712":        {recordBlockKind, 0, 0, 1<<63 - page, 2 * page},
		"record 55 at byte 4032: a ": {recordBlockKind, 0, 1, end, 2 * page},
	} {
		if want == "byte 7" {
			want = fmt.Sprint("at byte ", end+7)
		}
		_, err := oneRecordBlock(encodeHeader(form{witnesses: true}, append(slices.Clone(extents), r)))
		if !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A file whose only record block is full of extents, as written by versions without further blocks,
// is readable, and reports that it cannot grow.
func TestFullRecordBlock(t *testing.T) {
	c := lengthened(t, 51)
	s := c.streams.Load()
	_, r := s.extended(groupStream, s.stream(groupStream).length+s.stream(groupStream).shape.group())
	raw := encodeHeader(form{witnesses: true}, append(slices.Clone(s.records), r))
	if _, err := c.File().WriteAt(raw, 0); err != nil {
		t.Fatal(err)
	}
	if err := c.File().Truncate(r.b + r.c); err != nil {
		t.Fatal(err)
	}
	full, err := Open(c.File(), true)
	if err != nil || !full.streams.Load().full() {
		t.Fatal(err)
	}
	if _, err := full.Log().WriteAt([]byte{1}, 1<<30); err == nil || !strings.Contains(err.Error(), "drx compact") {
		t.Error(err)
	}
}

// A fakeFile is a header, followed by the bytes of another record block, which reads at any offset
// beyond the header return.
type fakeFile []byte

func (f fakeFile) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	if at := min(off, headerBytes); at < int64(len(f)) {
		n = copy(b, f[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// FuzzHeader decodes arbitrary bytes as a header: an accepted header is consistent, and is found
// again by its own bytes.
func FuzzHeader(f *testing.F) {
	f.Add(grown(f))
	f.Add(headerOf(f, lengthened(f, 60)))
	f.Add(headerOf(f, longOfSeveral(f)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, b := range [][]byte{raw, withSums(raw, false), withSums(raw, true)} {
			tryDamaged(t, b)
			s, err := readStreams(fakeFile(b))
			if err != nil {
				if !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrVersion) {
					t.Fatal(err)
				}
				continue
			}
			checkStreams(t, s)
		}
	})
}

// longOfSeveral returns a file with several arrays whose header has more than one record block.
func longOfSeveral(t testing.TB) *Container {
	t.Helper()
	fsys := vfs.NewMem()
	layOut(t, fsys, 2, 1000)
	c, err := openFile(fsysFile(t, fsys), true)
	for i := 0; i < 60 && err == nil; i++ {
		err = c.allocate(func(s *streams) error {
			n := 3 + 2*(i%2)
			return c.extend(n, s.stream(n).length+s.stream(n).shape.group())
		})
	}
	if err != nil || len(c.streams.Load().recordBlocks) < 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	return c
}

// withSums returns a header with valid checksums, so that more than these is tested.
func withSums(raw []byte, several bool) []byte {
	fixed := append(bytes.Clone(raw), make([]byte, headerBytes)...)
	for i := range 2 {
		copy(fixed[i*page:], encodeStart(form{several: several, witnesses: true}))
		for n := range headRecordBlock.count {
			fixRecord(fixed[headRecordBlock.offset(i, n):][:recordBytes], n)
		}
		for n := range min((len(fixed)-headerBytes)/recordBytes, 2*page/recordBytes) {
			fixRecord(fixed[headerBytes+n*recordBytes:][:recordBytes], headRecordBlock.count+n%(page/recordBytes))
		}
	}
	return fixed
}

// tryDamaged opens a file as a damaged one: the accepted parts are consistent and lie within the
// file.
func tryDamaged(t *testing.T, raw []byte) {
	t.Helper()
	f, err := vfs.NewMem().Create("a.drx")
	if err == nil {
		_, err = f.WriteAt(raw, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []vfs.File{f, NewMember(f, "a.drx/a.drx", 2)} {
		c, _, err := OpenDamaged(file, func(vfs.File) (int64, int, error) { return 1000, 0, nil })
		if err != nil {
			continue
		}
		s := c.streams.Load()
		if s.end > int64(len(raw)) {
			t.Fatalf("%d bytes, the file has %d", s.end, len(raw))
		}
		checkStreams(t, s)
		for _, v := range viewsOf(c) {
			size, err := v.Size()
			b := make([]byte, min(size, 1<<16))
			if n, readErr := v.ReadAt(b, 0); err != nil || n < len(b) {
				t.Fatal(err, readErr)
			}
		}
	}
}

// fixRecord gives a record the right checksum.
func fixRecord(b []byte, n int) {
	if !isZero(b) {
		r, _ := decodeRecord(b, n)
		copy(b, r.encode(n))
	}
}

// checkStreams checks that extents do not overlap, and that offsets and their inverse agree.
func checkStreams(t *testing.T, s *streams) {
	t.Helper()
	end := map[int64]int64{}
	for _, h := range s.recordBlocks[1:] {
		end[h.at] = h.at + 2*h.apart
	}
	for _, st := range s.list {
		for _, e := range st.extents {
			if e.offset < headerBytes || e.offset+e.length > s.end || end[e.offset] != 0 {
				t.Fatalf("an extent of %d bytes at %d", e.length, e.offset)
			}
			end[e.offset] = e.offset + e.length
			checkOffsets(t, st, e)
		}
	}
	last := int64(headerBytes)
	for _, at := range slices.Sorted(maps.Keys(end)) {
		if at < last {
			t.Fatalf("what begins at byte %d overlaps what ends at byte %d", at, last)
		}
		last = end[at]
	}
}

// checkOffsets checks that the offsets of all members, and of the streams below them, agree where
// an extent begins and ends.
func checkOffsets(t *testing.T, st *stream, e extent) {
	t.Helper()
	members := []member{logMember}
	if st.shaped() {
		members = []member{dataMember, tableMember, presenceMember}
	}
	for _, m := range members {
		below := func(at int64) int64 {
			if m == logMember {
				return st.below(at)
			}
			return st.shape.below(m, st.below(at))
		}
		from, to := below(e.offset), below(e.offset+e.length)
		for _, off := range []int64{from, (from + to) / 2, to - 1} {
			at, run := st.runsOf(m).Find(off)
			if from < to && (run <= 0 || at < e.offset || at+run > e.offset+e.length || below(at) != off || below(at+run) != off+run) {
				t.Fatalf("byte %d of member %d is at %d, %d bytes of an extent of %d at %d", off, m, at, run, e.length, e.offset)
			}
		}
	}
}

// A damaged file of another version is reported as of that version, whichever copy of the header
// has it.
func TestDamagedVersion(t *testing.T) {
	for i := range 2 {
		c := create(t, vfs.NewMem(), 1000, 0)
		for k, word := range []string{"DRXFILE9", "damaged"} {
			if _, err := c.File().WriteAt([]byte(word), int64(page*((i+k)%2))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(c.File(), false); !errors.Is(err, state.ErrVersion) {
			t.Errorf("copy %d: %v", i, err)
		}
		if _, _, err := OpenDamaged(c.File(), nil); !errors.Is(err, state.ErrVersion) {
			t.Errorf("copy %d: %v", i, err)
		}
	}
}
