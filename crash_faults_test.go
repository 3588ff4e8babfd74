package drx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"drx/internal/growtest"

	"drx/axial"
	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/fileset"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

var (
	faultSeed      = flag.Uint64("fault.seed", 0, "run the one history of failures with this seed")
	faultHistories = flag.Int("fault.histories", 2000, "number of histories of failures")
)

// A faultHistory is a random history during which operations of the file system fail: some reads
// and writes after half of the bytes, some operations once, some until they are repaired.
type faultHistory struct {
	history
	disk      *vfstest.Crash
	countdown int   // operations until the next failure
	once      bool  // whether only one operation fails
	err       error // the error of the failing operation; nil while nothing fails
	failures  int   // the number of failures so far
	attr      int
	// commits are the possible contents of the disk: the last commit that returned, and those
	// attempted since.
	commits []commit
}

// A commit is the contents of an array at a Sync.
type commit struct {
	model
	attr int
}

func newFaultHistory(t *testing.T, seed uint64) *faultHistory {
	h := &faultHistory{disk: vfstest.NewCrash()}
	h.t, h.rng, h.name = t, rand.New(rand.NewPCG(seed, 7)), formOf("array", seed/2)
	h.codecs = historyCodecs
	h.opts.fs = vfstest.Faulty{FS: h.disk, Fail: h.fail}
	if seed%6 == 0 {
		h.opts.Durability = DurabilityNoJournal
	}
	h.note("repeat with -fault.seed=%d\n", seed)
	return h
}

// fail decides whether an operation fails. Operations that only clean up may fail at any time, too.
func (h *faultHistory) fail(op vfstest.Op, name string) error {
	if h.err == nil {
		return nil
	}
	if h.countdown--; h.countdown >= 0 {
		return nil
	}
	if h.once && h.countdown < -1 {
		return nil
	}
	h.failures++
	h.note("! %s %s: %v", op, name, h.err)
	return fmt.Errorf("%s %s: %w", op, name, h.err)
}

func (h *faultHistory) commit() commit {
	c := commit{*h.m, h.attr}
	c.data = slices.Clone(c.data)
	return c
}

// try calls do while the file system may fail, and reports whether it succeeded. If it failed, the
// error must be the injected one.
func (h *faultHistory) try(what string, do func() error) bool {
	h.t.Helper()
	h.note("%s", what)
	before := h.failures
	h.err = []error{nil, syscall.EIO, syscall.ENOSPC, syscall.EINTR}[h.rng.IntN(4)]
	h.countdown, h.once = h.rng.IntN(12), h.rng.IntN(2) == 0
	injected := h.err
	err := do()
	h.err = nil
	if err == nil {
		return true
	}
	h.note("= %v", err)
	if h.failures == before || !errors.Is(err, injected) || strings.Contains(err.Error(), "\n") {
		h.t.Fatalf("%s: %v, after %d failures\n%v", what, err, h.failures-before, h.log)
	}
	return false
}

// do calls do until it succeeds, and checks the disk after each failure.
func (h *faultHistory) do(what string, do func() error) {
	h.t.Helper()
	for !h.try(what, do) {
		h.checkBounds()
		h.checkDisk()
		if h.rng.IntN(2) == 0 {
			h.must(do())
			return
		}
	}
}

func (h *faultHistory) checkBounds() {
	h.t.Helper()
	if !slices.Equal(h.a.Bounds(), nd.Box(h.m.lo, h.m.hi)) {
		h.t.Fatalf("bounds %v, want %v\n%v", h.a.Bounds(), nd.Box(h.m.lo, h.m.hi), h.log)
	}
}

// checkDisk opens the files as they are, and as they may be after a crash of the machine, and
// compares them with the possible commits. It returns the commit that it finds. Without a journal,
// chunks may be changed or damaged until they are written again.
func (h *faultHistory) checkDisk() commit {
	h.t.Helper()
	if h.opts.Durability != DurabilityFull {
		return h.commits[len(h.commits)-1]
	}
	policies := vfstest.Policies(2, h.rng.Uint64())
	names := slices.Sorted(maps.Keys(policies))
	for range 2 {
		name := names[h.rng.IntN(len(names))]
		h.note("(crash with %s)", name)
		h.checkFiles(h.disk.After(policies[name]))
		h.log = h.log[:len(h.log)-1]
	}
	return h.checkFiles(h.disk)
}

func (h *faultHistory) checkFiles(fsys vfs.FS) commit {
	h.t.Helper()
	r, err := Open(h.name, Options{fs: fsys})
	h.must(err)
	defer r.Close()
	report, err := r.Verify(context.Background(), nil)
	h.must(err)
	if !report.Good() {
		h.t.Fatalf("verify: %+v\n%v", report, h.log)
	}
	n, err := r.Bounds().Len()
	h.must(err)
	data := make([]byte, n*h.m.elem)
	h.must(r.ReadBytes(nil, data, nil))
	for _, c := range h.commits {
		if slices.Equal(r.Bounds(), nd.Box(c.lo, c.hi)) && bytes.Equal(data, c.data) && attrOf(h.t, r) == c.attr {
			return c
		}
	}
	h.t.Fatalf("bounds %v attribute %d elements %x: none of %d commits\n%v", r.Bounds(), attrOf(h.t, r), data, len(h.commits), h.log)
	return commit{}
}

func attrOf(t *testing.T, a *Array) (n int) {
	t.Helper()
	if raw, ok := a.Attrs()["n"]; ok {
		if err := json.Unmarshal(raw, &n); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func (h *faultHistory) step() {
	switch h.rng.IntN(16) {
	case 0, 1, 2:
		h.resizeBy(h.randomExtension())
	case 3, 4:
		h.resizeBy(h.randomShrink())
	case 5, 6, 7, 8:
		sec, order := h.section(), h.order()
		n, _ := sec.Len()
		data := h.elements(n)
		h.do(fmt.Sprintf("write %v order %v", sec, order), func() error { return h.a.WriteBytes(sec, data, order) })
		h.m.write(sec, order, data)
	case 9:
		sec, value := h.section(), h.elements(1)
		n, _ := sec.Len()
		h.do(fmt.Sprintf("fill %v", sec), func() error { return h.a.FillBytes(sec, value) })
		h.m.write(sec, nil, bytes.Repeat(value, n))
	case 10:
		h.do("attribute", func() error { return h.a.SetAttr("n", h.attr+1) })
		h.attr++
	case 11:
		h.reopen()
	case 12:
		if h.opts.Durability == DurabilityFull {
			h.die()
		}
	case 13:
		h.try("verify", func() error { _, err := h.a.Verify(context.Background(), nil); return err })
		h.read()
	default:
		h.sync()
	}
}

// sync calls Sync once. If it fails, operations before the next attempt must do no harm.
func (h *faultHistory) sync() {
	h.commits = append(h.commits, h.commit())
	if h.try("sync", h.a.Sync) {
		h.commits = h.commits[len(h.commits)-1:]
	}
	h.checkBounds()
	h.checkDisk()
}

// resizeBy changes the bounds to lo and hi with a single call of change.
func (h *faultHistory) resizeBy(what string, lo, hi []int, change func() error) {
	if change != nil {
		h.do(what, change)
		h.m.resize(lo, hi)
	}
}

func (h *faultHistory) randomExtension() (what string, lo, hi []int, change func() error) {
	if n, _ := nd.Product(nd.Shape(h.m.lo, h.m.hi)...); n > 500 {
		return "", nil, nil, nil
	}
	dim, by := h.rng.IntN(len(h.m.lo)), 1+h.rng.IntN(4)
	lo, hi = slices.Clone(h.m.lo), slices.Clone(h.m.hi)
	side := axial.Side(h.rng.IntN(2))
	if side == axial.Low {
		lo[dim] -= by
	} else {
		hi[dim] += by
	}
	return fmt.Sprintf("extend %d by %d side %d", dim, by, side), lo, hi, func() error {
		_, err := growtest.Extend(h.a, dim, by, side)
		return err
	}
}

func (h *faultHistory) randomShrink() (what string, lo, hi []int, change func() error) {
	dim := h.rng.IntN(len(h.m.lo))
	extent := h.m.hi[dim] - h.m.lo[dim]
	if extent == 0 {
		return "", nil, nil, nil
	}
	by := 1 + h.rng.IntN(extent)
	lo, hi = slices.Clone(h.m.lo), slices.Clone(h.m.hi)
	side := axial.Side(h.rng.IntN(2))
	if side == axial.Low {
		lo[dim] += by
	} else {
		hi[dim] -= by
	}
	return fmt.Sprintf("shrink %d by %d side %d", dim, by, side), lo, hi, func() error { return growtest.Shrink(h.a, dim, by, side) }
}

// read reads while the file system may fail, and then while it works.
func (h *faultHistory) read() {
	sec, order := h.section(), h.order()
	n, _ := sec.Len()
	got := make([]byte, n*h.m.elem)
	if h.try(fmt.Sprintf("read %v order %v", sec, order), func() error { return h.a.ReadBytes(sec, got, order) }) {
		if want := h.m.read(sec, order); !bytes.Equal(got, want) {
			h.t.Fatalf("got %x, want %x\n%v", got, want, h.log)
		}
	}
	h.compare(sec, order)
}

// reopen closes the array, which commits if it succeeds, and opens it again.
func (h *faultHistory) reopen() {
	h.commits = append(h.commits, h.commit())
	if h.opts.Durability != DurabilityFull {
		h.must(h.a.Close())
	} else if h.try("close", h.a.Close) {
		h.commits = h.commits[len(h.commits)-1:]
	}
	if err := h.a.Close(); !errors.Is(err, ErrClosed) {
		h.t.Fatalf("second close: %v\n%v", err, h.log)
	}
	h.open()
}

// die leaves the array as a killed process would.
func (h *faultHistory) die() {
	h.note("die")
	h.must(h.a.file.Close())
	h.must(h.a.store.Close(true))
	h.open()
}

// open opens the array again, at first with failures, and continues from the contents of the disk.
func (h *faultHistory) open() {
	h.t.Helper()
	found := h.checkDisk()
	h.opts.Write = true
	for h.a = nil; h.a == nil; {
		h.try("open", func() (err error) {
			h.a, err = Open(h.name, h.opts)
			return err
		})
	}
	h.m, h.attr = &found.model, found.attr
	h.m.data = slices.Clone(h.m.data)
	h.commits = []commit{h.commit()}
	h.compare(nil, nil)
	if attrOf(h.t, h.a) != h.attr {
		h.t.Fatalf("attribute %d, want %d\n%v", attrOf(h.t, h.a), h.attr, h.log)
	}
}

func (h *faultHistory) run() {
	h.create()
	h.commits = []commit{h.commit()}
	for range 10 + h.rng.IntN(30) {
		h.step()
	}
	h.must(h.a.Sync())
	h.commits = []commit{h.commit()}
	h.compare(nil, h.order())
	h.checkDisk()
	h.must(h.a.Close())
	if _, err := h.disk.Open(h.name+journalExt, false); !errors.Is(err, fs.ErrNotExist) {
		h.t.Fatalf("a journal after close: %v\n%v", err, h.log)
	}
}

// TestFaults runs random histories with a file system that fails at random. Every error is
// returned; nothing is read that was not written; after each failure the disk can be opened and is
// intact; and when the disk works again, everything continues.
func TestFaults(t *testing.T) {
	enumtest.Single(t)
	first, last := uint64(1), uint64(*faultHistories)
	if *faultSeed != 0 {
		first, last = *faultSeed, *faultSeed
	}
	failures, all := 0, enumtest.Sampled(t, soak)
	for seed := first; seed <= last; seed++ {
		if !all.Try() {
			continue
		}
		h := newFaultHistory(t, seed)
		h.run()
		failures += h.failures
	}
	t.Logf("%d failures in %d histories", failures, last-first+1)
	if failures < all.Share(int(last-first+1)) {
		t.Errorf("only %d failures", failures)
	}
}

// A Shrink that fails changes nothing, even if the removed chunks are only in memory and their
// table entries were never read, and if the array was only just opened.
func TestFailedShrink(t *testing.T) { inBothForms(t, testFailedShrink) }

func testFailedShrink(t *testing.T) {
	fails := false
	fsys := vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		if fails && op == vfstest.OpRead && name == fileset.Table(named(t, "a")) {
			return syscall.EIO
		}
		return nil
	}}
	for _, reopened := range []bool{false, true} {
		if !reopened && fileset.OneFile(named(t, "a")) {
			continue // a table that is not allocated in the file yet is not read
		}
		a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{0}, ChunkShape: []int{2}, Options: Options{fs: fsys}})
		added, err := a.Extend(0, 6)
		if err = errors.Join(err, Fill(a, added, uint8(5))); err == nil && reopened {
			if err = a.Close(); err == nil {
				a, err = Open("a", Options{Write: true, fs: fsys})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		fails = true
		if err := a.Shrink(0, 4); !errors.Is(err, syscall.EIO) {
			t.Errorf("reopened %v: shrink: %v", reopened, err)
		}
		fails = !reopened // all elements are in memory unless the array was reopened
		if got, err := Read[uint8](a, nil); err != nil || !slices.Equal(got, []uint8{5, 5, 5, 5, 5, 5}) {
			t.Errorf("reopened %v: after a shrink that failed: %v, %v", reopened, got, err)
		}
		fails = false
		if err := a.Shrink(0, 4); err != nil || a.Shape()[0] != 2 {
			t.Errorf("reopened %v: shrink: %v, shape %v", reopened, err, a.Shape())
		}
		if err := errors.Join(a.Close(), fileset.Remove(fsys, a.Name())); err != nil {
			t.Fatal(err)
		}
	}
}
