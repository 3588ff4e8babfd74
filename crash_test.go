package drx

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A scriptedSession is a session of scripted operations on an array, with a model that records the
// contents of the array at each commit.
type scriptedSession struct {
	name     string // of the array, "a" if it is empty
	a        *Array
	m        *model
	rng      *rand.Rand
	commits  []model    // the model at each Sync that was begun, and at creation
	returned int        // how many of these Syncs returned
	names    []Snapshot // of those of commits that have returned
	checked  int        // crashes that were checked
}

// array returns the name of the array.
func (l *scriptedSession) array() string { return cmp.Or(l.name, "a") }

// begin records the model as a commit that may be found after a crash.
func (l *scriptedSession) begin() {
	m := *l.m
	m.data = slices.Clone(m.data)
	l.commits = append(l.commits, m)
}

// acknowledged notes that the last commit that was begun has returned.
func (l *scriptedSession) acknowledged() {
	l.returned = len(l.commits)
	l.names = append(l.names, make([]Snapshot, l.returned-len(l.names))...)
	digits := l.a.log.Digits()
	l.names[l.returned-1] = Snapshot{l.a.log.Commits(), string(digits[:])}
}

func (l *scriptedSession) sync() error {
	l.begin()
	err := l.a.Sync()
	if err == nil {
		l.acknowledged()
	}
	return err
}

func (l *scriptedSession) write(sec nd.Section) error {
	n, err := sec.Len()
	if err != nil {
		return err
	}
	data := randomBytes(l.rng, n*l.m.elem)
	if compresses() && n > 0 && l.rng.IntN(3) > 0 {
		data = bytes.Repeat(data[:l.m.elem], n) // codecs shorten this
	}
	if err := l.a.WriteBytes(sec, data, nil); err != nil {
		return err
	}
	l.m.write(sec, nil, data)
	return nil
}

func (l *scriptedSession) extend(dim, by int, how axial.Side) error {
	if _, err := growtest.Extend(l.a, dim, by, how); err != nil {
		return err
	}
	lo, hi := slices.Clone(l.m.lo), slices.Clone(l.m.hi)
	if how == axial.Low {
		lo[dim] -= by
	} else {
		hi[dim] += by
	}
	l.m.resize(lo, hi)
	return nil
}

func (l *scriptedSession) shrink(dim, by int, how axial.Side) error {
	if err := growtest.Shrink(l.a, dim, by, how); err != nil {
		return err
	}
	lo, hi := slices.Clone(l.m.lo), slices.Clone(l.m.hi)
	if how == axial.Low {
		lo[dim] += by
	} else {
		hi[dim] -= by
	}
	l.m.resize(lo, hi)
	return nil
}

// run is a session: it creates an array, extends it on all sides, writes new chunks and parts of
// old ones with a cache of two chunks, commits in between, and closes it.
func (l *scriptedSession) run(fsys vfs.FS, d Durability) error {
	if err := l.create(fsys, d); err != nil {
		return err
	}
	all := func() nd.Section { return nd.Box(l.m.lo, l.m.hi) }
	return l.steps(
		func() error { return l.write(nd.Sec(nd.Span(0, 3), nd.Span(0, 4))) },
		l.sync,
		func() error { return l.extend(1, 9, axial.High) },
		func() error { return l.write(all()) },
		l.sync,
		func() error { return l.write(nd.Sec(nd.At(1), nd.Span(2, 11))) }, // parts of committed chunks only
		l.sync,
		func() error { return l.extend(0, 3, axial.Low) },
		func() error { return l.write(nd.Sec(nd.Span(-3, 2), nd.At(5))) }, // old chunks and new ones
		func() error { return l.write(nd.Sec(nd.At(0), nd.Span(0, 13))) },
		func() error { return l.write(nd.Sec(nd.At(-2), nd.Span(0, 13))) },
		l.sync,
		l.sync, // nothing to commit
		func() error { return l.extend(0, 2, axial.High) },
		func() error { return l.a.SetAttr("note", "without data") },
		l.sync,
		func() error { return l.write(all()) },
		func() error { return l.shrink(1, 6, axial.High) }, // a column of chunks, and a part of one
		l.sync,
		func() error { return l.extend(1, 2, axial.High) },
		func() error { return l.shrink(0, 4, axial.Low) },
		func() error { return l.write(nd.Sec(nd.At(1), nd.Span(3, 9))) },
		func() error { return l.extend(0, 2, axial.Low) },
		l.sync,
		func() error { return l.write(all()) },
		func() error { l.begin(); return l.a.Close() },
	)
}

// create creates the array, with chunks of 32 bytes and a cache of two chunks.
func (l *scriptedSession) create(fsys vfs.FS, d Durability) error {
	return l.createOf(Spec{
		DType: dtype.Uint16, Shape: []int{3, 4}, ChunkShape: []int{2, 8}, FillValue: 0xabcd,
		Options: Options{fs: fsys, Cache: 2 * (32 + 256), Durability: d, patchCost: 1},
	})
}

// runThin is a session that writes rows and single elements, in more chunks at a time than fit into
// the cache. A chunk is a page, which can be a hole of the file, and the fill value is zero.
func (l *scriptedSession) runThin(fsys vfs.FS, d Durability) error {
	err := l.createOf(Spec{
		DType: dtype.Uint16, Shape: []int{16, 512}, ChunkShape: []int{16, 128}, FillValue: 0,
		Options: Options{fs: fsys, Cache: 2 * (4096 + 256), Durability: d, patchCost: 1024},
	})
	if err != nil {
		return err
	}
	row := func(i int) func() error { return func() error { return l.write(nd.Sec(nd.At(i), nd.Span(0, 512))) } }
	return l.steps(
		row(3), // chunks of the first commit
		row(7),
		l.sync,
		row(4),
		func() error { return l.extend(0, 16, axial.High) },
		row(17), // chunks of no commit
		row(18),
		l.sync,
		func() error { return l.extend(0, 16, axial.Low) },
		row(-2),
		func() error { return l.shrink(0, 16, axial.Low) },
		func() error { return l.extend(0, 32, axial.High) },
		row(33),
		l.sync,
		func() error { return l.write(nd.Sec(nd.At(50), nd.At(5))) },
		func() error { return l.write(nd.Sec(nd.Span(50, 52), nd.Span(3, 300))) },
		func() error { l.begin(); return l.a.Close() },
	)
}

func (l *scriptedSession) createOf(spec Spec) error {
	if elements, _ := nd.Product(spec.ChunkShape...); compresses() && elements*spec.DType.Size() < smallChunk {
		spec.DType = dtype.Complex128
		spec.Options.Cache = 2 * int64(elements*spec.DType.Size()+256)
	}
	fill, err := spec.DType.EncodeValue(spec.FillValue)
	if err != nil {
		return err
	}
	l.m = newModel([]int{0, 0}, spec.Shape, fill)
	l.begin()
	if l.a, err = Create(l.array(), spec); err != nil {
		return err
	}
	l.acknowledged()
	return nil
}

// steps runs the steps of a session, the last of which closes the array.
func (l *scriptedSession) steps(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	l.returned = len(l.commits)
	return nil
}

// check opens the array after a crash, as a reader and as a writer, and compares it with the
// possible commits.
func (l *scriptedSession) check(fsys vfs.FS) error {
	for _, write := range []bool{false, true, false} {
		a, err := Open(l.array(), Options{fs: fsys, Write: write, Cache: 1 << 20})
		if l.returned == 0 && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrCorrupt)) {
			return nil // the array never existed
		}
		if err != nil {
			return err
		}
		if err := l.checkArray(a); err != nil {
			return fmt.Errorf("open with write %v: %w", write, err)
		}
		if err := l.checkPast(fsys); err != nil {
			return fmt.Errorf("open with write %v: %w", write, err)
		}
		if write {
			if err := checkGrowth(a, l.m.fill); err != nil {
				return err
			}
			// Close without a commit, as another crash would.
			if err := a.file.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPast opens one of the commits that have returned, and compares its elements, chunk by chunk,
// with what they were: they are the same, or gone.
func (l *scriptedSession) checkPast(fsys vfs.FS) error {
	l.checked++
	if len(l.names) == 0 || l.a == nil || l.a.opts.Durability != DurabilityFull {
		return nil
	}
	at := l.checked % len(l.names)
	n := l.names[at]
	if n == (Snapshot{}) {
		return nil
	}
	first, err := OpenSnapshot(l.array(), l.names[0], Options{fs: fsys})
	if errors.Is(err, ErrGone) { // a Compact has begun another history
		return nil
	}
	if err != nil {
		return err
	}
	a, err := OpenSnapshot(l.array(), n, Options{fs: fsys})
	if err = cmp.Or(err, first.file.Close()); err != nil {
		return err
	}
	m := &l.commits[at]
	if !slices.Equal(a.Bounds(), nd.Box(m.lo, m.hi)) {
		return fmt.Errorf("as of commit %v the bounds are %v, want %v", n, a.Bounds(), nd.Box(m.lo, m.hi))
	}
	for part, err := range a.Parts(Walk{}) {
		if err != nil {
			return err
		}
		want := m.read(part.Section, nil)
		got := make([]byte, len(want))
		err := a.ReadBytes(part.Section, got, nil)
		if err == nil && !bytes.Equal(got, want) {
			err = fmt.Errorf("%x, want %x", got, want)
		}
		if err != nil && !errors.Is(err, ErrGone) {
			return fmt.Errorf("as of commit %v, %v: %w", n, part.Section, err)
		}
	}
	return a.file.Close()
}

func (l *scriptedSession) checkArray(a *Array) error {
	r, err := a.Verify(context.Background(), nil)
	if err != nil || !r.Good() {
		return fmt.Errorf("verify: %w, %v, log: %v", err, r.Damaged, r.LogDamage)
	}
	var data []byte
	for _, m := range l.commits[max(0, l.returned-1):] {
		if !slices.Equal(a.Bounds(), nd.Box(m.lo, m.hi)) {
			continue
		}
		data = make([]byte, len(m.data))
		if err := a.ReadBytes(nil, data, nil); err != nil {
			return err
		}
		if bytes.Equal(data, m.data) {
			return nil
		}
	}
	return fmt.Errorf("bounds %v with elements %x: none of the commits %d to %d", a.Bounds(), data, l.returned-1, len(l.commits)-1)
}

// checkGrowth extends the array on all sides and checks that the new elements have the fill value,
// whatever a killed writer has left in the files.
func checkGrowth(a *Array, fill []byte) error {
	before := a.Bounds()
	for dim := range 2 {
		for _, side := range []axial.Side{axial.High, axial.Low} {
			added, err := growtest.Extend(a, dim, 5, side)
			if err != nil {
				return err
			}
			n, err := added.Len()
			if err != nil {
				return err
			}
			data := make([]byte, n*len(fill))
			if err := a.ReadBytes(added, data, nil); err != nil {
				return err
			}
			if !bytes.Equal(data, bytes.Repeat(fill, n)) {
				return fmt.Errorf("grown from %v by %v: new elements are %x", before, added, data)
			}
		}
	}
	return nil
}

// crashEverywhere crashes the machine at every operation of a session, with every policy for what
// reaches the disk, and checks the array afterwards. It fails if there are fewer than least states.
// A state is that of an array in several files, in one file, or in a file with several arrays,
// compressed or not, in turn.
func crashEverywhere(t *testing.T, random, least int, session func(l *scriptedSession, fsys vfs.FS) error) {
	t.Helper()
	all := enumtest.Sampled(t, soak)
	lanes := lanesOf(t, append(slices.Clone(bothForms), several+"/a"+OneFileExt))
	unfinished := len(lanes)
	for k := 0; unfinished > 0; k++ {
		unfinished = 0
		for i, in := range lanes {
			mine := func(policy int) bool { return (policy+k)%len(lanes) == i && all.Try() }
			if !crashAt(t, k, in, random, mine, session) {
				unfinished++
			}
		}
	}
	all.Want(least)
}

// crashAt is crashEverywhere for operation k, one array, and the policies that mine selects. It
// reports whether the session had ended before.
func crashAt(
	t *testing.T, k int, in lane, random int, mine func(policy int) bool, session func(l *scriptedSession, fsys vfs.FS) error,
) bool {
	t.Helper()
	defer useCodec(in.codec)()
	fsys := vfstest.NewCrash()
	fsys.CrashAfter(k)
	l := &scriptedSession{name: in.array, rng: rand.New(rand.NewPCG(1, 2))}
	err := session(l, fsys)
	if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
		t.Fatalf("%v, operation %d: %v", in, k, err)
	}
	policies := vfstest.Policies(random, uint64(k))
	for i, name := range slices.Sorted(maps.Keys(policies)) {
		if !mine(i) {
			continue
		}
		if err := l.check(fsys.After(policies[name])); err != nil {
			t.Fatalf("%v, crash at operation %d, policy %s, %d of %d commits returned: %v", in, k, name, l.returned, len(l.commits), err)
		}
	}
	return err == nil
}

// TestCrashOfThinWrites crashes in a session that writes the first elements of chunks piece by
// piece.
func TestCrashOfThinWrites(t *testing.T) {
	enumtest.Single(t)
	crashEverywhere(t, 100, 5000, func(l *scriptedSession, fsys vfs.FS) error { return l.runThin(fsys, DurabilityFull) })
}

// TestCrash crashes in a session of commits.
func TestCrash(t *testing.T) {
	crashEverywhere(t, 100, 10_000, func(l *scriptedSession, fsys vfs.FS) error { return l.run(fsys, DurabilityFull) })
}
