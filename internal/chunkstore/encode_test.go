package chunkstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/state"
	"drx/internal/vfs"
)

// tail is a codec that leaves out the bytes at the end of a chunk that are all the same. A frame is
// how many others there are, and these, and the byte that follows them.
type tail struct{}

const tailHead = 4

func (tail) Encode(dst, src []byte) ([]byte, bool) {
	n := len(src)
	for n > 0 && src[n-1] == src[len(src)-1] {
		n--
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	return append(append(dst, src[:n]...), src[len(src)-1]), tailHead+n+1 < len(src)
}

func (tail) Decode(dst, frame []byte) error { return tail{}.DecodeRange(dst, frame, 0, len(dst)) }

func (tail) DecodeRange(dst, frame []byte, from, size int) error {
	n := len(frame) - tailHead - 1
	if n < 0 || n >= size || int(binary.LittleEndian.Uint32(frame)) != n {
		return errors.New("no frame")
	}
	for i := range dst {
		dst[i] = frame[tailHead+min(from+i, n)]
	}
	return nil
}

func (tail) RangeBytes(_ []byte, _, n, _ int) int { return n }

const (
	frameSize = 4 * sparseBlock
	frameSlot = frameSize
)

// randomChunk returns a chunk that tail shortens to any length, or not.
func randomChunk(rng *rand.Rand) []byte {
	b := make([]byte, frameSize)
	n := rng.IntN(frameSize + frameSize/4)
	for i := range b[:min(n, frameSize)] {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// framed opens a store of chunks that tail shortens.
func framed(t testing.TB, d Durability) *Writer {
	t.Helper()
	fsys := vfs.NewMem()
	data, table := files(t, fsys, "")
	presence, err := fsys.Create("a.xpm")
	if err != nil {
		t.Fatal(err)
	}
	return OpenWriter(Files{FS: fsys, Data: data, Table: table, Presence: presence, Journal: "a.xjl", Durability: d, Codec: tail{}}, frameSize, frameSlot)
}

// wantDisk wants the principal array to take the blocks of what is stored, and no more.
func wantDisk(t testing.TB, s *Store, chunks axial.Number) {
	t.Helper()
	var want int64
	for q := range chunks {
		e, err := s.table.ReadEntry(q)
		if err != nil {
			t.Fatal(err)
		}
		want += (int64(e.Length) + sparseBlock - 1) / sparseBlock * sparseBlock
	}
	if got, err := s.files.Data.Allocated(); err != nil || got != want {
		t.Fatalf("the file takes %d bytes, %v, what is stored takes %d", got, err, want)
	}
}

// Frames are written and read by a writer of each durability, and by others.
func TestFrames(t *testing.T) {
	const chunks = 12
	for _, d := range []Durability{Full, NoJournal, None} {
		t.Run(fmt.Sprint(d), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(8, uint64(d)))
			s, m := framed(t, d), make(model, chunks)
			s.SetCommitted(chunks/2, 1)
			for i := range 300 {
				q := axial.Number(rng.IntN(chunks))
				m[q] = randomChunk(rng)
				if err := s.Write(q, m[q]); err != nil {
					t.Fatal(err)
				}
				m.check(t, s)
				if i%10 > 0 {
					continue
				}
				mustSync(t, s)
				if d == Full {
					if err := errors.Join(s.Journal(1, nil), s.Apply()); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Finish(nil); err != nil {
					t.Fatal(err)
				}
				s.SetCommitted(chunks, 1)
				m.check(t, s)
				m.check(t, reopened(s))
				m.check(t, OpenReader(s.files, frameSize, frameSlot, Others{}))
				wantDisk(t, s.Store, chunks)
			}
		})
	}
}

// A sharer, and members of a group, store frames as a writer does.
func TestFramesOfSeveral(t *testing.T) {
	const chunks = 12
	rng := rand.New(rand.NewPCG(8, 3))
	w, m := framed(t, Full), make(model, chunks)
	w.SetCommitted(chunks, 1)
	s := mustShare(t, w)
	for i := range 200 {
		q := axial.Number(rng.IntN(chunks))
		m[q] = randomChunk(rng)
		if err := s.Write(q, m[q]); err != nil {
			t.Fatal(err)
		}
		m.check(t, s)
		if i%10 == 0 {
			mustSync(t, s)
			m.check(t, OpenReader(s.files, frameSize, frameSlot, Others{Writing: func() bool { return true }}))
		}
	}
	mustSync(t, s)
	wantDisk(t, s.Store, chunks)

	for _, d := range []Durability{Full, NoJournal} {
		w, m := framed(t, d), make(model, chunks)
		w.SetCommitted(chunks/2, 1)
		lead, err := OpenLeader(w, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		second := OpenWriter(w.files, frameSize, frameSlot)
		second.SetCommitted(chunks/2, 1)
		g := &group{t: t, lead: lead, members: []*Member{lead.Member, OpenMember(second, 1, 2)}, commits: 1}
		if err := lead.Cover(chunks); err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			q := axial.Number(rng.IntN(chunks))
			m[q] = randomChunk(rng)
			if err := g.members[q%2].Write(q, m[q]); err != nil {
				t.Fatal(err)
			}
			if i%7 == 0 {
				g.exchange()
				m.check(t, g.members[0])
				m.check(t, g.members[1])
			}
			if i%20 == 0 {
				g.exchange()
				g.Commit()
				m.check(t, g.members[1])
				m.check(t, reopened(lead))
			}
		}
		g.exchange()
		g.Commit()
		wantDisk(t, lead.Store, chunks)
	}
}

// A reader finds frames in the journal of a commit that is not in its place. So does the next
// writer, which leaves no unneeded blocks on the disk.
func TestFramesInTheJournal(t *testing.T) {
	const chunks = 8
	rng := rand.New(rand.NewPCG(8, 4))
	for range 20 {
		s, m := framed(t, Full), make(model, chunks)
		for range 2 {
			for q := range axial.Number(chunks) {
				m[q] = randomChunk(rng)
				if err := s.Write(q, m[q]); err != nil {
					t.Fatal(err)
				}
			}
			mustSync(t, s)
			s.SetCommitted(chunks, 1)
		}
		if err := s.Journal(1, nil); err != nil {
			t.Fatal(err)
		}
		r := OpenReader(s.files, frameSize, frameSlot, Others{})
		if _, err := r.Refresh(1); err != nil {
			t.Fatal(err)
		}
		r.SetCommitted(chunks, 1)
		m.check(t, r)
		// This reader opens the journal only when it finds damage.
		late := OpenReader(s.files, frameSize, frameSlot, Others{})
		if err := s.applyEntries(); err != nil {
			t.Fatal(err)
		}
		m.check(t, late)
		next := reopened(s)
		next.SetCommitted(chunks, 1)
		if _, err := next.Recover(1); err != nil || !next.Unfinished() {
			t.Fatal(err, next.Unfinished())
		}
		if err := next.Apply(); err != nil {
			t.Fatal(err)
		}
		m.check(t, next)
		wantDisk(t, next.Store, chunks)
	}
}

// Bytes that a killed process has left in a slot without an entry are freed when the chunk is
// written.
func TestFramesOverRemains(t *testing.T) {
	s := framed(t, Full)
	s.SetCommitted(3, 1)
	if _, err := s.files.Data.WriteAt(bytes.Repeat([]byte{7}, 2*frameSize), 0); err != nil {
		t.Fatal(err)
	}
	for q := range axial.Number(2) {
		if err := s.Write(q, make([]byte, frameSize)); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, s)
	if err := errors.Join(s.Journal(1, nil), s.Apply()); err != nil {
		t.Fatal(err)
	}
	wantDisk(t, s.Store, 3)
	if size, err := s.files.Data.Size(); err != nil || size != 2*frameSize {
		t.Errorf("the file has %d bytes, %v", size, err)
	}
}

// A damaged frame is corrupt. So is one whose entry has another length, and bytes that are no frame
// although their checksum is right.
func TestDamagedFrames(t *testing.T) {
	s := framed(t, Full)
	want := append([]byte("some bytes"), make([]byte, frameSize-10)...)
	if err := s.Write(0, want); err != nil {
		t.Fatal(err)
	}
	mustSync(t, s)
	e, err := s.table.ReadEntry(0)
	if err != nil || e.Length != tailHead+10+1 {
		t.Fatal(e, err)
	}
	frame := make([]byte, e.Length)
	if _, err := s.files.Data.ReadAt(frame, 0); err != nil {
		t.Fatal(err)
	}
	corrupt := func(what any) {
		t.Helper()
		buf := make([]byte, frameSize)
		if err := reopened(s).Read(0, buf); !errors.Is(err, state.ErrCorrupt) {
			t.Errorf("%v: %v", what, err)
		}
		if p, err := reopened(s).Pin(0, 3, 4); p.Bytes != nil || err != nil {
			t.Errorf("%v: pinned %x, %v", what, p.Bytes, err)
		}
	}
	put := func(e chunktable.Entry, frame []byte) {
		t.Helper()
		if _, err := s.files.Data.WriteAt(frame, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.table.WriteEntry(0, e); err != nil {
			t.Fatal(err)
		}
	}
	for bit := range 8 * len(frame) {
		frame[bit/8] ^= 1 << (bit % 8)
		put(e, frame)
		corrupt(fmt.Sprint("bit ", bit))
		frame[bit/8] ^= 1 << (bit % 8)
	}
	for _, n := range []uint32{1, 14, 16, frameSize - 1, frameSize, frameSize + 1, 1 << 31} {
		put(chunktable.Entry{Sum: e.Sum, Length: n, Generation: e.Generation}, frame)
		corrupt(fmt.Sprint(n, " bytes"))
	}
	for _, n := range []int{1, 5, 9, 14} {
		put(s.entryOf(frame[:n]), frame[:n])
		corrupt(fmt.Sprint("a part of ", n, " bytes"))
	}
	put(e, frame)
	wantBytes(t, reopened(s), 0, want)
	none := s.files
	none.Codec, none.Decoder = nil, nil
	buf := make([]byte, frameSize)
	if err := OpenWriter(none, frameSize, frameSlot).Read(0, buf); !errors.Is(err, state.ErrCorrupt) {
		t.Errorf("without the codec: %v", err)
	}
}

// Parts of a chunk are decoded until they have cost as much as the whole chunk.
func TestPartsOfFrames(t *testing.T) {
	const size, chunks = 8 * partBytes, 3
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	f := Files{FS: vfs.OS, Data: data, Table: table, Durability: None, Codec: tail{}, Resident: 64 << 20}
	w := OpenWriter(f, size, size)
	want := make([]byte, size)
	for i := range want[:size/2] {
		want[i] = byte(i*i + i>>8)
	}
	for q := range axial.Number(chunks) {
		if err := w.Write(q, want); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, w)
	r := OpenReader(f, size, size, Others{})
	t.Cleanup(func() { _ = r.mapped.close() })
	pinned := 0
	for i := range 8 {
		from, n := 1000*i, 100*i+1
		err := r.Guard(func() error {
			p, err := r.Pin(1, from, n)
			if err != nil || p.Bytes == nil {
				return err
			}
			pinned++
			if !bytes.Equal(p.Bytes, want[from:from+n]) {
				t.Errorf("other bytes from %d on", from)
			}
			if !r.Unpin(&p) {
				t.Errorf("the chunk has changed")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if pinned != 7 {
		t.Errorf("%d parts were decoded, want 7 of 8", pinned)
	}
	if p, err := r.Pin(2, 0, size); p.Bytes != nil || err != nil {
		t.Errorf("a whole chunk was pinned: %v", err)
	}
}

// Long parts of chunks are decoded by themselves if memory is crowded.
func TestLongPartsOfFrames(t *testing.T) {
	const size = 4 * smallRead
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	f := Files{FS: vfs.OS, Data: data, Table: table, Durability: None, Codec: tail{}, Resident: 64 << 20}
	w := OpenWriter(f, size, size)
	want := make([]byte, size)
	for i := range want[:size*3/4] {
		want[i] = byte(i*i + i>>8)
	}
	if err := w.Write(0, want); err != nil {
		t.Fatal(err)
	}
	mustSync(t, w)
	for _, crowded := range []bool{false, true} {
		r := OpenReader(f, size, size, Others{})
		t.Cleanup(func() { _ = r.mapped.close() })
		r.SetCrowded(func() bool { return crowded })
		for i, part := range []struct{ from, n int }{{1000, 2 * smallRead}, {0, 2*smallRead + 1}, {0, smallRead + 1}} {
			err := r.Guard(func() error {
				p, err := r.Pin(0, part.from, part.n)
				if pinned := p.Bytes != nil; pinned != (crowded && i == 0) {
					t.Errorf("part %d, crowded %v: pinned %v", i, crowded, pinned)
				}
				if err != nil || p.Bytes == nil {
					return err
				}
				if !bytes.Equal(p.Bytes, want[part.from:][:part.n]) || p.Lasts() || !r.Unpin(&p) {
					t.Errorf("part %d has other bytes, or its memory lasts, or the chunk has changed", i)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Parts that cost as much as a chunk are read with it. Where memory is crowded, parts that are not
// near others of their chunk are cheap, and may be long.
func TestPartsThatPay(t *testing.T) {
	const size = 4 * smallRead
	small, long, whole := part{cost: smallRead, size: size}, part{2 * smallRead, size, true}, part{cost: size, size: size}
	var c partCounts
	pay := func(of part, crowded bool, chunks int) (n int) { // parts until one does not pay
		for ; n < 100 && c.pays(axial.Number(n%chunks), of, crowded); n++ {
		}
		return n
	}
	for _, test := range []struct {
		what    string
		of      part
		crowded bool
		chunks  int
		want    int
	}{
		{"a chunk's", small, false, 1, 3},
		{"several chunks'", small, false, 20, 60},
		{"long ones", long, false, 1, 0},
		{"what costs all", whole, false, 1, 0},
		{"crowded, a chunk's", small, true, 1, 4},
		{"crowded, near", small, true, nearParts, 4 * nearParts},
		{"crowded, far", small, true, nearParts + 1, 100},
		{"crowded, long, a chunk's", long, true, 1, 1},
		{"crowded, long, far", long, true, nearParts + 1, 100},
		{"crowded, what costs all", whole, true, nearParts + 1, 0},
	} {
		c = partCounts{}
		if got := pay(test.of, test.crowded, test.chunks); got != test.want {
			t.Errorf("%s: %d parts pay, want %d", test.what, got, test.want)
		}
	}
}

// readsOf counts the reads of a file.
type readsOf struct {
	vfs.File
	n *int
}

func (f readsOf) ReadAt(b []byte, off int64) (int, error) {
	*f.n++
	return f.File.ReadAt(b, off)
}

// whileDecoding is a codec that calls meanwhile after it has decoded.
type whileDecoding struct {
	tail
	meanwhile *func()
}

func (c whileDecoding) Decode(dst, frame []byte) error {
	err := c.tail.Decode(dst, frame)
	(*c.meanwhile)()
	return err
}

// A reader without a writer decodes frames where they are mapped. What was changed meanwhile, or is
// damaged, does not count.
func TestFramesInPlace(t *testing.T) {
	const chunks = 5
	data, table := files(t, vfs.OS, t.TempDir()+string(filepath.Separator))
	reads, writing, meanwhile := 0, false, func() {}
	f := Files{FS: vfs.OS, Data: data, Table: table, Durability: None, Codec: whileDecoding{meanwhile: &meanwhile}, Resident: 64 << 20}
	w := OpenWriter(f, frameSize, frameSlot)
	m, rng := make(model, chunks), rand.New(rand.NewPCG(3, 9))
	for q := range axial.Number(chunks) {
		m[q] = append(randomChunk(rng)[:100*(q+1)], make([]byte, frameSize-100*(q+1))...)
		if err := w.Write(q, m[q]); err != nil {
			t.Fatal(err)
		}
	}
	mustSync(t, w)
	f.Data, f.Table = readsOf{data, &reads}, readsOf{table, &reads}
	r := OpenReader(f, frameSize, frameSlot, Others{Writing: func() bool { return writing }})
	t.Cleanup(func() { _ = r.mapped.close() })
	buf := make([]byte, frameSize)
	wantAll := func(what string) {
		t.Helper()
		for q, want := range m {
			if err := r.Read(axial.Number(q), buf); err != nil || !bytes.Equal(buf, want) {
				t.Errorf("%s, chunk %d: %v, or other bytes", what, q, err)
			}
		}
	}
	wantAll("at first")
	wantAll("again")
	if reads != 0 {
		t.Errorf("the files were read %d times", reads)
	}
	writing = true
	if wantAll("beside a writer"); reads == 0 {
		t.Error("frames are decoded in place beside a writer")
	}
	writing = false
	m[1] = append(bytes.Repeat([]byte{7}, 1000), make([]byte, frameSize-1000)...)
	w.SetCommitted(chunks, 1)
	meanwhile = func() {
		meanwhile = func() {}
		if err := w.Write(1, m[1]); err != nil {
			t.Fatal(err)
		}
		mustSync(t, w)
	}
	if err := r.Read(1, buf); err != nil || !bytes.Equal(buf, m[1]) {
		t.Errorf("a chunk that was written meanwhile: %v, or its bytes of before", err)
	}
	if _, err := data.WriteAt([]byte{99}, frameSlot*3+tailHead+5); err != nil {
		t.Fatal(err)
	}
	other := OpenReader(f, frameSize, frameSlot, Others{})
	t.Cleanup(func() { _ = other.mapped.close() })
	wantDamage(t, other.Read(3, buf), data.Name())
	if err := data.Truncate(frameSlot * 4); err != nil {
		t.Fatal(err)
	}
	wantDamage(t, other.Read(4, buf), data.Name())
	if err := other.Read(2, buf); err != nil || !bytes.Equal(buf, m[2]) {
		t.Errorf("the chunk before: %v", err)
	}
}
