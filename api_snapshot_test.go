package drx

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/axial"
	"drx/dtype"
	"drx/internal/growtest"
	"drx/internal/vfs"
	"drx/nd"
)

// A versionModel is an array with a model that keeps the elements of every commit, and for each
// chunk the last commit that changed it.
type versionModel struct {
	t        *testing.T
	rng      *rand.Rand
	fs       vfs.FS
	name     string
	a        *Array
	m        *model
	chunk    []int
	changed  map[[2]int]int // chunk index to the commit that changed it last, or will
	versions []version      // of each line of the log
	changes  []bool         // of each line, whether it has changed elements of the one before

	overwrites bool // the next commit changes elements of the last one

	unjournaled bool
}

// A version is the model after a commit.
type version struct {
	model
	at Snapshot
}

// next is the number of the commit that the next Sync makes.
func (v *versionModel) next() int { return len(v.versions) + 1 }

// touch notes that the next commit changes the chunks of a section.
func (v *versionModel) touch(sec nd.Section) {
	for i := nd.FloorDiv(sec[0].Lo, v.chunk[0]); i*v.chunk[0] < sec[0].Hi; i++ {
		for j := nd.FloorDiv(sec[1].Lo, v.chunk[1]); j*v.chunk[1] < sec[1].Hi; j++ {
			v.changed[[2]int{i, j}] = v.next()
		}
	}
}

// section returns a random section that is not empty, nil if there is none.
func (v *versionModel) section(lo, hi []int) nd.Section {
	sec := make(nd.Section, 2)
	for d := range sec {
		if hi[d] == lo[d] {
			return nil
		}
		n := 1 + v.rng.IntN(hi[d]-lo[d])
		from := lo[d] + v.rng.IntN(hi[d]-lo[d]-n+1)
		sec[d] = nd.Span(from, from+n)
	}
	return sec
}

// step changes the array and the model.
func (v *versionModel) step() error {
	d, side, by := v.rng.IntN(2), axial.Side(v.rng.IntN(2)), 1+v.rng.IntN(5)
	lo, hi := slices.Clone(v.m.lo), slices.Clone(v.m.hi)
	switch v.rng.IntN(7) {
	case 0, 1, 2:
		sec := v.section(lo, hi)
		if sec == nil {
			return nil
		}
		n, _ := sec.Len()
		data := randomBytes(v.rng, n*v.m.elem)
		v.m.write(sec, nil, data)
		v.touch(sec)
		v.overwrites = v.overwrites || v.cuts(sec)
		return v.a.WriteBytes(sec, data, nil)
	case 3:
		if hi[d]-lo[d] < by {
			return nil
		}
		return v.shrink(d, by, side)
	case 4, 5:
		if side == axial.Low {
			lo[d] -= by
		} else {
			hi[d] += by
		}
		v.touchRegrown(lo, hi)
		v.m.resize(lo, hi)
		_, err := growtest.Extend(v.a, d, by, side)
		return err
	default:
		return v.a.SetAttr("n", v.rng.IntN(100))
	}
}

// cuts reports whether a section has elements of the last commit.
func (v *versionModel) cuts(sec nd.Section) bool {
	last := &v.versions[len(v.versions)-1]
	return sec[0].Lo < last.hi[0] && sec[0].Hi > last.lo[0] && sec[1].Lo < last.hi[1] && sec[1].Hi > last.lo[1]
}

// shrink shrinks the array; chunks that are outside then have changed.
func (v *versionModel) shrink(d, by int, side axial.Side) error {
	before := nd.Box(v.m.lo, v.m.hi)
	lo, hi := slices.Clone(v.m.lo), slices.Clone(v.m.hi)
	if side == axial.Low {
		lo[d] += by
	} else {
		hi[d] -= by
	}
	was := map[[2]int]int{}
	for c, n := range v.changed {
		was[c] = n
	}
	v.touch(before)
	for c := range v.changed { // those that are still within the bounds stay
		inside := true
		for e, i := range c {
			inside = inside && lo[e] < hi[e] && i*v.chunk[e] < hi[e] && (i+1)*v.chunk[e] > lo[e]
		}
		if n, had := was[c]; inside && had {
			v.changed[c] = n
		} else if inside {
			delete(v.changed, c)
		}
	}
	v.m.resize(lo, hi)
	v.overwrites = true
	return growtest.Shrink(v.a, d, by, side)
}

// touchRegrown notes that chunks across the bounds may change when the array grows over them again.
func (v *versionModel) touchRegrown(lo, hi []int) {
	for c := range v.changed {
		across := false
		for d, i := range c {
			from, to := i*v.chunk[d], (i+1)*v.chunk[d]
			across = across || from < v.m.lo[d] && v.m.lo[d] < to && lo[d] < v.m.lo[d] || from < v.m.hi[d] && v.m.hi[d] < to && hi[d] > v.m.hi[d]
		}
		if across {
			v.changed[c] = v.next()
		}
	}
}

// sync commits, and notes the version if the commit has made a line.
func (v *versionModel) sync() error {
	if err := v.a.Sync(); err != nil {
		return err
	}
	at, err := v.a.Snapshot()
	if err != nil || at.Commit == len(v.versions) {
		return err
	}
	if at.Commit != v.next() {
		return fmt.Errorf("commit %d after %d", at.Commit, len(v.versions))
	}
	m := *v.m
	m.data = slices.Clone(m.data)
	v.versions = append(v.versions, version{m, at})
	v.changes = append(v.changes, v.overwrites)
	v.overwrites = false
	return nil
}

// check compares random sections of a random version, opened by its name or by a handle that was
// opened long ago, with the model. It returns how many could be read.
func (v *versionModel) check(a *Array, n int) (read, gone int) {
	v.t.Helper()
	old := &v.versions[n-1]
	if b := a.Bounds(); !slices.Equal(b, nd.Box(old.lo, old.hi)) {
		v.t.Fatalf("version %d: bounds %v, want %v", n, b, nd.Box(old.lo, old.hi))
	}
	for range 4 {
		sec := v.section(old.lo, old.hi)
		if sec == nil {
			continue
		}
		size, _ := sec.Len()
		got, want := make([]byte, size*old.elem), old.read(sec, nil)
		err := a.ReadBytes(sec, got, nil)
		// Without journal a chunk that was never written may seem dropped.
		switch later := v.unjournaled || v.later(sec, n); {
		case err == nil && !bytes.Equal(got, want):
			v.t.Fatalf("version %d of %d, %v: %x, want %x", n, len(v.versions), sec, got, want)
		case err == nil:
			read++
		case !errors.Is(err, ErrGone) || !later:
			v.t.Fatalf("version %d of %d, %v, changed later: %v: %v", n, len(v.versions), sec, later, err)
		default:
			gone++
		}
	}
	return read, gone
}

// later reports whether a chunk of a section has changed after a commit, and not only because
// elements were appended since.
func (v *versionModel) later(sec nd.Section, n int) bool {
	for c, commit := range v.changed {
		if commit > n && (commit > len(v.changes) || slices.Contains(v.changes[n:commit], true)) && c[0]*v.chunk[0] < sec[0].Hi && (c[0]+1)*v.chunk[0] > sec[0].Lo &&
			c[1]*v.chunk[1] < sec[1].Hi && (c[1]+1)*v.chunk[1] > sec[1].Lo {
			return true
		}
	}
	return false
}

// Random histories: an array as it was has exactly the old elements, or says that they are gone,
// and never says so of chunks that have not changed since.
func TestSnapshotsOfRandomHistories(t *testing.T) { inBothForms(t, testSnapshotsOfRandomHistories) }

func testSnapshotsOfRandomHistories(t *testing.T) {
	read, gone := 0, 0
	for seed := range uint64(40) {
		for _, durability := range []Durability{DurabilityFull, DurabilityNoJournal} {
			v := &versionModel{
				t: t, rng: rand.New(rand.NewPCG(seed, 1)), fs: vfs.NewMem(), name: "a", chunk: []int{3, 4}, changed: map[[2]int]int{},
				unjournaled: durability != DurabilityFull,
			}
			r, g := v.run(durability)
			read, gone = read+r, gone+g
		}
	}
	if read < 2000 || gone < 200 {
		t.Errorf("%d sections were read, %d gone: too few", read, gone)
	}
}

func (v *versionModel) run(durability Durability) (read, gone int) {
	v.t.Helper()
	must := func(err error) {
		v.t.Helper()
		if err != nil {
			v.t.Fatal(err)
		}
	}
	spec := Spec{
		DType: dtype.Uint16, Shape: []int{4, 5}, ChunkShape: v.chunk, FillValue: 9,
		Options: Options{fs: v.fs, Cache: int64(v.rng.IntN(2)) * 600, Durability: durability},
	}
	v.m = newModel([]int{0, 0}, spec.Shape, []byte{9, 0})
	v.a = mustCreate(v.t, spec)
	must(v.sync())
	held := map[int]*Array{}
	for range 25 {
		for range 1 + v.rng.IntN(3) {
			must(v.step())
		}
		must(v.sync())
		n := 1 + v.rng.IntN(len(v.versions))
		a, err := OpenSnapshot(v.name, v.versions[n-1].at, Options{fs: v.fs, Cache: int64(v.rng.IntN(2)) * 600})
		must(err)
		r, g := v.check(a, n)
		read, gone = read+r, gone+g
		if held[n] != nil {
			must(a.Close())
		} else {
			held[n] = a
		}
		for n, a := range held {
			r, g := v.check(a, n)
			read, gone = read+r, gone+g
		}
	}
	for _, a := range held {
		must(a.Close())
	}
	must(v.a.Close())
	return read, gone
}

// A snapshot outlives what rewrites chunks without changing them, and processes that share the
// array; commits of these are none.
func TestSnapshotBesideOthers(t *testing.T) { inBothForms(t, testSnapshotBesideOthers) }

func testSnapshotBesideOthers(t *testing.T) {
	disk := vfs.NewMem()
	o := Options{fs: disk}
	spec := Spec{DType: dtype.Uint8, Shape: []int{8, 64}, ChunkShape: []int{2, 64}, Options: o}
	a := mustCreate(t, spec)
	name := named(t, "a")
	if err := errors.Join(Fill(a, nil, uint8(1)), a.Sync()); err != nil {
		t.Fatal(err)
	}
	at, err := a.Snapshot()
	if err != nil || at.Commit != 2 {
		t.Fatal(at, err)
	}
	opens := func(what string, s Snapshot, want error) {
		t.Helper()
		v, err := OpenSnapshot(name, s, o)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
		if err == nil {
			mustClose(t, v)
		}
	}
	rows := func(what string, from, to int, want error) {
		t.Helper()
		v, err := OpenSnapshot(name, at, o)
		if err != nil {
			t.Fatal(what, err)
		}
		defer mustClose(t, v)
		got, err := Read[uint8](v, nd.Sec(nd.Span(from, to), nd.All))
		if !errors.Is(err, want) || err == nil && slices.ContainsFunc(got, func(x uint8) bool { return x != 1 }) {
			t.Errorf("%s: rows %d to %d: %v, %v, want %v", what, from, to, got, err, want)
		}
	}
	if err := errors.Join(a.Recompress(t.Context(), "zstd:3", nil), a.Recompress(t.Context(), "none", nil), a.Close()); err != nil {
		t.Fatal(err)
	}
	rows("recompressed", 0, 8, nil)
	shared, err := Open(name, Options{fs: disk, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := shared.Reserve(0, 2); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Fill(shared, nd.Sec(nd.Span(2, 3), nd.All), uint8(2)), shared.Sync()); err != nil {
		t.Fatal(err)
	}
	rows("shared", 0, 2, nil)
	rows("shared", 4, 8, nil)
	rows("shared", 2, 4, ErrGone)
	opens("the last one, while shared", Snapshot{}, ErrGone)
	mustClose(t, shared)
	if a, err = Open(name, Options{fs: disk, Write: true}); err != nil {
		t.Fatal(err)
	}
	mustClose(t, a)
	opens("the last one, then alone, unchanged", Snapshot{}, ErrGone)
	if a, err = Open(name, Options{fs: disk, Write: true}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Sync(), a.Close()); err != nil {
		t.Fatal(err)
	}
	opens("the last one, then alone", Snapshot{}, nil)
	rows("then alone", 4, 8, nil)
	if a, err = Open(name, Options{fs: disk, Write: true}); err != nil {
		t.Fatal(err)
	}
	old, err := OpenSnapshot(name, at, o)
	if err := errors.Join(err, a.Compact(t.Context(), nil), a.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := At[uint8](old, 7, 0); err != nil || got != 1 {
		t.Errorf("opened before the compaction: %d, %v", got, err)
	}
	mustClose(t, old)
	opens("compacted", Snapshot{1, at.Digits}, ErrGone)
	for text, want := range map[string]Snapshot{"last": {}, "7": {Commit: 7}, at.String(): at} {
		if got, err := ParseSnapshot(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "3-", "3-123", "3-1234567x", "x"} {
		if got, err := ParseSnapshot(text); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Frames that are appended one by one, in a chunk that they share, leave the earlier ones as they
// are; but the chunk as it is stored has the later ones, too, beyond the bounds of that time.
func TestSnapshotBesideAppends(t *testing.T) { inBothForms(t, testSnapshotBesideAppends) }

func testSnapshotBesideAppends(t *testing.T) {
	o := Options{fs: vfs.NewMem()}
	spec := Spec{DType: dtype.Uint8, Shape: []int{0, 64}, ChunkShape: []int{4, 64}, Codec: "zstd", Options: o}
	a := mustCreate(t, spec)
	mustClose(t, a)
	frames := func(n int) {
		t.Helper()
		w, err := Open(named(t, "a"), Options{fs: o.fs, Write: true})
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			sec, err := w.Extend(0, 1)
			if err = errors.Join(err, Fill(w, sec, uint8(sec[0].Hi)), w.Sync()); err != nil {
				t.Fatal(err)
			}
		}
		mustClose(t, w)
	}
	frames(1)
	old, err := OpenSnapshot(named(t, "a"), Snapshot{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, old)
	frames(2)
	frames(3)
	if got, err := Read[uint8](old, nil); err != nil || len(got) != 64 || got[0] != 1 || got[63] != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if frame, written, err := old.ReadFrame([]int{0, 0}, nil); frame != nil || !written || err != nil {
		t.Errorf("the frame of a chunk with later elements: %v, %v, %v", frame, written, err)
	}
	spec.Shape, spec.fs = []int{1, 64}, vfs.NewMem()
	b := mustCreate(t, spec)
	defer mustClose(t, b)
	if copied, err := b.CopyChunk(old, []int{0, 0}); copied || err != nil {
		t.Errorf("a chunk with later elements was copied: %v, %v", copied, err)
	}
	w, err := Open(named(t, "a"), Options{fs: o.fs, Write: true})
	if err := errors.Join(err, Set(w, uint8(9), 5, 0), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Read[uint8](old, nil); err != nil {
		t.Errorf("another chunk was changed: %v", err)
	}
	if w, err = Open(named(t, "a"), Options{fs: o.fs, Write: true}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Set(w, uint8(9), 1, 0), w.Close()); err != nil {
		t.Fatal(err)
	}
	at, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	again, err := OpenSnapshot(named(t, "a"), at, o) // the other one may still have the chunk in memory
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, again)
	if got, err := Read[uint8](again, nil); !errors.Is(err, ErrGone) {
		t.Errorf("%v, %v, want %v", got, err, ErrGone)
	}
}
