package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// A tally counts what a proc does in collective calls.
type tally struct {
	calls     int64 // collective calls of any kind, each of which begins with an agreement
	exchanges int64 // those in which every proc has a message for every other one
	got       int64 // bytes from other procs
}

func (t *tally) add(u tally) {
	t.calls += u.calls
	t.exchanges += u.exchanges
	t.got += u.got
}

func (t tally) since(u tally) tally {
	return tally{t.calls - u.calls, t.exchanges - u.exchanges, t.got - u.got}
}

// A tallied comm counts the calls of a proc. Its groups count in the same tally.
type talliedComm struct {
	par.Comm
	sum *tally
}

// Barrier counts a call.
func (c *talliedComm) Barrier() error {
	c.sum.calls++
	return c.Comm.Barrier()
}

// Agree counts a call.
func (c *talliedComm) Agree(what string, err error) error {
	c.sum.calls++
	return c.Comm.Agree(what, err)
}

// Broadcast counts a call and the bytes of the buffer.
func (c *talliedComm) Broadcast(buf []byte, root int) error {
	c.sum.add(tally{calls: 1, got: int64(len(buf))})
	return c.Comm.Broadcast(buf, root)
}

// Gather counts a call and the bytes of others.
func (c *talliedComm) Gather(data []byte, root int) ([][]byte, error) {
	all, err := c.Comm.Gather(data, root)
	return c.counted(tally{calls: 1}, all, err)
}

// AllGather counts a call and the bytes of others.
func (c *talliedComm) AllGather(data []byte) ([][]byte, error) {
	all, err := c.Comm.AllGather(data)
	return c.counted(tally{calls: 1}, all, err)
}

// AllToAll counts an exchange and the bytes of others.
func (c *talliedComm) AllToAll(data [][]byte) ([][]byte, error) {
	all, err := c.Comm.AllToAll(data)
	return c.counted(tally{calls: 1, exchanges: 1}, all, err)
}

// AllReduce counts a call and the bytes of a buffer.
func (c *talliedComm) AllReduce(buf []byte, t dtype.DType, op par.Op) error {
	c.sum.add(tally{calls: 1, got: int64(len(buf))})
	return c.Comm.AllReduce(buf, t, op)
}

// Split counts a call; the group that it returns counts on.
func (c *talliedComm) Split(color, key int) (par.Comm, error) {
	c.sum.calls++
	part, err := c.Comm.Split(color, key)
	if part == nil || err != nil {
		return nil, err
	}
	return &talliedComm{part, c.sum}, nil
}

func (c *talliedComm) counted(t tally, all [][]byte, err error) ([][]byte, error) {
	for p, data := range all {
		if p != c.Proc() {
			t.got += int64(len(data))
		}
	}
	c.sum.add(t)
	return all, err
}

// countedChunk is the edge of a chunk in the arrays with which calls are counted: the number of
// calls, and what procs say of chunks, do not depend on it.
const countedChunk = 8

// countCalls runs the phases of the job DRX-MP by goroutines as procs, each with a row of chunks,
// and returns the tally of the last proc for each phase, and the number of files that a proc opens.
func countCalls(dir string, procs, chunks int) (phases map[string]tally, files float64, err error) {
	phases = map[string]tally{}
	before := openFiles()
	err = par.Run(procs, func(c par.Comm) error {
		counting := &talliedComm{c, new(tally)}
		return countPhases(counting, filepath.Join(dir, "counted"), chunks, func(phase string, f func() error) error {
			before := *counting.sum
			err := f()
			if c.Proc() == procs-1 {
				phases[phase] = counting.sum.since(before)
				files = max(files, float64(openFiles()))
			}
			return err
		})
	})
	return phases, (files - float64(before)) / float64(procs), err
}

// openFiles returns the number of files that this process has open; 0 if the system does not say.
func openFiles() int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(files)
}

// countPhases calls counted with each phase.
func countPhases(c par.Comm, path string, chunks int, counted func(phase string, f func() error) error) error {
	rows, columns := countedChunk*c.Procs(), countedChunk*chunks
	o := drxmp.Options{
		Options:      drx.Options{Write: true, Durability: drx.DurabilityNone, Goroutines: 1, Cache: 1 << 16},
		Distribution: drxmp.Distribution{Grid: []int{c.Procs(), 1}},
	}
	zone := make([]float64, countedChunk*columns)
	err := counted("write", func() error {
		spec := drx.Spec{DType: dtype.Float64, Shape: []int{rows, columns}, ChunkShape: uniform(2, countedChunk), Options: o.Options}
		a, err := drxmp.Create(c, path, spec, o)
		if err != nil {
			return err
		}
		return errors.Join(drxmp.WriteAll(a, nil, zone), a.Close())
	})
	if err != nil {
		return err
	}
	var a *drxmp.Array
	if err := counted("open", func() (err error) { a, err = drxmp.Open(c, path, o); return err }); err != nil {
		return err
	}
	if err := counted("read", func() error { return drxmp.ReadAll(a, nil, zone) }); err != nil {
		return err
	}
	err = counted("round", func() error {
		if _, err := a.Extend(1, countedChunk); err != nil {
			return err
		}
		at := countedChunk * c.Proc()
		sec := nd.Section{nd.Span(at, at+countedChunk), nd.Span(columns, columns+countedChunk)}
		return errors.Join(drxmp.WriteAll(a, sec, zone[:countedChunk*countedChunk]), a.Sync())
	})
	return errors.Join(err, counted("close", a.Close))
}

// A law says how the tally of a phase grows with the number of procs and with the chunks that each
// of them changes. The calls are the same for all.
type law struct {
	tally                     // got: what does not grow
	perProc, perChunk float64 // bytes from each other proc, and more for each chunk of that
}

// got returns the bytes that a proc gets from others.
func (w law) bytes(procs, chunks int) float64 {
	return float64(w.got) + float64(procs-1)*(w.perProc+w.perChunk*float64(chunks))
}

// countLaws counts a few small jobs and returns the laws of the phases, and the number of files
// that each proc opens.
func countLaws(dir string) (map[string]law, float64, error) {
	sizes := [3][2]int{{16, 1}, {64, 1}, {64, 4}}
	var counts [len(sizes)]map[string]tally
	var files float64
	for i, s := range sizes {
		var err error
		if counts[i], files, err = countCalls(dir, s[0], s[1]); err != nil {
			return nil, 0, err
		}
		if err := removeArray(filepath.Join(dir, "counted")); err != nil {
			return nil, 0, err
		}
	}
	laws := map[string]law{}
	for phase, more := range counts[1] {
		got := func(i int) float64 { return float64(counts[i][phase].got) }
		w := law{tally: more, perChunk: math.Round((got(2) - got(1)) / (63 * 3))}
		if phase == "round" { // which changes one chunk, however many there are
			w.perChunk = changeBytes
		}
		w.perProc = math.Round((got(1)-got(0))/(64-16)) - w.perChunk
		w.got = more.got - int64(63*(w.perProc+w.perChunk))
		laws[phase] = w
	}
	return laws, files, nil
}

// changeBytes is what a proc says of a chunk that it has written: its number, where it is, and its
// table entry.
const changeBytes = 32
