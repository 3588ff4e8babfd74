package pexta_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// A bench holds what the tests of wrong arguments use: arrays of 6 x 4 float64.
type bench struct {
	comm              par.Comm
	dir               string
	s                 *pexta.Session
	rw, ro, wo        pexta.Handle
	g, tall, ints, g3 *globalArray
}

func newBench(c par.Comm, dir string) (*bench, error) {
	b := &bench{comm: c, dir: dir, s: pexta.Start(pexta.Options{MaxArrays: 4})}
	var err error
	create := func(name string) (h pexta.Handle) {
		if err == nil {
			h, err = b.s.Create(c, pexta.Spec{Type: dtype.Float64, Shape: []int{6, 4}, ChunkShape: []int{2, 2}, File: filepath.Join(dir, name)})
		}
		return h
	}
	b.rw = create("rw")
	for _, name := range []string{"ro", "wo"} {
		if h := create(name); err == nil {
			err = b.s.Close(h)
		}
	}
	open := func(name string, m pexta.Mode) (h pexta.Handle) {
		if err == nil {
			h, err = b.s.Open(c, filepath.Join(dir, name), m)
		}
		return h
	}
	b.ro, b.wo = open("ro", pexta.ReadOnly), open("wo", pexta.WriteOnly)
	global := func(t dtype.DType, shape ...int) (g *globalArray) {
		if err == nil {
			g, err = newGA(c, t, shape, layout{})
		}
		return g
	}
	b.g, b.tall = global(dtype.Float64, 6, 4), global(dtype.Float64, 7, 4)
	b.ints, b.g3 = global(dtype.Int32, 6, 4), global(dtype.Float64, 6, 4, 1)
	return b, err
}

func span(lo, hi int) nd.Range { return nd.Span(lo, hi) }

// wrong lists calls with wrong arguments, the sentinel that the error wraps, and further words of
// its text.
var wrong = []struct {
	name string
	call func(b *bench) error
	want error
	text string
}{
	{"type", func(b *bench) error { return b.create(pexta.Spec{Type: dtype.Uint8, Shape: []int{1}}) }, drx.ErrDType, "elements uint8"},
	{"no type", func(b *bench) error { return b.create(pexta.Spec{Shape: []int{1}}) }, drx.ErrDType, "one of [int32"},
	{"rank 0", func(b *bench) error { return b.create(pexta.Spec{Type: dtype.Int32}) }, drx.ErrRank, "0 dimensions: want 1 to 7"},
	{"rank 8", func(b *bench) error { return b.create(pexta.Spec{Type: dtype.Int32, Shape: make([]int, 8)}) }, drx.ErrRank, "8 dimensions"},
	{"extent", func(b *bench) error { return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{2, 0}}) }, drx.ErrBounds, "dimension 1: extent 0"},
	{
		"too many elements",
		func(b *bench) error {
			return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{math.MaxInt / 4, 8}})
		}, drx.ErrOverflow, "c: create",
	},
	{
		"request", func(b *bench) error {
			return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{2, 2}, Request: []int{2}})
		}, drx.ErrRank, "extents of a request",
	},
	{
		"chunk", func(b *bench) error {
			return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{2, 2}, ChunkShape: []int{2}})
		}, drx.ErrRank, "extents of a chunk",
	},
	{
		"no chunk", func(b *bench) error {
			return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{2, 2}, ChunkShape: []int{2, 0}})
		}, drx.ErrBounds, "c: create",
	},
	{
		"another type than the model", func(b *bench) error {
			return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{6, 4}, Like: b.g})
		}, drx.ErrDType, "has float64",
	},
	{"created to read", func(b *bench) error {
		return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{1}, Mode: pexta.ReadOnly})
	}, drx.ErrReadOnly, "mode read"},
	{"mode", func(b *bench) error { return b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{1}, Mode: 3}) }, par.ErrArgument, "mode 3: want 0 to 2"},
	{"no name", func(b *bench) error { return b.open("", pexta.ReadOnly) }, par.ErrArgument, "may not be empty"},
	{"no folder", func(b *bench) error { return b.open("none/none", pexta.ReadOnly) }, fs.ErrNotExist, "none"},
	{"no file", func(b *bench) error { return b.open("none", pexta.ReadWrite) }, fs.ErrNotExist, "none"},
	{"open already", func(b *bench) error { return b.open("rw", pexta.ReadWrite) }, nil, "rw"},
	{"created again while open", func(b *bench) error {
		_, err := b.s.Create(b.comm, pexta.Spec{Type: dtype.Int32, Shape: []int{1}, File: filepath.Join(b.dir, "rw")})
		return err
	}, nil, "rw"},
	{"handle", func(b *bench) error { return b.s.Close(77) }, pexta.ErrHandle, "close: handle 77"},
	{"handle 0", func(b *bench) error { _, err := b.s.Write(b.g, 0); return err }, pexta.ErrHandle, "write: handle 0"},
	{"delete", func(b *bench) error { return b.s.Delete(-1) }, pexta.ErrHandle, "delete: handle -1"},
	{"inquire", func(b *bench) error { _, err := b.s.Inquire(55); return err }, pexta.ErrHandle, "inquire: handle 55"},
	{"refresh", func(b *bench) error { _, err := b.s.Refresh(55); return err }, pexta.ErrHandle, "handle 55"},
	{"print", func(b *bench) error { return b.s.Print(io.Discard, 55) }, pexta.ErrHandle, "print"},
	{"extend nothing", func(b *bench) error { _, err := b.s.Extend(55, nil, nil); return err }, pexta.ErrHandle, "extend: handle 55"},
	{"read and grow nothing", func(b *bench) error { _, err := b.s.IRead(b.g, 55); return err }, pexta.ErrHandle, "handle 55"},
	{"write to read", func(b *bench) error { _, err := b.s.Write(b.g, b.ro); return err }, drx.ErrReadOnly, "ro: write: opened to read"},
	{"read to write", func(b *bench) error { _, err := b.s.Read(b.g, b.wo); return err }, par.ErrArgument, "wo: read: opened to write"},
	{"grow to write", func(b *bench) error { _, err := b.s.IRead(b.g, b.wo); return err }, par.ErrArgument, "opened to write"},
	{"extend to read", func(b *bench) error { _, err := b.s.Extend(b.ro, []int{1, 1}, []int{0, 1}); return err }, drx.ErrReadOnly, "ro: extend"},
	{"elements", func(b *bench) error { _, err := b.s.Write(b.ints, b.rw); return err }, drx.ErrDType, "has int32"},
	{"elements to grow", func(b *bench) error { _, err := b.s.IRead(b.ints, b.rw); return err }, drx.ErrDType, "has int32"},
	{"rank", func(b *bench) error { _, err := b.s.Read(b.g3, b.rw); return err }, drx.ErrRank, "dimensions of global array"},
	{"rank to grow", func(b *bench) error { _, err := b.s.IRead(b.g3, b.rw); return err }, drx.ErrRank, "dimensions of global array"},
	{"extents", func(b *bench) error { _, err := b.s.Write(b.tall, b.rw); return err }, drx.ErrSize, "dimension 0: 7 elements"},
	{"larger than the file", func(b *bench) error { _, err := b.s.IRead(b.tall, b.rw); return err }, drx.ErrBounds, "dimension 0: extent 7"},
	{"section of memory", func(b *bench) error { return b.section(false, nd.Sec(span(0, 7), span(0, 4)), nil) }, drx.ErrBounds, "dimension 0: range 0:7"},
	{"section of file", func(b *bench) error { return b.section(false, nil, nd.Sec(span(0, 6), span(-1, 3))) }, drx.ErrBounds, "dimension 1: range -1:3"},
	{"reversed", func(b *bench) error { return b.section(false, nil, nd.Sec(span(4, 2), span(0, 4))) }, drx.ErrBounds, "range 4:2 is reversed"},
	{"empty", func(b *bench) error { return b.section(false, nil, nd.Sec(span(4, 4), span(0, 4))) }, drx.ErrBounds, "is empty"},
	{"step", func(b *bench) error { return b.section(false, nil, nd.Sec(span(0, 6).By(2), span(0, 4))) }, drx.ErrBounds, "step 2"},
	{"rank of section", func(b *bench) error { return b.section(false, nil, nd.Sec(span(0, 6))) }, drx.ErrRank, "ranges"},
	{"sizes", func(b *bench) error { return b.section(false, nd.Sec(span(0, 2), span(0, 4)), nil) }, drx.ErrSize, "2 elements of global array"},
	{"sizes transposed", func(b *bench) error { return b.section(true, nil, nil) }, drx.ErrSize, "of the disk array, transposed"},
	{"increments", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{1}, []int{0, 1}); return err }, drx.ErrRank, "increments"},
	{"order", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{1, 1}, []int{0}); return err }, drx.ErrRank, "order"},
	{"dimension", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{1, 1}, []int{0, 2}); return err }, drx.ErrRank, "dimension 2"},
	{"twice", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{1, 1}, []int{1, 1}); return err }, par.ErrArgument, "dimension 1 is twice"},
	{"shrink", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{0, -1}, []int{1, 0}); return err }, drx.ErrBounds, "dimension 1: increment -1"},
	{"overflow", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{math.MaxInt, 0}, []int{0, 1}); return err }, drx.ErrOverflow, "dimension 0"},
	{"too large", func(b *bench) error { _, err := b.s.Extend(b.rw, []int{math.MaxInt / 16, 0}, []int{0, 1}); return err }, drx.ErrOverflow, "extents"},
	{"request 0", func(b *bench) error { return b.s.Wait(0) }, pexta.ErrRequest, "wait: request 0"},
	{"invalid request", func(b *bench) error { _, err := b.s.Probe(-333); return err }, pexta.ErrRequest, "probe: request -333"},
	{"later request", func(b *bench) error { return b.s.Wait(1000) }, pexta.ErrRequest, "wait: request 1000"},
}

func (b *bench) create(spec pexta.Spec) error {
	spec.File = filepath.Join(b.dir, "c")
	_, err := b.s.Create(b.comm, spec)
	return err
}

func (b *bench) open(name string, m pexta.Mode) error {
	if name != "" {
		name = filepath.Join(b.dir, name)
	}
	_, err := b.s.Open(b.comm, name, m)
	return err
}

// section writes and reads a section, and returns the error if both have the same.
func (b *bench) section(transposed bool, memory, disk nd.Section) error {
	_, err := b.s.WriteSection(transposed, b.g, memory, b.rw, disk)
	_, again := b.s.ReadSection(transposed, b.g, memory, b.rw, disk)
	if err == nil || again == nil || strings.ReplaceAll(err.Error(), "write", "read") != again.Error() {
		return fmt.Errorf("to write: %w; to read: %w", err, again)
	}
	return err
}

// TestWrongArguments: every wrong argument is an error on all procs, in one line, and the program
// goes on.
func TestWrongArguments(t *testing.T) {
	for _, procs := range []int{1, 3} {
		dir := t.TempDir()
		err := par.Run(procs, func(c par.Comm) error {
			b, err := newBench(c, dir)
			if err != nil {
				return err
			}
			for _, w := range wrong {
				err := w.call(b)
				if err == nil || w.want != nil && !errors.Is(err, w.want) || !strings.Contains(err.Error(), w.text) || strings.Contains(err.Error(), "\n") {
					return fmt.Errorf("%s: %w", w.name, err)
				}
				texts, err := c.AllGather([]byte(err.Error()))
				if err != nil || string(texts[c.Proc()]) != string(texts[0]) {
					return fmt.Errorf("%s: procs have %q: %w", w.name, texts, err)
				}
			}
			return b.goesOn()
		})
		if err != nil {
			t.Error(procs, err)
		}
	}
}

// goesOn uses the arrays, and ends the session.
func (b *bench) goesOn() error {
	h, err := b.s.Create(b.comm, pexta.Spec{Type: dtype.Int32, Shape: []int{1}, File: filepath.Join(b.dir, "c")})
	if err != nil {
		return err
	}
	if _, err := b.s.Open(b.comm, filepath.Join(b.dir, "c"), pexta.ReadOnly); !errors.Is(err, pexta.ErrTooMany) {
		return fmt.Errorf("a fifth array: %w", err)
	}
	if err := errors.Join(b.s.Delete(h), b.s.Delete(b.ro)); err != nil {
		return err
	}
	r, err := b.s.WriteSection(false, b.g, nil, b.rw, nd.Sec(span(0, 6), span(0, 4)))
	if err == nil {
		err = b.s.Wait(r)
	}
	if err := errors.Join(err, b.s.Terminate()); err != nil {
		return err
	}
	_, late := b.s.Inquire(b.rw)
	_, probed := b.s.Probe(r)
	for i, err := range []error{late, probed, b.s.Wait(r), b.s.Flick(), b.s.Terminate(), b.open("rw", pexta.ReadOnly)} {
		if !errors.Is(err, pexta.ErrTerminated) {
			return fmt.Errorf("call %d after terminate: %w", i, err)
		}
	}
	return b.comm.Barrier()
}

// TestDisagree: procs with different arguments get the same error, and the program goes on.
func TestDisagree(t *testing.T) {
	dir := t.TempDir()
	err := par.Run(3, func(c par.Comm) error {
		b, err := newBench(c, dir)
		if err != nil {
			return err
		}
		p := c.Proc()
		_, extend := b.s.Extend(b.rw, []int{p, 1}, []int{0, 1})
		section := nd.Sec(span(p, p+1), span(0, 4))
		_, write := b.s.WriteSection(false, b.g, section, b.rw, section)
		_, open := b.s.Open(c, filepath.Join(dir, "ro"), []pexta.Mode{pexta.ReadOnly, pexta.ReadWrite, pexta.ReadOnly}[p])
		for i, err := range []error{b.create(pexta.Spec{Type: dtype.Int32, Shape: []int{1 + p}}), extend, write, open} {
			if !errors.Is(err, par.ErrDisagree) {
				return fmt.Errorf("call %d: %w", i, err)
			}
		}
		return b.goesOn()
	})
	if err != nil {
		t.Error(err)
	}
}

// failures lists which requests fail when a call of the global array fails.
var failures = []struct {
	call                string
	write, read, regrow bool
}{
	{"get", true, false, false},
	{"put", false, true, true},
	{"sync", true, true, true},
	{"access", false, true, true}, // a small write is copied
	{"regrow", false, false, true},
}

// TestGlobalArrayFails: an error of the global array on one proc is an error of the request on all
// procs, and the program goes on.
func TestGlobalArrayFails(t *testing.T) {
	for i, f := range failures {
		dir := t.TempDir()
		if err := par.Run(3, func(c par.Comm) error { return globalArrayFails(c, dir, i) }); err != nil {
			t.Errorf("%s: %v", f.call, err)
		}
	}
}

func globalArrayFails(c par.Comm, dir string, i int) error {
	f := failures[i]
	b, err := newBench(c, dir)
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Float64, []int{6, 4}, layout{Local: f.call == "access"})
	if err != nil {
		return err
	}
	wait := func(r pexta.Request, err error) error {
		if err == nil {
			err = b.s.Wait(r)
		}
		return err
	}
	if err := wait(b.s.Extend(b.rw, []int{0, 4}, []int{-1, 1})); err != nil {
		return err
	}
	g.Fail = func(call string) error {
		if call == f.call && c.Proc() == 1 {
			return errKilled
		}
		return nil
	}
	added := nd.Sec(span(0, 6), span(4, 8))
	write := wait(b.s.WriteSection(false, g, nil, b.rw, added))
	read := wait(b.s.ReadSection(false, g, nil, b.rw, added))
	regrow := wait(b.s.IRead(g, b.rw))
	for i, fails := range []bool{f.write, f.read, f.regrow} {
		err := []error{write, read, regrow}[i]
		if errors.Is(err, errKilled) != fails || !fails && err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
	}
	return b.goesOn()
}
