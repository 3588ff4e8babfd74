package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/fileset"
)

// asItGrows measures what should not depend on how often an array was extended, or on how many
// chunks it could have.
var asItGrows = experiment{
	name:  "as-it-grows",
	title: "What an array costs as it grows",
	plots: []plot{
		{metric: "opening, by extensions", title: "Opening an array", x: "extensions, each a commit", y: "time (ms)", logX: true, logY: true},
		{metric: "by chunks", title: "An array of which a thousand chunks are written", x: "chunks", y: "time (ms)", logX: true, logY: true},
	},
	run: func(l *lab, t *table) error {
		for _, n := range pick(l, []int{1e3, 1e4, 1e5, 1e6}, []int{1e3, 1e4}) {
			if err := l.measureExtensions(t, n); err != nil {
				return err
			}
		}
		for _, n := range pick(l, []int{1e6, 1e7, 1e8, 1e9}, []int{1e6, 1e7}) {
			if err := l.measureChunks(t, n); err != nil {
				return err
			}
		}
		return nil
	},
}

// grownChunk is the number of elements of a chunk here: 4 KiB.
const grownChunk = 512

// growing creates an array of a number of chunks without elements.
func growing(name string, chunks int) (*drx.Array, error) {
	return drx.Create(name, drx.Spec{
		DType: dtype.Float64, Shape: []int{chunks * grownChunk}, ChunkShape: []int{grownChunk}, Options: drx.Options{Durability: drx.DurabilityNone},
	})
}

// clocked returns an entrant that measures f in this process.
func clocked(series string, f func() error) entrant {
	return entrant{series: series, run: func(uint64) (result, error) {
		start := time.Now()
		err := f()
		return result{wall: time.Since(start)}, err
	}}
}

// measureExtensions measures opening after extensions of a dimension, with and without the
// checkpoint of the log.
func (l *lab) measureExtensions(t *table, n int) (err error) {
	name := filepath.Join(l.dir, "grown")
	a, err := growing(name, 1)
	if err != nil {
		return err
	}
	for i := 0; i < n && err == nil; i++ {
		if _, err = a.Extend(0, grownChunk); err == nil {
			err = a.Sync()
		}
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drx.Remove(name)) }()
	open := func() error {
		a, err := drx.Open(name, drx.Options{})
		if err != nil {
			return err
		}
		return a.Close()
	}
	c := cell{metric: "opening, by extensions", x: float64(n), unit: milliseconds}
	if _, err := l.race(t, c, clocked("drx", open)); err != nil {
		return err
	}
	checkpoint, _ := fileset.Checkpoint(name)
	for _, f := range []struct{ series, file string }{{"log", fileset.Log(name)}, {"checkpoint", checkpoint}} {
		size := int64(0)
		if info, err := os.Stat(f.file); err == nil {
			size = info.Size()
		}
		t.add(row{metric: "size, by extensions", series: f.series, x: float64(n), value: float64(size), unit: "bytes", digits: 4})
	}
	if err := os.RemoveAll(checkpoint); err != nil {
		return err
	}
	_, err = l.race(t, c, clocked("drx, without the checkpoint", open))
	return err
}

// measureChunks measures what describes, checks and copies an array of which a few chunks are
// written.
func (l *lab) measureChunks(t *table, chunks int) (err error) {
	const written = 1000
	name := filepath.Join(l.dir, "sparse")
	a, err := growing(name, chunks)
	for i := 0; i < written && err == nil; i++ {
		err = drx.Set(a, 1.0, i*(chunks/written)*grownChunk)
	}
	if err != nil {
		return err
	}
	if err := a.Close(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drx.Remove(name)) }()
	opened := func(f func(a *drx.Array) error) func() error {
		return func() error {
			a, err := drx.Open(name, drx.Options{})
			if err != nil {
				return err
			}
			return errors.Join(f(a), a.Close())
		}
	}
	_, err = l.race(
		t, cell{metric: "by chunks", x: float64(chunks), unit: milliseconds},
		clocked("open", opened(func(*drx.Array) error { return nil })),
		clocked("info", opened(func(a *drx.Array) error { _, err := a.Usage(); return err })),
		clocked("verify", opened(func(a *drx.Array) error { _, err := a.Verify(context.Background(), nil); return err })),
		clocked("cp", func() error {
			to := name + "-copy"
			return errors.Join(drx.CopyFiles(context.Background(), name, to, nil), drx.Remove(to))
		}),
	)
	return err
}
