package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// fieldOf writes a field of a type to a file.
func fieldOf(t *testing.T, l *lab, kind string, shape, chunk []int) fieldFile {
	t.Helper()
	f := fieldFile{path: filepath.Join(l.dir, kind), kind: kind, shape: shape, chunk: chunk, size: volume(shape) * fieldTypes[kind].Size()}
	buf := make([]byte, f.size)
	for i := range buf {
		buf[i] = byte(i / 32 * (i % 4) % 100) // compressible, and a number in all types
	}
	if err := os.WriteFile(f.path, buf, 0o666); err != nil {
		t.Fatal(err)
	}
	return f
}

// The peers that compress must store fields of all types and read the same elements from them.
func TestPackersAgree(t *testing.T) {
	l := testLab(t)
	cs := l.present(packers()...)
	if _, err := exec.LookPath("gcc"); err == nil && !slices.ContainsFunc(cs, func(c competitor) bool { return c.program != "drx" }) {
		t.Errorf("there is gcc, but: %v", l.peers.missing)
	}
	for kind := range fieldTypes {
		f := fieldOf(t, l, kind, []int{70, 41, 12}, []int{32, 41, 5})
		stored := 0
		for _, q := range [][]string{
			append([]string{"store"}, f.args()...),
			{"use"},
			{"whole"},
			{"part", "size=1,1,1", "n=9", "rounds=2"},
			{"part", "size=33,9,12", "n=3"},
			{"close"},
		} {
			verb, want := q[0], ""
			for _, c := range cs {
				r, err := l.peers.call(c, verb, append([]string{"path=" + l.path(c, kind), "seed=3"}, q[1:]...)...)
				if errors.Is(err, errUnsupported) && verb == "store" {
					cs = l.stored(cs, kind)
					continue
				}
				if err != nil {
					t.Fatalf("%s, %s: %s: %v", kind, c.series, verb, err)
				}
				if want == "" {
					want = r.check
				}
				if r.check != want || verb == "whole" && want == "0" {
					t.Errorf("%s, %s: %s %v found %s, %s %s", kind, c.series, verb, q, r.check, cs[0].series, want)
				}
				stored++
			}
		}
		if stored < 6*5 {
			t.Errorf("%s: only %d requests were served", kind, stored)
		}
	}
}

// Codecs in memory must return what they got, as C-Blosc does, and report the bytes of the frames.
func TestPackersInMemory(t *testing.T) {
	l := testLab(t)
	f := fieldOf(t, l, "i2", []int{100, 999}, []int{100, 999})
	for _, codec := range []string{lz4Shuffled, zstdShuffled} {
		var checks, sizes []string
		for _, c := range l.present(packer(ofDRX, codec), packer(ofCBlosc, codec)) {
			for _, verb := range []string{"encode", "decode", "size"} {
				r, err := l.peers.call(c, verb, f.args("piece=70000", "rounds=2")...)
				if err != nil {
					t.Fatalf("%s, %s: %v", c.series, verb, err)
				}
				if verb == "size" {
					sizes = append(sizes, r.check)
				} else {
					checks = append(checks, r.check)
				}
			}
		}
		raw, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		last := slices.Concat(raw[140000:], raw[70000:140000][len(raw)-140000:]) // over the previous piece
		if want := checkOf(last); checks[0] != fmt.Sprint(want) || len(slices.Compact(checks)) != 1 {
			t.Errorf("%s: %v were found, want %d", codec, checks, want)
		}
		if codec == lz4Shuffled && len(slices.Compact(slices.Clone(sizes))) != 1 {
			t.Errorf("%s: frames of %v bytes", codec, sizes)
		}
	}
}

// A real array must be read from its files, and a row of it must become a ratio or a speed.
func TestRealData(t *testing.T) {
	r := row{metric: "write", column: "real", value: 500, low: 400, high: 800, unit: "ms", reps: 3}.ofReal("x", 8<<20)
	if r.column != "x" || r.value != 16 || r.low != 10 || r.high != 20 || r.unit != "MiB/s" {
		t.Errorf("a write of 8 MiB in half a second: %+v", r)
	}
	if r := (row{metric: "stored", column: "elements", value: 2, unit: "MiB", reps: 1}).ofReal("x", 8<<20); r.metric != "ratio" || r.value != 4 {
		t.Errorf("2 of 8 MiB: %+v", r)
	}
	t.Setenv("DRX_DATA", t.TempDir())
	l := testLab(t)
	l.short = true
	tab := &table{}
	if err := runCodecsReal(l, tab); err != nil || len(tab.rows) != 0 {
		t.Errorf("without data: %d rows, %v", len(tab.rows), err)
	}
	npy := filepath.Join(l.dir, "a.npy")
	header := "\x93NUMPY\x01\x00\x76\x00{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3), }"
	for len(header) < 127 {
		header += " "
	}
	file := append([]byte(header), '\n')
	for i := range uint16(6) {
		file = binary.LittleEndian.AppendUint16(file, i)
	}
	if err := os.WriteFile(npy, file, 0o666); err != nil {
		t.Fatal(err)
	}
	buf, shape, err := realData{kind: "u2"}.read(npy)
	if err != nil || !slices.Equal(shape, []int{3, 2}) || !slices.Equal(buf, file[128:]) {
		t.Errorf("read %v of shape %v, %v", buf, shape, err)
	}
	if _, _, err := (realData{kind: "i2"}).read(npy); err == nil {
		t.Error("elements of another type were read")
	}
}
