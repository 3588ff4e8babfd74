package drx

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/internal/vfs"
	"drx/nd"
)

// TestForeignReader lets testdata/read_xta.py, which is written from internal/metalog/FORMAT.md and
// internal/onefile/FORMAT.md alone, read the files of random histories, and compares every element.
func TestForeignReader(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("needs python3")
	}
	written := map[ElementOrder]int{}
	for seed := range uint64(36) {
		name := []string{"array", "array.drx", "several.drx/group/array"}[seed%3]
		h := &history{t: t, rng: rand.New(rand.NewPCG(seed, 4)), name: filepath.Join(t.TempDir(), name)}
		h.opts.fs = vfs.OS
		if seed%3 == 2 {
			h.runBesideOthers()
		} else {
			h.create()
			for range 15 {
				h.step()
			}
			h.populate()
			h.must(h.a.Close())
		}
		var indices strings.Builder
		var want []string
		each(nd.Box(h.m.lo, h.m.hi), nil, func(index []int) {
			fmt.Fprintln(&indices, strings.Trim(strings.ReplaceAll(fmt.Sprint(index), " ", ","), "[]"))
			at := h.m.offset(index, h.m.lo, h.m.hi)
			want = append(want, hex.EncodeToString(h.m.data[at:at+h.m.elem]))
		})
		written[h.a.Layout().ElementOrder] += h.written()
		cmd := exec.Command(python, "testdata/read_xta.py", h.name)
		cmd.Stdin = strings.NewReader(indices.String())
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("seed %d: %v: %s", seed, err, stderr.String())
		}
		fill := hex.EncodeToString(h.m.fill)
		got := strings.Fields(strings.ReplaceAll(string(out), "unwritten", fill))
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d elements, want %d", seed, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("seed %d: element %s is %s, want %s\n%v", seed, strings.Split(indices.String(), "\n")[i], got[i], want[i], h.log)
			}
		}
	}
	for _, order := range elementOrders {
		if written[order] < 100 {
			t.Errorf("only %d elements compared in %s order", written[order], order)
		}
	}
}

// runBesideOthers makes a history of an array in a file with two others. One of them had the
// array's name before, and the other one grows alternately with it. At the end the array has
// another name, which the first one also had.
func (h *history) runBesideOthers() {
	spec := Spec{DType: dtype.Uint16, Shape: []int{1, 5}, ChunkShape: []int{1, 5}}
	renamed := filepath.Join(filepath.Dir(filepath.Dir(h.name)), "renamed")
	for _, first := range []string{h.name, renamed} {
		a, err := Create(first, spec)
		h.must(err)
		h.must(errors.Join(Fill(a, nil, uint16(77)), a.Close(), Rename(first, first+"2"), Remove(first+"2")))
	}
	other, err := Create(filepath.Join(filepath.Dir(h.name), "other"), spec)
	h.must(err)
	h.create()
	for range 15 {
		h.step()
		added, err := other.Extend(0, 1+h.rng.IntN(300))
		h.must(err)
		h.must(errors.Join(Fill(other, added, uint16(88)), other.Sync()))
	}
	h.populate()
	h.must(errors.Join(h.a.Close(), other.Close(), Rename(h.name, renamed)))
	h.name = renamed
}

// populate gives every dimension elements and writes most of them.
func (h *history) populate() {
	for d := range h.m.lo {
		if n := h.m.hi[d] - h.m.lo[d]; n < 4 {
			h.note("extend %d by 4", d)
			_, err := h.a.Extend(d, 4)
			h.must(err)
			hi := slices.Clone(h.m.hi)
			hi[d] += 4
			h.m.resize(h.m.lo, hi)
		}
	}
	sec := nd.Box(h.m.lo, h.m.hi)
	d := h.rng.IntN(len(sec))
	sec[d].Hi -= h.rng.IntN(sec[d].Len())
	n, _ := sec.Len()
	data := h.elements(n)
	h.note("write %v", sec)
	h.must(h.a.WriteBytes(sec, data, nil))
	h.m.write(sec, nil, data)
}

// written counts the elements that are not the fill value.
func (h *history) written() (n int) {
	for i := 0; i < len(h.m.data); i += h.m.elem {
		if !bytes.Equal(h.m.data[i:i+h.m.elem], h.m.fill) {
			n++
		}
	}
	return n
}
