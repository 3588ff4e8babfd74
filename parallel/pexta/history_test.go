package pexta_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/codectest"
	"drx/internal/enumtest"
	"drx/nd"
	"drx/parallel/par"
	"drx/parallel/pexta"
)

// moreVariable is the environment variable with the number of histories to try instead of 1000.
const moreVariable = "DRX_PEXTA_HISTORIES"

// TestHistoriesKilled: random histories of jobs, of 1 to 4 procs each, on one disk array, against
// plain arrays. Many jobs are killed.
func TestHistoriesKilled(t *testing.T) {
	n := uint64(1000)
	if more, err := strconv.ParseUint(os.Getenv(moreVariable), 10, 64); err == nil {
		n = more
	}
	dir, all := t.TempDir(), enumtest.Of(t)
	for seed := range n {
		if !all.Try() {
			continue
		}
		if log, err := runHistory(filepath.Join(dir, fmt.Sprint(seed)+[]string{"", drx.OneFileExt}[seed/2%2]), seed); err != nil {
			t.Fatalf("history %d: %v\n%s", seed, err, strings.Join(log, "\n"))
		}
	}
}

// runHistory runs the jobs of a history. It returns the log of all steps on proc 0.
func runHistory(file string, seed uint64) ([]string, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var disk *plain // the contents of the last commit
	var log []string
	t := pexta.Types[rng.IntN(len(pexta.Types))]
	for job := range 2 + rng.IntN(3) {
		procs := 1 + rng.IntN(4)
		logs, left := make([][]string, procs), make([]*plain, procs)
		err := par.Run(procs, func(c par.Comm) error {
			h := &history{rng: rand.New(rand.NewPCG(seed, uint64(job+2))), comm: c, file: file, dtype: t}
			if seed%8 == 0 {
				h.comm = newStrict(c)
			}
			if disk != nil {
				h.committed = disk.clone()
			}
			err := h.job()
			logs[c.Proc()], left[c.Proc()] = h.log, h.committed
			return err
		})
		log = append(log, fmt.Sprintf("job %d of %d procs, %v", job, procs, t))
		log = append(log, logs[0]...)
		if err != nil && !errors.Is(err, errKilled) {
			return log, err
		}
		disk = left[0]
		if c := codectest.Turn(seed + uint64(job)); c != "" && disk != nil && rng.IntN(2) == 0 {
			log = append(log, "recompress "+c)
			if err := recompress(file, c); err != nil {
				return log, err
			}
		}
		if err := sameOnDisk(file, disk); err != nil {
			return log, fmt.Errorf("after job %d: %w", job, err)
		}
	}
	return log, drx.Remove(file)
}

// recompress compresses an array between two jobs.
func recompress(file, codec string) error {
	a, err := drx.Open(file, drx.Options{Write: true})
	if err != nil {
		return err
	}
	return errors.Join(a.Recompress(context.Background(), codec, nil), a.Close())
}

// sameOnDisk compares the file, as package drx reads it, with the expected array.
func sameOnDisk(file string, want *plain) error {
	a, err := drx.Open(file, drx.Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	if !slices.Equal(a.Shape(), want.shape) {
		return fmt.Errorf("the file has %v, want %v", a.Shape(), want.shape)
	}
	got := make([]byte, len(want.data))
	if err := a.ReadBytes(nil, got, nil); err != nil {
		return err
	}
	a.DType().ToLittle(got)
	if !bytes.Equal(got, want.data) {
		return errors.New("the file has other elements")
	}
	return nil
}

var errKilled = errors.New("killed, as planned")

func init() { par.Register(errKilled) }

// A history is one job as one of its procs sees it. All procs draw the same numbers.
type history struct {
	rng   *rand.Rand
	comm  par.Comm
	file  string
	dtype dtype.DType
	log   []string

	s         *pexta.Session
	handle    pexta.Handle
	mode      pexta.Mode
	disk      *plain // with all changes of this job
	committed *plain // with the changes that are committed
	changes   int
	saved     int // number of changes that are committed
	globals   []*global
	pending   []pending
}

// A global is a global array with the contents it must have when all requests are done.
type global struct {
	*globalArray
	want *plain
	busy int // number of requests that read into it
}

// A pending is a request and what it does.
type pending struct {
	request pexta.Request
	change  int     // 0 if it reads
	g       *global // that it reads into
}

func (h *history) say(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// job is one job: it creates or opens the array, makes steps, and closes it or is killed.
func (h *history) job() error {
	memory := []int64{0, pexta.MinMaxMemory, 1 << 20}[h.rng.IntN(3)]
	options := pexta.Options{MaxMemory: memory, Goroutines: 1 + h.rng.IntN(3), Durability: drx.Durability(h.rng.IntN(3))}
	h.s = pexta.Start(options)
	if err := h.begin(); err != nil {
		return err
	}
	for range 5 + h.rng.IntN(25) {
		if err := h.step(); err != nil {
			return err
		}
	}
	if options.Durability == drx.DurabilityFull && h.rng.IntN(2) == 0 {
		h.say("killed")
		return errKilled
	}
	return h.end()
}

// end closes the array, and checks the results of earlier reads.
func (h *history) end() error {
	h.say("terminate")
	if err := h.s.Terminate(); err != nil {
		return err
	}
	h.committed = h.disk
	for i, g := range h.globals {
		if n := g.Accesses(); n > 0 {
			return fmt.Errorf("global array %d: memory was not released: %d", i, n)
		}
		if err := h.same(i, g); err != nil {
			return fmt.Errorf("after terminate: %w", err)
		}
	}
	if strict, ok := h.comm.(*strictGroup); ok && strict.Wrong() > 0 {
		return fmt.Errorf("%d calls on other goroutines", strict.Wrong())
	}
	return nil
}

// begin creates the array or opens it.
func (h *history) begin() (err error) {
	if h.committed == nil || h.rng.IntN(8) == 0 {
		if err := h.create(); err != nil {
			return err
		}
	} else {
		h.mode = []pexta.Mode{pexta.ReadWrite, pexta.ReadWrite, pexta.ReadOnly, pexta.WriteOnly}[h.rng.IntN(4)]
		h.say("open to %v", h.mode)
		if h.handle, err = h.s.Open(h.comm, h.file+strings.Repeat("x", h.comm.Proc()), h.mode); err != nil {
			return err
		}
		h.disk = h.committed.clone()
	}
	return h.addGlobal(h.disk.shape)
}

// create creates the array, replacing an old one, in chunks of a few elements.
func (h *history) create() (err error) {
	rank := 1 + h.rng.IntN(4)
	if h.rng.IntN(10) == 0 {
		rank = pexta.MaxRank
	}
	shape, chunk := make([]int, rank), make([]int, rank)
	for d := range shape {
		shape[d], chunk[d] = 1+h.rng.IntN([]int{3000, 60, 16, 8, 4, 3, 3}[rank-1]), 1+h.rng.IntN(5)
		if rank == 1 {
			chunk[d] *= 30
		}
	}
	if h.rng.IntN(4) == 0 {
		chunk = nil
	}
	spec := pexta.Spec{Type: h.dtype, Shape: shape, ChunkShape: chunk, Name: "a name", File: h.file + strings.Repeat("x", h.comm.Proc()), Mode: pexta.ReadWrite}
	if h.rng.IntN(2) == 0 {
		if err := h.addGlobal(shape); err != nil {
			return err
		}
		spec.Like = h.globals[0]
	}
	h.say("%v", spec)
	if h.handle, err = h.s.Create(h.comm, spec); err != nil {
		return err
	}
	h.disk = newPlain(h.dtype.Size(), shape)
	h.committed = h.disk.clone()
	return nil
}

// addGlobal creates a global array with a random distribution.
func (h *history) addGlobal(shape []int) error {
	var l layout
	procs := h.comm.Procs()
	if h.rng.IntN(3) == 0 { // some of the procs
		l.Procs = h.rng.Perm(procs)[:1+h.rng.IntN(procs)]
		slices.Sort(l.Procs)
	}
	switch h.rng.IntN(4) {
	case 0:
		for range shape {
			l.Cyclic = append(l.Cyclic, 2+h.rng.IntN(20))
		}
	case 1:
		l.Begins = h.irregular(shape, procs, l.Procs)
	case 2:
		for range shape {
			l.Ghosts = append(l.Ghosts, h.rng.IntN(3))
		}
	}
	l.Eager, l.Local = h.rng.IntN(2) == 0, h.rng.IntN(2) == 0
	slow := h.rng.IntN(4 * procs)
	g, err := newGA(h.comm, h.dtype, shape, l)
	if err != nil {
		return err
	}
	if slow == h.comm.Proc() {
		g.Fail = func(call string) error {
			if call == "get" {
				time.Sleep(time.Millisecond)
			}
			return nil
		}
	}
	h.say("global array %d of %v, %+v", len(h.globals), shape, l)
	h.globals = append(h.globals, &global{globalArray: g, want: newPlain(h.dtype.Size(), shape)})
	return nil
}

// irregular returns the first indices of blocks, one for each of some procs, along one dimension.
func (h *history) irregular(shape []int, procs int, some []int) [][]int {
	if some != nil {
		procs = len(some)
	}
	begins := make([][]int, len(shape))
	along := h.rng.IntN(len(shape))
	for d, n := range shape {
		begins[d] = []int{0}
		if d == along {
			begins[d] = append(begins[d], h.rng.Perm(n)[:h.rng.IntN(min(n, procs))]...)
			slices.Sort(begins[d])
			begins[d] = slices.Compact(begins[d])
		}
	}
	return begins
}

// step makes one random call, if it is possible now.
func (h *history) step() error {
	g := h.globals[h.rng.IntN(len(h.globals))]
	switch k := h.rng.IntN(20); {
	case k < 3:
		return h.fill(g)
	case k < 7:
		return h.write(g)
	case k < 11:
		return h.read(g)
	case k == 11:
		return h.iread(g)
	case k == 12:
		return h.extend()
	case k == 13:
		return h.outside()
	case k == 14 && len(h.globals) < 4:
		return h.addGlobal(h.otherShape())
	case k == 15:
		return h.reopen()
	case k == 16:
		return h.s.Flick()
	}
	return h.endOne()
}

// otherShape returns the extents of the disk array, or others, sometimes in the reverse order.
func (h *history) otherShape() []int {
	shape := slices.Clone(h.disk.shape)
	if h.rng.IntN(2) == 0 {
		slices.Reverse(shape)
	}
	for d := range shape {
		if h.rng.IntN(3) == 0 {
			shape[d] = 1 + h.rng.IntN(shape[d]+2)
		}
	}
	return shape
}

// fill gives a global array new elements. Each proc puts a part of them, and does not wait for the
// others.
func (h *history) fill(g *global) error {
	if g.busy > 0 {
		return nil
	}
	h.say("fill")
	for i := range g.want.data {
		g.want.data[i] = byte(h.rng.Uint32())
	}
	n, p := g.want.shape[0], h.comm.Proc()
	box := whole(g.want.shape)
	box[0] = nd.Span(n*p/h.comm.Procs(), n*(p+1)/h.comm.Procs())
	if box[0].Len() == 0 {
		return nil
	}
	return g.Put(box, g.want.box(box))
}

func whole(shape []int) nd.Section { return nd.Box(make([]int, len(shape)), shape) }

// pair draws sections of two arrays that correspond to each other. shape has the extents in g.
func (h *history) pair(g *global) (transposed bool, memory, disk nd.Section, shape []int) {
	transposed = h.rng.IntN(2) == 0
	rank := len(g.want.shape)
	memory, disk, shape = make(nd.Section, rank), make(nd.Section, rank), make([]int, rank)
	for d, n := range g.want.shape {
		e := d
		if transposed {
			e = rank - 1 - d
		}
		shape[d] = min(n, h.disk.shape[e])
		if h.rng.IntN(2) == 0 {
			shape[d] = 1 + h.rng.IntN(shape[d])
		}
		lo, there := h.rng.IntN(n-shape[d]+1), h.rng.IntN(h.disk.shape[e]-shape[d]+1)
		memory[d], disk[e] = nd.Span(lo, lo+shape[d]), nd.Span(there, there+shape[d])
	}
	return transposed, memory, disk, shape
}

func lows(sec nd.Section) []int {
	lo, _ := sec.Bounds()
	return lo
}

// write writes all of a global array, or a section.
func (h *history) write(g *global) (err error) {
	var r pexta.Request
	zero := make([]int, len(g.want.shape))
	if h.mode == pexta.ReadOnly || len(zero) != len(h.disk.shape) {
		return nil
	}
	if h.rng.IntN(2) == 0 && slices.Equal(g.want.shape, h.disk.shape) {
		h.say("write")
		r, err = h.s.Write(g, h.handle)
		h.disk.copyBox(zero, g.want, zero, g.want.shape, false)
	} else {
		transposed, memory, disk, _ := h.pair(g)
		h.say("write section %v of %v to %v, transposed %v", memory, g.want.shape, disk, transposed)
		r, err = h.s.WriteSection(transposed, g, memory, h.handle, disk)
		h.disk.copyBox(lows(disk), g.want, lows(memory), disk.Shape(), transposed)
	}
	h.changes++
	h.pending = append(h.pending, pending{request: r, change: h.changes})
	return err
}

// read reads all of the disk array, or a section.
func (h *history) read(g *global) (err error) {
	var r pexta.Request
	zero := make([]int, len(g.want.shape))
	if h.mode == pexta.WriteOnly || len(zero) != len(h.disk.shape) {
		return nil
	}
	if h.rng.IntN(2) == 0 && slices.Equal(g.want.shape, h.disk.shape) {
		h.say("read")
		r, err = h.s.Read(g, h.handle)
		g.want.copyBox(zero, h.disk, zero, g.want.shape, false)
	} else {
		transposed, memory, disk, shape := h.pair(g)
		h.say("read section %v of %v from %v, transposed %v", memory, g.want.shape, disk, transposed)
		r, err = h.s.ReadSection(transposed, g, memory, h.handle, disk)
		g.want.copyBox(lows(memory), h.disk, lows(disk), shape, transposed)
	}
	h.reads(r, g)
	return err
}

func (h *history) reads(r pexta.Request, g *global) {
	g.busy++
	h.pending = append(h.pending, pending{request: r, g: g})
}

// iread reads the disk array, and lets the global array grow if the disk array has.
func (h *history) iread(g *global) error {
	if h.mode == pexta.WriteOnly || len(g.want.shape) != len(h.disk.shape) {
		return nil
	}
	for d, n := range g.want.shape {
		if n > h.disk.shape[d] {
			return nil
		}
	}
	h.say("read and grow %v", g.want.shape)
	r, err := h.s.IRead(g, h.handle)
	if err != nil {
		return err
	}
	g.want = h.disk.clone()
	h.reads(r, g)
	if !slices.Equal(g.Shape(), g.want.shape) {
		return fmt.Errorf("it has %v now, want %v", g.Shape(), g.want.shape)
	}
	return nil
}

// extend extends the array along some dimensions.
func (h *history) extend() error {
	if h.mode == pexta.ReadOnly || len(h.disk.data) > 1<<16 {
		return nil
	}
	order := h.rng.Perm(len(h.disk.shape))
	increments, shape := make([]int, len(order)), slices.Clone(h.disk.shape)
	for i, d := range order {
		increments[d] = h.rng.IntN(4)
		if h.rng.IntN(3) == 0 {
			order[i] = -1 - h.rng.IntN(3)
			continue
		}
		shape[d] += increments[d]
	}
	h.say("extend by %v in the order %v", increments, order)
	r, err := h.s.Extend(h.handle, increments, order)
	h.disk = h.disk.grown(shape)
	h.changes++
	h.pending = append(h.pending, pending{request: r, change: h.changes})
	return err
}

// outside extends the array by another program, which also writes, while this program reads.
func (h *history) outside() error {
	if h.mode != pexta.ReadOnly || len(h.disk.data) > 1<<16 {
		return nil
	}
	dim, by := h.rng.IntN(len(h.disk.shape)), 1+h.rng.IntN(3)
	shape := slices.Clone(h.disk.shape)
	shape[dim] += by
	h.say("extend dimension %d by %d from outside", dim, by)
	h.disk = h.disk.grown(shape)
	added := whole(shape)
	added[dim].Lo = shape[dim] - by
	values := newPlain(h.dtype.Size(), added.Shape())
	for i := range values.data {
		values.data[i] = byte(h.rng.Uint32())
	}
	h.disk.copyBox(lows(added), values, make([]int, len(shape)), values.shape, false)
	h.committed = h.disk.clone()
	var err error
	if h.comm.Proc() == 0 {
		err = extendOutside(h.file, dim, by, values.data)
	}
	if err := h.comm.Agree("outside", err); err != nil {
		return err
	}
	if h.rng.IntN(2) == 0 {
		info, err := h.s.Refresh(h.handle)
		if err == nil && !slices.Equal(info.Shape, shape) {
			err = fmt.Errorf("refreshed to %v, want %v", info.Shape, shape)
		}
		return err
	}
	return h.regrow(h.globals[0])
}

// regrow is iread for an array that another program has extended, as this one must notice.
func (h *history) regrow(g *global) error {
	for d, n := range g.want.shape {
		if len(g.want.shape) != len(h.disk.shape) || n > h.disk.shape[d] {
			_, err := h.s.Refresh(h.handle)
			return err
		}
	}
	return h.iread(g)
}

// extendOutside extends an array and writes the new elements, with package drx.
func extendOutside(file string, dim, by int, values []byte) error {
	a, err := drx.Open(file, drx.Options{Write: true})
	if err != nil {
		return err
	}
	sec, err := a.Extend(dim, by)
	if err == nil {
		err = a.WriteBytes(sec, a.DType().Little(values), nil)
	}
	return errors.Join(err, a.Close())
}

// reopen closes the array and opens it again.
func (h *history) reopen() (err error) {
	h.say("close and open")
	if err := h.s.Close(h.handle); err != nil {
		return err
	}
	for _, p := range h.pending {
		if err := h.s.Wait(p.request); err != nil {
			return fmt.Errorf("wait after close: %w", err)
		}
		if p.g != nil {
			p.g.busy--
		}
	}
	h.pending, h.changes, h.saved = nil, 0, 0
	h.committed = h.disk.clone()
	h.handle, err = h.s.Open(h.comm, h.file, h.mode)
	return err
}

// endOne waits for one of the requests, in any order, or calls Probe until it is done.
func (h *history) endOne() error {
	if len(h.pending) == 0 {
		return nil
	}
	i := h.rng.IntN(len(h.pending))
	p := h.pending[i]
	if h.rng.IntN(3) == 0 {
		h.say("probe request %d", p.request)
		done, err := h.s.Probe(p.request)
		if !done || err != nil {
			return err
		}
		h.say("is done")
	} else {
		h.say("wait for request %d", p.request)
		if err := h.s.Wait(p.request); err != nil {
			return err
		}
	}
	h.pending = slices.Delete(h.pending, i, i+1)
	if p.change > h.saved {
		h.saved, h.committed = h.changes, h.disk.clone()
	}
	if err := h.s.Wait(p.request); err != nil {
		return fmt.Errorf("second wait: %w", err)
	}
	if p.g == nil {
		return nil
	}
	if p.g.busy--; p.g.busy > 0 {
		return nil
	}
	return h.same(slices.Index(h.globals, p.g), p.g)
}

// same compares a global array on each proc with its expected contents.
func (h *history) same(i int, g *global) error {
	if err := g.Sync(); err != nil { // delivers the puts of fill
		return err
	}
	got := make([]byte, len(g.want.data))
	if err := g.Get(whole(g.want.shape), got); err != nil {
		return err
	}
	err := error(nil)
	if !bytes.Equal(got, g.want.data) {
		err = fmt.Errorf("global array %d holds other elements", i)
	}
	return h.comm.Agree("same", err)
}
