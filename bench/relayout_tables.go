package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/par"
	"drx/relayout"
)

// relayoutTables repeats tables 2 to 4 of Krishnamoorthy et al. (2006) on a smaller array. It
// measures reading all of an array stored by rows in boxes of 1 MiB of another shape (skewed),
// copying it into chunks of that shape (conversion), and reading the copy (aligned).
var relayoutTables = experiment{
	name:  "relayout-tables",
	title: "Reading 512 MiB stored by rows, in boxes of 1 MiB",
	plots: []plot{
		tablePlot("cold, 1 proc"), tablePlot("cold, 2 procs"), tablePlot("warm, 1 proc"), tablePlot("warm, 2 procs"),
	},
	run: runRelayoutTables,
}

func tablePlot(metric string) plot {
	return plot{metric: metric, title: "Reading 512 MiB stored by rows in boxes of 1 MiB, " + metric, x: "box, in elements", y: "time (ms)"}
}

func runRelayoutTables(l *lab, t *table) error {
	shape := []int{pick(l, 8192, 1024), 8192}
	rows := l.path(drxDefault, "rows")
	if err := l.build([]competitor{drxDefault}, "rows", shape, []int{16, 8192}); err != nil {
		return err
	}
	for width := 8192; width >= 256; width /= 2 {
		if l.short && width%2048 != 0 {
			continue
		}
		b := tableLine{l: l, access: []int{1 << 17 / width, width}, rows: rows, blocks: filepath.Join(l.dir, "blocks")}
		if err := b.run(t); err != nil {
			return err
		}
	}
	return removeArray(rows)
}

// tableLine measures one line of a table: boxes of one shape.
type tableLine struct {
	l            *lab
	procs        int
	cold         bool
	access       []int
	rows, blocks string
}

// oneGoroutine limits every proc to one goroutine.
var oneGoroutine = drx.Options{Goroutines: 1, Cache: relayout.ArrayCache}

func (b tableLine) run(t *table) error {
	b.procs = 1
	if _, err := b.convert(b.blocks); err != nil {
		return err
	}
	for _, m := range []struct {
		metric string
		procs  int
		cold   bool
	}{{"warm, 1 proc", 1, false}, {"warm, 2 procs", 2, false}, {"cold, 1 proc", 1, true}, {"cold, 2 procs", 2, true}} {
		b.procs, b.cold = m.procs, m.cold
		if err := b.race(t, m.metric); err != nil {
			return err
		}
	}
	return removeArray(b.blocks)
}

func (b tableLine) race(t *table, metric string) error {
	_, err := b.l.race(t, cell{metric: metric, column: fmt.Sprintf("%dx%d", b.access[0], b.access[1]), unit: milliseconds},
		entrant{series: "skewed", run: func(uint64) (result, error) { return b.read(b.rows) }},
		entrant{series: "conversion", run: func(uint64) (result, error) {
			to := b.blocks + "-again"
			r, err := b.convert(to)
			return r, errors.Join(err, removeArray(to))
		}},
		entrant{series: "aligned", run: func(uint64) (result, error) { return b.read(b.blocks) }},
	)
	return err
}

// open opens an array after loading all of it into the page cache, or evicting it if b.cold.
func (b tableLine) open(name string) (*drx.Array, error) {
	if b.cold {
		if err := evict(name); err != nil {
			return nil, err
		}
	} else if err := walkStore(name, func(file string, _ os.FileInfo) error { return readThrough(file, make([]byte, 1<<20)) }); err != nil {
		return nil, err
	}
	return drx.Open(name, oneGoroutine)
}

// convert copies the array stored by rows into chunks of the shape of the boxes.
func (b tableLine) convert(to string) (result, error) {
	src, err := b.open(b.rows)
	if err != nil {
		return result{}, err
	}
	if err := touchMemory(8*int64(volume(src.Shape())) + relayout.DefaultMemory); err != nil {
		return result{}, err
	}
	o := oneGoroutine
	o.Durability = drx.DurabilityNone
	var k clock
	k.begin()
	dst, err := drx.Create(to, drx.Spec{DType: dtype.Float64, Shape: src.Shape(), ChunkShape: b.access, Options: o})
	if err != nil {
		return result{}, err
	}
	p, err := relayout.NewParallelPlan(relayout.GridOf(src), relayout.GridOf(dst), nil, relayout.DefaultMemory/int64(b.procs), b.procs)
	if err == nil {
		err = par.Run(b.procs, func(c par.Comm) error {
			_, err := relayout.CopyParallel(context.Background(), c, dst, src, p, relayout.ParallelOptions{})
			return err
		})
	}
	err = errors.Join(err, dst.Close())
	k.end(1)
	return result{wall: k.wall, cpu: k.cpu}, errors.Join(err, src.Close())
}

// read reads a whole array in boxes, which the procs process in turn.
func (b tableLine) read(name string) (result, error) {
	a, err := b.open(name)
	if err != nil {
		return result{}, err
	}
	var k clock
	sum := []float64{0}
	err = par.Run(b.procs, func(c par.Comm) error {
		buf := touchedBuffer(volume(b.access))
		if err := c.Barrier(); err != nil {
			return err
		}
		begun := time.Now()
		own, err := b.readShare(c, a, buf)
		if err := c.Agree("read", err); err != nil {
			return err
		}
		if c.Proc() == 0 {
			k.wall = time.Since(begun)
		}
		total := []float64{own}
		err = par.AllReduce(c, total, par.Sum)
		if c.Proc() == 0 {
			sum[0] = total[0]
		}
		return err
	})
	return result{wall: k.wall, check: fmt.Sprint(sum[0])}, errors.Join(err, a.Close())
}

// readShare reads the boxes of one proc and returns the sum of their corners.
func (b tableLine) readShare(c par.Comm, a *drx.Array, buf []float64) (sum float64, err error) {
	shape, n := a.Shape(), 0
	for y := 0; y < shape[0]; y += b.access[0] {
		for x := 0; x < shape[1]; x += b.access[1] {
			if n++; n%c.Procs() != c.Proc() {
				continue
			}
			sec := nd.Sec(nd.Span(y, y+b.access[0]), nd.Span(x, x+b.access[1]))
			if err := drx.ReadInto(a, sec, buf); err != nil {
				return 0, err
			}
			sum += buf[0] + buf[len(buf)-1]
		}
	}
	return sum, nil
}
