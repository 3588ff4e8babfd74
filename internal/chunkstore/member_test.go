package chunkstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/internal/chunktable"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// A group is the members of one writer, and what chunks they should have.
type group struct {
	t       testing.TB
	lead    *Leader
	members []*Member // the leader is the first
	want    map[axial.Number]int
	commits int
}

const groupChunks = 40

func newGroup(t testing.TB, procs int, d Durability) *group {
	fsys := vfs.NewMem()
	data, table := files(t, fsys, "")
	g := &group{t: t, want: map[axial.Number]int{}, commits: 1}
	for p := range procs {
		s := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl", Durability: d}, size, slot)
		s.SetCommitted(groupChunks/2, 1)
		if p > 0 {
			g.members = append(g.members, OpenMember(s, p, procs))
			continue
		}
		var err error
		if g.lead, err = OpenLeader(s, p, procs); err != nil {
			t.Fatal(err)
		}
		g.members = append(g.members, g.lead.Member)
	}
	if err := g.lead.Cover(groupChunks); err != nil {
		t.Fatal(err)
	}
	return g
}

// exchange sends the changes of each member to all others, and returns the number of bytes sent.
func (g *group) exchange() (told int) {
	g.t.Helper()
	for _, m := range g.members {
		changes := m.CollectChanges()
		told += len(changes)
		for _, other := range g.members {
			if other == m {
				continue
			}
			n := 0
			if err := other.ApplyRemote(changes, func(axial.Number) { n++ }); err != nil || n*changeBytes != len(changes) {
				g.t.Fatalf("%d chunks of %d bytes: %v", n, len(changes), err)
			}
		}
	}
	return told
}

// Commit makes the calls of a store's user for a commit, without a log.
func (g *group) Commit() {
	g.t.Helper()
	lead := g.lead
	if err := lead.Secure(); err != nil {
		g.t.Fatal(err)
	}
	for _, m := range g.members[1:] {
		if err := m.Secure(); err != nil {
			g.t.Fatal(err)
		}
	}
	if err := lead.Lead(); err != nil {
		g.t.Fatal(err)
	}
	g.commits++
	err := lead.writer.Prepare()
	if err == nil && lead.writer.Changed() {
		if err = lead.writer.Journal(g.commits, []byte("line\n")); err == nil {
			err = lead.writer.Apply()
		}
	}
	if err != nil {
		g.t.Fatal(err)
	}
	lead.Committed(groupChunks, g.commits)
	for _, m := range g.members[1:] {
		m.Committed(groupChunks, g.commits)
	}
}

// check compares all chunks, as all members see them.
func (g *group) check(when string) {
	g.t.Helper()
	for p, m := range g.members {
		for q := range axial.Number(groupChunks) {
			buf := make([]byte, size)
			err := m.Read(q, buf)
			if v := g.want[q]; v == 0 && err != ErrUnwritten || v != 0 && (err != nil || !bytes.Equal(buf, chunk(q, v))) {
				g.t.Fatalf("%s, member %d, chunk %d: %x, %v, want version %d", when, p, q, buf, err, v)
			}
		}
	}
}

// TestGroup: random members write random chunks, each chunk by one member between two exchanges.
// After each exchange all members see all writes, and after each commit a store that opens the
// files does.
func TestGroup(t *testing.T) {
	for _, d := range []Durability{Full, NoJournal, None} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			g := newGroup(t, 1+rng.IntN(4), d)
			version := 0
			for round := range 30 {
				for range 1 + rng.IntN(5) {
					q := axial.Number(rng.IntN(groupChunks))
					version = version%250 + 1
					m := g.members[(int(q)+round)%len(g.members)]
					if err := m.Write(q, chunk(q, version)); err != nil {
						t.Fatal(err)
					}
					g.want[q] = version
					if rng.IntN(4) == 0 {
						g.exchange()
					}
				}
				g.exchange()
				g.check("exchanged")
				if again := g.exchange(); again != 0 {
					t.Fatalf("%d bytes told twice", again)
				}
				if rng.IntN(3) == 0 {
					g.Commit()
					g.check("committed")
					s := reopened(g.members[0])
					for q, v := range g.want {
						wantChunk(t, s, q, v)
					}
				}
			}
		}
	}
}

// TestGroupImages: images of members do not overlap, images that are written again keep their
// positions, and numbers begin anew after a commit.
func TestGroupImages(t *testing.T) {
	g := newGroup(t, 3, Full)
	for q := range axial.Number(6) {
		if err := g.members[0].Write(q, chunk(q, 1)); err != nil {
			t.Fatal(err)
		}
	}
	g.exchange()
	g.Commit()
	for range 2 { // rounds that begin with an empty journal
		for range 2 { // the second write overwrites the first
			for q := range axial.Number(6) {
				if err := g.members[q%3].Write(q, chunk(q, 2)); err != nil {
					t.Fatal(err)
				}
			}
		}
		var images []int64
		for q := range axial.Number(6) {
			c, _ := g.members[q%3].changed(q)
			images = append(images, c.image)
		}
		if !slices.Equal(images, []int64{0, 1, 2, 3, 4, 5}) {
			t.Fatalf("images %v", images)
		}
		g.exchange()
		g.Commit()
	}
}

// TestPlaced: chunks that MPI has written to their slots.
func TestPlaced(t *testing.T) {
	g := newGroup(t, 2, Full)
	m, q := g.members[1], axial.Number(30)
	if _, err := m.files.Data.WriteAt(chunk(q, 9), int64(m.OffsetOf(q))); err != nil {
		t.Fatal(err)
	}
	if written, inPlace, err := m.InPlace(q); written || !inPlace || err != nil {
		t.Error(written, inPlace, err)
	}
	if err := m.NoteWritten(q, chunk(q, 9)); err != nil {
		t.Fatal(err)
	}
	g.want[q] = 9
	g.exchange()
	g.check("placed")
	for _, m := range g.members {
		if written, inPlace, err := m.InPlace(q); !written || !inPlace || err != nil {
			t.Error(written, inPlace, err)
		}
		if err := m.Agrees(q, chunk(q, 9)); err != nil {
			t.Error(err)
		}
		wantDamage(t, m.Agrees(q, chunk(q, 8)), "a.xta")
	}
	g.Commit()
	g.check("committed")
}

// TestAdoptDamaged: what another process says is checked.
func TestAdoptDamaged(t *testing.T) {
	g := newGroup(t, 2, Full)
	if err := g.members[0].Write(3, chunk(3, 1)); err != nil {
		t.Fatal(err)
	}
	changes := g.members[0].CollectChanges()
	changes[17]++
	err := g.members[1].ApplyRemote(changes, func(axial.Number) { t.Error("adopted") })
	wantDamage(t, err, "a.xta")

	for _, q := range []axial.Number{-1, 1 << 60, math.MaxInt64} {
		changes := make([]byte, changeBytes)
		binary.LittleEndian.PutUint64(changes, uint64(q))
		chunktable.Entry{Sum: 1, Length: 1, Generation: 1}.Encode(changes[16:], q)
		err := g.members[1].ApplyRemote(changes, func(axial.Number) { t.Error("adopted") })
		wantDamage(t, err, "a.xta")
	}
	err = g.members[1].ApplyRemote(make([]byte, changeBytes-1), func(axial.Number) { t.Error("adopted") })
	wantDamage(t, err, "a.xta")
}

// TestForget: a group that gives up commits nothing of its writes.
func TestForget(t *testing.T) {
	for _, d := range []Durability{Full, None} {
		g := newGroup(t, 2, d)
		for version := range 2 {
			for q := range axial.Number(groupChunks) {
				if d == Full || version == 0 { // the rest is overwritten in its slot
					if err := g.members[q%2].Write(q, chunk(q, 1+version)); err != nil {
						t.Fatal(err)
					}
				}
			}
			g.exchange()
		}
		g.members[1].Forget()
		g.lead.Forget()
		if err := g.lead.writer.Abandon(); err != nil {
			t.Error(err)
		}
		s := reopened(g.members[0])
		for q := range axial.Number(groupChunks) {
			wantChunk(t, s, q, 0)
		}
		if _, _, err := s.Table().Newest(); err != nil {
			t.Error(err)
		}
	}
}

// TestGroupAlone: while a member writes a chunk again, the version that others know stays as it is,
// with a journal; without one they see that version or the newest. The commit has the newest.
func TestGroupAlone(t *testing.T) {
	for _, d := range []Durability{Full, NoJournal, None} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			g := newGroup(t, 2+rng.IntN(3), d)
			version := 0
			for range 10 {
				told := maps.Clone(g.want)
				for range 30 {
					q := axial.Number(rng.IntN(groupChunks))
					version = version%250 + 1
					if err := g.members[int(q)%len(g.members)].Write(q, chunk(q, version)); err != nil {
						t.Fatal(err)
					}
					g.want[q] = version
					g.checkAlone(q, told[q], d)
				}
				g.exchange()
				g.check("exchanged")
				if rng.IntN(3) == 0 {
					g.Commit()
					g.check("committed")
				}
			}
		}
	}
}

// checkAlone checks which version of a chunk all members see after one of them has written it.
func (g *group) checkAlone(q axial.Number, told int, d Durability) {
	g.t.Helper()
	for p, m := range g.members {
		want := []int{told}
		if owner := int(q)%len(g.members) == p; owner {
			want = []int{g.want[q]}
		} else if d != Full {
			want = append(want, g.want[q])
		}
		buf := make([]byte, size)
		err := m.Read(q, buf)
		ok := slices.ContainsFunc(want, func(v int) bool {
			return v == 0 && err == ErrUnwritten || v > 0 && err == nil && bytes.Equal(buf, chunk(q, v))
		})
		if !ok {
			g.t.Fatalf("durability %d, member %d, chunk %d: %x, %v, want version %v", d, p, q, buf, err, want)
		}
	}
}

// TestGroupUnfinished: while a commit is in the journal its leader writes nothing there.
func TestGroupUnfinished(t *testing.T) {
	g := newGroup(t, 2, Full)
	lead := g.lead
	write := func(v int) error { return lead.Write(0, chunk(0, v)) }
	if err := write(1); err != nil {
		t.Fatal(err)
	}
	g.want[0] = 1
	g.exchange()
	g.Commit()
	if err := write(2); err != nil {
		t.Fatal(err)
	}
	g.exchange()
	if err := first(lead.Lead(), lead.writer.Prepare(), lead.writer.Journal(3, []byte("line\n"))); err != nil {
		t.Fatal(err)
	}
	if err := write(3); err != errUnfinished {
		t.Error(err)
	}
	if err := lead.writer.Apply(); err != nil {
		t.Fatal(err)
	}
	wantChunk(t, reopened(lead), 0, 2)
}

// A chunk is not in its place while pieces of it are in the journal of a writer that died: readers
// that bypass the journal must not use its slot.
func TestPatchedIsNotInPlace(t *testing.T) {
	fsys := vfs.NewMem()
	data, table := files(t, fsys, "")
	s := OpenWriter(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}, size, slot)
	mustWrite(t, s, 0, 1)
	mustSync(t, s)
	s.SetCommitted(1, 1)
	if done, err := s.Patch(0, []Piece{{At: 9, Bytes: []byte{7}}}); !done || err != nil {
		t.Fatal(done, err)
	}
	if err := s.Journal(1, nil); err != nil {
		t.Fatal(err)
	}
	r := OpenReader(Files{FS: fsys, Data: data, Table: table, Journal: "a.xjl"}, size, slot, Others{})
	r.SetCommitted(1, 1)
	if _, err := r.Refresh(1); err != nil {
		t.Fatal(err)
	}
	if written, inPlace, err := r.InPlace(0); !written || inPlace || err != nil {
		t.Errorf("written %v, in place %v, %v", written, inPlace, err)
	}
	buf := make([]byte, size)
	if err := r.Read(0, buf); err != nil || buf[9] != 7 {
		t.Errorf("%x, %v", buf, err)
	}
}

// A chunk that a member could not make durable does not count as checked.
func TestSecureForgets(t *testing.T) {
	fail := false
	data, table := files(t, failing(func(op vfstest.Op, _ string) bool { return fail && op == vfstest.OpSync }), "")
	s := OpenWriter(Files{Data: data, Table: table}, size, slot)
	m := OpenMember(s, 1, 2)
	if err := m.WriteFresh(0, chunk(0, 1)); err != nil {
		t.Fatal(err)
	}
	fail = true
	if err := m.Secure(); !errors.Is(err, errFault) {
		t.Fatalf("secure: %v", err)
	}
	if _, err := data.WriteAt(make([]byte, size), 0); err != nil { // the system gave up the new bytes
		t.Fatal(err)
	}
	wantDamage(t, m.Read(0, make([]byte, size)), "a.xta")
}

// What the roles can do.
var (
	_ Committer = (*Writer)(nil)
	_ Committer = (*Sharer)(nil)

	_ ChunkWriter = (*Member)(nil)
	_ ChunkWriter = (*Leader)(nil)
)

// What another process says of its chunks, per chunk: every process of a group applies it.
func BenchmarkApplyRemote(b *testing.B) {
	const chunks = 1 << 16
	g := newGroup(b, 2, None)
	for q := range axial.Number(chunks) {
		if err := g.members[1].setChange(q, changeInPlace(chunktable.Entry{Sum: uint32(q), Length: size})); err != nil {
			b.Fatal(err)
		}
	}
	changes := g.members[1].CollectChanges()
	b.ReportAllocs()
	for range b.N {
		if err := g.members[0].ApplyRemote(changes, func(axial.Number) {}); err != nil {
			b.Fatal(err)
		}
		g.members[0].reset(0, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}
