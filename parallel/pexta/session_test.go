package pexta_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

var (
	_ pexta.GlobalArray = (*globalArray)(nil)
	_ pexta.Accessor    = (*globalArray)(nil)
)

// random returns an array of random bytes.
func random(rng *rand.Rand, elem int, shape []int) *plain {
	p := newPlain(elem, shape)
	for i := range p.data {
		p.data[i] = byte(rng.Uint32())
	}
	return p
}

// putAll puts all elements of a global array from one proc.
func putAll(c par.Comm, g *globalArray, p *plain) error {
	if c.Proc() != c.Procs()-1 {
		return nil
	}
	return g.Put(whole(p.shape), p.data)
}

// holds returns an error on all procs unless every proc sees the given elements in a global array.
func holds(c par.Comm, g *globalArray, p *plain) error {
	got := make([]byte, len(p.data))
	err := g.Get(whole(p.shape), got)
	if err == nil && !bytes.Equal(got, p.data) {
		err = fmt.Errorf("global array of %v holds other elements", p.shape)
	}
	return c.Agree("holds", err)
}

// layouts returns one layout of each kind for an array.
func layouts(shape []int, procs int) map[string]layout {
	cyclic, ghosts, begins := make([]int, len(shape)), make([]int, len(shape)), make([][]int, len(shape))
	for d, n := range shape {
		cyclic[d], ghosts[d], begins[d] = 2, 1+d%2, []int{0}
		for i := 1; d == 0 && i < min(procs, n); i++ {
			begins[d] = append(begins[d], i) // short blocks and a long one
		}
	}
	return map[string]layout{
		"regular":      {},
		"memory":       {Local: true},
		"irregular":    {Begins: begins, Local: true},
		"block-cyclic": {Cyclic: cyclic},
		"ghosts":       {Ghosts: ghosts, Local: true},
		"restricted":   {Procs: []int{procs - 1}, Local: true},
	}
}

// TestPairs: any number of procs can read what any other number has written, for all element types,
// ranks and layouts.
func TestPairs(t *testing.T) {
	for rank := 1; rank <= pexta.MaxRank; rank++ {
		for i, typ := range pexta.Types {
			wrote, read := 1+(rank+i)%4, 1+(rank*i+i/4)%4
			if i == 0 { // all pairs, once per rank
				for n := range 16 {
					testPair(t, rank, typ, 1+n/4, 1+n%4)
				}
				continue
			}
			testPair(t, rank, typ, wrote, read)
		}
	}
}

func testPair(t *testing.T, rank int, typ dtype.DType, wrote, read int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(rank), uint64(wrote*4+read)))
	shape, chunk := make([]int, rank), make([]int, rank)
	for d := range shape {
		shape[d], chunk[d] = 2+rng.IntN([]int{200, 30, 10, 5, 4, 3, 2}[rank-1]), 1+rng.IntN(3)
	}
	file, want := filepath.Join(t.TempDir(), "a"), random(rng, typ.Size(), shape)
	transposed := newPlain(typ.Size(), slices.Clone(shape))
	slices.Reverse(transposed.shape)
	zero := make([]int, rank)
	transposed.copyBox(zero, want, zero, transposed.shape, true)
	err := par.Run(wrote, func(c par.Comm) error {
		s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory, Durability: drx.DurabilityNone})
		h, err := s.Create(c, pexta.Spec{Type: typ, Shape: shape, ChunkShape: chunk, Name: "pair", File: file})
		if err != nil {
			return err
		}
		for name, l := range sorted(layouts(shape, wrote)) {
			g, err := newGA(c, typ, shape, l)
			if err == nil {
				err = putAll(c, g, want)
			}
			if err != nil {
				return err
			}
			r, err := s.Write(g, h)
			if err == nil {
				err = s.Wait(r)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return s.Terminate()
	})
	if err != nil {
		t.Fatalf("rank %d of %v, %d procs write: %v", rank, typ, wrote, err)
	}
	err = par.Run(read, func(c par.Comm) error {
		s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
		h, err := s.Open(c, file, pexta.ReadOnly)
		if err != nil {
			return err
		}
		for name, l := range sorted(layouts(transposed.shape, read)) {
			g, err := newGA(c, typ, transposed.shape, l)
			if err != nil {
				return err
			}
			r, err := s.ReadSection(true, g, nil, h, nil)
			if err == nil {
				err = s.Wait(r)
			}
			if err == nil {
				err = holds(c, g, transposed)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		info, err := s.Inquire(h)
		if err != nil || info.Name != "pair" || info.Type != typ || !slices.Equal(info.Shape, shape) || info.File != file {
			return fmt.Errorf("inquired %+v: %w", info, err)
		}
		return s.Terminate()
	})
	if err != nil {
		t.Fatalf("rank %d of %v, %d procs read what %d wrote: %v", rank, typ, read, wrote, err)
	}
}

// sorted yields the layouts in the same order on all procs.
func sorted(all map[string]layout) func(yield func(string, layout) bool) {
	return func(yield func(string, layout) bool) {
		var names []string
		for name := range all {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}

// TestManyRequests: fifty requests on five arrays are pending at a time, while a sixth array is
// extended, and end in any order.
func TestManyRequests(t *testing.T) {
	dir := t.TempDir()
	err := par.Run(3, func(c par.Comm) error {
		rng := rand.New(rand.NewPCG(1, 2))
		s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
		shape := []int{50, 40}
		var handles []pexta.Handle
		for i := range 6 {
			h, err := s.Create(c, pexta.Spec{Type: dtype.Int64, Shape: shape, ChunkShape: []int{7, 9}, File: filepath.Join(dir, fmt.Sprint(i))})
			if err != nil {
				return err
			}
			handles = append(handles, h)
		}
		var requests []pexta.Request
		var globals []*globalArray
		var wants []*plain
		for i := range 25 {
			g, err := newGA(c, dtype.Int64, shape, layout{Local: i%2 == 0})
			if err != nil {
				return err
			}
			again, err := newGA(c, dtype.Int64, shape, layout{Local: i%3 == 0})
			if err != nil {
				return err
			}
			want := random(rng, 8, shape)
			if err := putAll(c, g, want); err != nil {
				return err
			}
			w, err := s.Write(g, handles[i%5])
			if err != nil {
				return err
			}
			r, err := s.Read(again, handles[i%5])
			if err != nil {
				return err
			}
			e, err := s.Extend(handles[5], []int{1, 2}, []int{1, 0})
			if err != nil {
				return err
			}
			requests, globals, wants = append(requests, w, r, e), append(globals, again), append(wants, want)
		}
		rng.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j], requests[i] })
		for _, r := range requests {
			if err := s.Wait(r); err != nil {
				return err
			}
		}
		for i, g := range globals {
			if err := holds(c, g, wants[i]); err != nil {
				return fmt.Errorf("read %d: %w", i, err)
			}
		}
		info, err := s.Inquire(handles[5])
		if err != nil || !slices.Equal(info.Shape, []int{75, 90}) {
			return fmt.Errorf("extended to %v: %w", info.Shape, err)
		}
		return s.Terminate()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestGroups: two groups of procs have arrays of their own, and all have one together.
func TestGroups(t *testing.T) {
	dir := t.TempDir()
	err := par.Run(4, func(c par.Comm) error {
		part, err := c.Split(c.Proc()%2, c.Proc())
		if err != nil {
			return err
		}
		s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
		for round := range 3 {
			for i, group := range []par.Comm{part, c, part} {
				name := filepath.Join(dir, fmt.Sprint(i, "-", group.Procs(), "-", c.Proc()%2)) // proc 0's is used
				if err := roundTrip(group, s, name, uint64(round+c.Proc()%2*(4-group.Procs()))); err != nil {
					return fmt.Errorf("round %d, group %d: %w", round, i, err)
				}
			}
		}
		return errors.Join(s.Terminate(), part.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// roundTrip writes an array, reads it into a global array of another layout, compares, and closes
// it.
func roundTrip(c par.Comm, s *pexta.Session, name string, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 9))
	shape := []int{30 + rng.IntN(9), 40}
	want := random(rng, 8, shape)
	h, err := s.Create(c, pexta.Spec{Type: dtype.Float64, Shape: shape, ChunkShape: []int{4, 4}, File: name})
	if err != nil {
		return err
	}
	g, err := newGA(c, dtype.Float64, shape, layout{})
	if err != nil {
		return err
	}
	if err := putAll(c, g, want); err != nil {
		return err
	}
	w, err := s.Write(g, h)
	if err != nil {
		return err
	}
	again, err := newGA(c, dtype.Float64, shape, layout{Cyclic: []int{5, 3}})
	if err != nil {
		return err
	}
	r, err := s.Read(again, h)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Wait(r), s.Wait(w), holds(c, again, want)); err != nil {
		return err
	}
	return s.Close(h)
}

// TestBuffers: a session allocates at most half of its memory for buffers, uses them again, and
// frees them all, however large the array is.
func TestBuffers(t *testing.T) {
	const memory = 1 << 20
	dir := t.TempDir()
	err := par.Run(2, func(c par.Comm) error {
		now, most, count := 0, 0, 0
		s := pexta.Start(pexta.Options{MaxMemory: memory, Durability: drx.DurabilityNone, Allocate: func(n int) ([]byte, func(), error) {
			now, count = now+n, count+1
			most = max(most, now)
			return make([]byte, n), func() { now -= n }, nil
		}})
		h, err := s.Create(c, pexta.Spec{Type: dtype.Float64, Shape: []int{1500, 1000}, Request: []int{100, 100}, File: filepath.Join(dir, "a")})
		if err != nil {
			return err
		}
		g, err := newGA(c, dtype.Float64, []int{1500, 1000}, layout{})
		if err != nil {
			return err
		}
		for i := range 3 {
			w, err := s.Write(g, h)
			if err != nil {
				return err
			}
			r, err := s.ReadSection(false, g, nd.Sec(span(1, 1500), span(0, 999)), h, nd.Sec(span(0, 1499), span(1, 1000)))
			if err != nil {
				return err
			}
			if i == 1 {
				err = s.Wait(w)
			}
			if err := errors.Join(err, s.Wait(r)); err != nil {
				return err
			}
		}
		if err := s.Terminate(); err != nil || most > memory/2 || most < memory/4 || now != 0 || count*65536 > memory {
			return fmt.Errorf("%d bytes in %d buffers, at most %d, %d not freed: %w", most, count, memory/2, now, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadsOwn: each proc reads the elements in its memory without a buffer, and puts nothing,
// though other procs own the chunks. Before a commit it reads the chunks that it owns.
func TestReadsOwn(t *testing.T) {
	for _, layout := range []layout{{Local: true}, {Local: true, Ghosts: []int{1, 2}}, {Local: true, Begins: [][]int{{0, 5, 37}, {0}}}} {
		dir, shape := t.TempDir(), []int{40, 60}
		err := par.Run(3, func(c par.Comm) error {
			s := pexta.Start(pexta.Options{})
			h, err := s.Create(c, pexta.Spec{Type: dtype.Int64, Shape: shape, ChunkShape: []int{16, 18}, File: filepath.Join(dir, "a")})
			if err != nil {
				return err
			}
			puts, want := 0, random(rand.New(rand.NewPCG(5, 6)), 8, shape)
			reads := func(wait bool) error {
				g, err := newGA(c, dtype.Int64, shape, layout)
				if err == nil {
					err = putAll(c, g, want)
				}
				if err != nil {
					return err
				}
				w, err := s.Write(g, h)
				if err == nil && wait {
					err = s.Wait(w)
				}
				if err != nil {
					return err
				}
				if g, err = newGA(c, dtype.Int64, shape, layout); err != nil {
					return err
				}
				puts = 0
				g.Fail = func(call string) error {
					if call == "put" {
						puts++
					}
					return nil
				}
				r, err := s.Read(g, h)
				if err == nil {
					err = errors.Join(s.Wait(r), s.Wait(w))
				}
				if err != nil {
					return err
				}
				all := []int32{int32(puts)}
				if err := par.AllReduce(c, all, par.Sum); err != nil {
					return err
				}
				if wait != (all[0] == 0) {
					return fmt.Errorf("%d puts, after a commit: %v", all[0], wait)
				}
				return holds(c, g, want)
			}
			return errors.Join(reads(true), reads(false), reads(true), s.Terminate())
		})
		if err != nil {
			t.Errorf("%+v: %v", layout, err)
		}
	}
}

// TestNoMemory: without memory for a buffer a request fails; with memory for one it does not.
func TestNoMemory(t *testing.T) {
	for _, buffers := range []int{0, 1} {
		dir := t.TempDir()
		err := par.Run(2, func(c par.Comm) error {
			left := buffers
			s := pexta.Start(pexta.Options{Allocate: func(n int) ([]byte, func(), error) {
				if left == 0 && c.Proc() == 0 {
					return nil, nil, errKilled
				}
				left--
				return make([]byte, n), func() {}, nil
			}})
			h, err := s.Create(c, pexta.Spec{Type: dtype.Int32, Shape: []int{900, 900}, ChunkShape: []int{300, 300}, File: filepath.Join(dir, "a")})
			if err != nil {
				return err
			}
			g, err := newGA(c, dtype.Int32, []int{900, 900}, layout{})
			if err != nil {
				return err
			}
			w, err := s.Write(g, h)
			if err != nil {
				return err
			}
			r, err := s.Read(g, h)
			if err != nil {
				return err
			}
			for _, err := range []error{s.Wait(r), s.Wait(w)} {
				if buffers == 0 && !errors.Is(err, errKilled) || buffers > 0 && err != nil {
					return fmt.Errorf("wait: %w", err)
				}
			}
			return s.Terminate()
		})
		if err != nil {
			t.Errorf("%d buffers: %v", buffers, err)
		}
	}
}

// TestProgress: Probe alone completes a request, and Flick moves elements that were read while the
// program computes.
func TestProgress(t *testing.T) {
	dir := t.TempDir()
	err := par.Run(2, func(c par.Comm) error {
		s := pexta.Start(pexta.Options{MaxMemory: pexta.MinMaxMemory})
		h, err := s.Create(c, pexta.Spec{Type: dtype.Int32, Shape: []int{300, 300}, ChunkShape: []int{20, 20}, File: filepath.Join(dir, "a")})
		if err != nil {
			return err
		}
		g, err := newGA(c, dtype.Int32, []int{300, 300}, layout{Eager: true})
		if err != nil {
			return err
		}
		want := random(rand.New(rand.NewPCG(3, 4)), 4, []int{300, 300})
		if err := putAll(c, g, want); err != nil {
			return err
		}
		probe := func(r pexta.Request) error {
			for {
				if done, err := s.Probe(r); done || err != nil {
					return err
				}
			}
		}
		r, err := s.Write(g, h)
		if err == nil {
			err = probe(r)
		}
		if err != nil {
			return err
		}
		if g, err = newGA(c, dtype.Int32, []int{300, 300}, layout{Eager: true}); err != nil {
			return err
		}
		if r, err = s.Read(g, h); err != nil {
			return err
		}
		got := make([]byte, len(want.data))
		for !bytes.Equal(got, want.data) { // Flick alone brings all elements
			if err := errors.Join(s.Flick(), g.Get(whole(want.shape), got)); err != nil {
				return err
			}
		}
		if done, err := s.Probe(r); err != nil || !done && c.Procs() == 1 {
			return fmt.Errorf("probe: %v, %w", done, err)
		}
		return errors.Join(probe(r), s.Terminate())
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFiles: an array of the same name is replaced, other files are left alone, and Delete removes
// an array in any mode, with requests pending.
func TestFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.dra")
	if err := os.WriteFile(file, nil, 0o600); err != nil { // some programs create it first
		t.Fatal(err)
	}
	err := par.Run(2, func(c par.Comm) error {
		s := pexta.Start(pexta.Options{})
		g, err := newGA(c, dtype.Complex64, []int{5}, layout{})
		if err != nil {
			return err
		}
		for i, mode := range []pexta.Mode{pexta.ReadWrite, pexta.WriteOnly, pexta.ReadOnly} {
			h, err := s.Create(c, pexta.Spec{Type: dtype.Complex64, Shape: []int{5 + i}, File: file})
			if err != nil {
				return err
			}
			if mode != pexta.ReadWrite {
				if err := s.Close(h); err != nil {
					return err
				}
				if h, err = s.Open(c, file, mode); err != nil {
					return err
				}
			}
			part := nd.Sec(span(0, 5))
			if mode == pexta.ReadOnly {
				_, err = s.ReadSection(false, g, part, h, part)
			} else {
				_, err = s.WriteSection(false, g, part, h, part)
			}
			var text strings.Builder
			if err := errors.Join(err, s.Print(&text, h)); err != nil || !strings.Contains(text.String(), "complex64") || !strings.Contains(text.String(), "request 1") && i == 0 {
				return fmt.Errorf("printed %q: %w", text.String(), err)
			}
			if mode.String() != "read" {
				if _, err := s.Create(c, pexta.Spec{Type: dtype.Int32, Shape: []int{1}, File: file}); err == nil {
					return errors.New("replaced an array that is open")
				}
			}
			if err := s.Delete(h); err != nil {
				return err
			}
			if exists, err := drx.Exists(file); exists || err != nil {
				return fmt.Errorf("exists %v: %w", exists, err)
			}
		}
		return s.Terminate()
	})
	if err != nil {
		t.Fatal(err)
	}
}
