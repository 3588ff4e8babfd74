package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/fileset"
	"drx/relayout"
)

// relayouts copies 512 MiB into other chunks.
var relayouts = experiment{
	name:  "relayout",
	title: "Copy of 512 MiB to other chunks, warm",
	plots: []plot{{metric: "copy", x: "chunks, in elements", y: "time (ms)", bars: true}},
	run:   runRelayouts,
}

// A change is a change of chunks. Source chunks are whole rows, so that the file holds the elements
// in row-major order.
type change struct {
	column           string
	shape, src, dst  []int
	panel, shortRows int  // rows that the limit holds in memory; rows of the array in a short run
	columns          bool // HDF5 copies by panels of columns, which is faster
}

var changes = []change{
	{"1x8192 to 256x256", []int{8192, 8192}, []int{1, 8192}, []int{256, 256}, 256, 512, false},
	{"4x32768 to 512x256", []int{2048, 32768}, []int{4, 32768}, []int{512, 256}, 512, 512, false},
	{"1x8192 to 8192x1", []int{8192, 8192}, []int{1, 8192}, []int{8192, 1}, 8192, 512, true},
}

// The targets of the copies.
func init() {
	for _, c := range changes {
		for _, r := range []struct {
			reference string
			least     float64
		}{{"plain best", 0.5}, {"hdf5 best", 1.2}, {"h5repack", 8}} {
			targets = append(targets, target{
				work: "copy " + c.column, experiment: "relayout", metric: "copy", column: c.column, reference: r.reference, least: r.least,
			})
		}
	}
}

func runRelayouts(l *lab, t *table) error {
	for _, c := range changes {
		if l.short {
			c.shape = []int{c.shortRows, c.shape[1]}
			c.dst = []int{min(c.dst[0], c.shortRows), c.dst[1]}
			c.panel = min(c.panel, c.shortRows)
		}
		if err := runChange(l, t, c); err != nil {
			return err
		}
	}
	t.best("copy", "plain")
	t.best("copy", "hdf5")
	return nil
}

func runChange(l *lab, t *table, c change) error {
	cs := l.present(drxDefault, hdf5Cached)
	if err := l.build(cs, "source", c.shape, c.src); err != nil {
		return err
	}
	if err := l.warm(cs, "source"); err != nil {
		return err
	}
	if _, err := l.race(t, cell{metric: "copy", column: c.column, unit: milliseconds}, l.copiers(c)...); err != nil {
		return err
	}
	return l.remove(cs, "source")
}

// copiers returns the programs that can copy here.
func (l *lab) copiers(c change) []entrant {
	src := l.path(drxDefault, "source")
	es := []entrant{{series: "drx", run: func(uint64) (result, error) {
		return l.copyDRX(src, c)
	}}}
	plain, err := l.buildCopier("relayout_plain", "", "-pthread")
	if err != nil {
		l.printf("  left out: %v\n", err)
		return es
	}
	for i, name := range []string{"plain, 1 thread", "plain, 2 threads"} {
		es = append(es, l.copier(name, true, plain, fileset.Data(src), "to",
			fmt.Sprint(c.shape[0]), fmt.Sprint(c.shape[1]), fmt.Sprint(c.dst[0]), fmt.Sprint(c.dst[1]), fmt.Sprint(c.panel), fmt.Sprint(i+1)))
	}
	hdf5, err := l.buildCopier("relayout_hdf5", "hdf5-serial")
	if err != nil {
		l.printf("  left out: hdf5: %v\n", err)
		return es
	}
	h5 := l.path(hdf5Cached, "source")
	by := "rows"
	if c.columns {
		by = "columns"
	}
	for _, mib := range []int{64, 256} {
		es = append(es, l.copier(fmt.Sprintf("hdf5, %d MiB", mib), false, hdf5, h5, "to",
			fmt.Sprint(c.dst[0]), fmt.Sprint(c.dst[1]), fmt.Sprint(mib<<20), by))
	}
	if _, err := exec.LookPath("h5repack"); err != nil {
		l.printf("  left out: %v\n", err)
		return es
	}
	return append(es, entrant{series: "h5repack", run: func(uint64) (result, error) { return l.repack(hdf5, h5, c) }})
}

// buildCopier builds a program of the folder peers with the flags that pkg-config has for a
// library.
func (l *lab) buildCopier(program, library string, flags ...string) ([]string, error) {
	binary := filepath.Join(l.peers.dir, program)
	args := append([]string{"-O3", "-march=native", "-std=gnu11", "-o", binary, binary + ".c"}, flags...)
	if library != "" {
		known, err := exec.Command("pkg-config", "--cflags", "--libs", library).Output()
		if err != nil {
			return nil, fmt.Errorf("pkg-config does not know %s", library)
		}
		args = append(args, strings.Fields(string(known))...)
	}
	if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc: %w: %s", err, text)
	}
	return []string{binary}, nil
}

// copier returns an entrant that runs a program. The argument "to" stands for the file to write,
// which is removed afterwards.
func (l *lab) copier(series string, limit bool, program []string, args ...string) entrant {
	return entrant{series: series, limit: limit, run: func(uint64) (result, error) {
		to := filepath.Join(l.dir, "to")
		words := append([]string{}, args...)
		for i, w := range words {
			if w == "to" {
				words[i] = to
			}
		}
		r, err := runProgram(append(program, words...))
		return r, errors.Join(err, os.Remove(to))
	}}
}

// runProgram runs a program that prints "wall_ns cpu_ns check".
func runProgram(argv []string) (result, error) {
	var r result
	var failure bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w: %s", argv[0], err, &failure)
	}
	_, err = fmt.Sscan(string(out), &r.wall, &r.cpu, &r.check)
	return r, err
}

// repack runs h5repack.
func (l *lab) repack(hdf5 []string, src string, c change) (result, error) {
	to := filepath.Join(l.dir, "to")
	if err := touchMemory(8 * int64(volume(c.shape))); err != nil {
		return result{}, err
	}
	cmd := exec.Command("h5repack", "-l", fmt.Sprintf("a:CHUNK=%dx%d", c.dst[0], c.dst[1]), src, to)
	begun := time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		return result{}, fmt.Errorf("%w: %s", err, text)
	}
	wall := time.Since(begun)
	r, err := runProgram(append(hdf5, "check", to))
	r.wall, r.cpu = wall, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	return r, errors.Join(err, os.Remove(to))
}

// copyDRX copies with package relayout, in this process.
func (l *lab) copyDRX(name string, c change) (result, error) {
	src, err := drx.Open(name, drx.Options{Cache: relayout.ArrayCache})
	if err != nil {
		return result{}, err
	}
	to := filepath.Join(l.dir, "to")
	// The peers touch their buffers before they start the clock.
	if err := touchMemory(8*int64(volume(c.shape)) + relayout.DefaultMemory); err != nil {
		return result{}, err
	}
	var k clock
	k.begin()
	dst, err := drx.Create(to, drx.Spec{
		DType: dtype.Float64, Shape: c.shape, ChunkShape: c.dst, Options: drx.Options{Cache: relayout.ArrayCache, Durability: drx.DurabilityNone},
	})
	if err == nil {
		_, err = relayout.Copy(context.Background(), dst, src, relayout.Options{})
	}
	if err := errors.Join(err, dst.Close()); err != nil {
		return result{}, err
	}
	k.end(1)
	check, err := sampled(to, c.shape)
	return result{wall: k.wall, cpu: k.cpu, check: check}, errors.Join(err, src.Close(), removeArray(to))
}

// sampled returns a sum over some elements, the same ones that the peers use.
func sampled(name string, shape []int) (string, error) {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return "", err
	}
	var at []int
	found := make([]float64, 4096)
	for i := range uint64(len(found)) {
		at = append(at, int(mix(7, i, 0)%uint64(shape[0])), int(mix(7, i, 1)%uint64(shape[1])))
	}
	err = drx.Gather(a, at, found)
	return fmt.Sprint(weightedSum(found)), errors.Join(err, a.Close())
}
