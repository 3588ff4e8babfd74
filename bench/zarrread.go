package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"drx/formats"
	_ "drx/formats/zarr" // registers the format
	"drx/nd"
)

// zarrReads reads compressed Zarr stores.
var zarrReads = experiment{
	name:  "zarr-read",
	title: "Reading a compressed Zarr store of 256 MiB",
	plots: []plot{{metric: "read", x: "compressor", y: "time (ms)", bars: true}},
	run:   runZarrReads,
}

// zarrCodecs are the compressors.
var zarrCodecs = []string{"gzip", "zstd", "blosc"}

func init() {
	for _, codec := range zarrCodecs {
		targets = append(targets, target{
			work: "read Zarr, " + codec, experiment: "zarr-read", metric: "read", column: codec, reference: "zarr-python", least: 1,
		})
	}
}

func runZarrReads(l *lab, t *table) error {
	argv, err := l.peers.python("zarr")
	if err != nil {
		l.printf("  left out: %v\n", err)
		return nil
	}
	program := []string{argv[0], filepath.Join(l.peers.dir, "import_zarr.py")}
	for _, codec := range zarrCodecs {
		store := filepath.Join(l.dir, codec+".zarr")
		args := append(program[1:], "make", store, codec, fmt.Sprint(pick(l, 64, 8)))
		if text, err := exec.Command(program[0], args...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
		if _, err := l.race(t, cell{metric: "read", column: codec, unit: milliseconds},
			entrant{series: "drx", run: func(uint64) (result, error) { return readZarr(store) }},
			entrant{series: "zarr-python", run: func(uint64) (result, error) { return runProgram(append(program, "read", store)) }},
		); err != nil {
			return err
		}
		if err := os.RemoveAll(store); err != nil {
			return err
		}
	}
	return nil
}

// zarrMemory is the limit on the memory of a reader, in bytes, besides the array.
const zarrMemory = 64 << 20

// readZarr reads all of an array to memory.
func readZarr(store string) (r result, err error) {
	a, err := formats.Open(store, formats.Options{Memory: zarrMemory})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	n, err := a.Info().Bytes()
	if err != nil {
		return r, err
	}
	buf := touchedBytes(n)
	// Work that is done only once is not timed.
	if err := a.ReadSection(nd.Sec(nd.At(0), nd.All, nd.All), buf[:n/a.Info().Shape[0]]); err != nil {
		return r, err
	}
	var k clock
	k.begin()
	err = a.ReadSection(nil, buf)
	k.end(1)
	sum := uint64(0)
	for ; len(buf) > 0; buf = buf[4:] {
		sum += uint64(binary.LittleEndian.Uint32(buf))
	}
	return result{wall: k.wall, cpu: k.cpu, check: fmt.Sprint(sum)}, err
}
