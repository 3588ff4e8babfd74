package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/clitest"
	"drx/cmd/drx/internal/interrupt"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
)

// TestCopyAnySelection copies random selections, permuted, with little memory, and compares
// elements and labels with those that the cube of the source reads.
func TestCopyAnySelection(t *testing.T) {
	dir := t.TempDir()
	src, err := drx.Create(filepath.Join(dir, "A"), drx.Spec{DType: dtype.Int16, Shape: []int{9, 7, 11}, Lo: []int{-3, 0, 5}, ChunkShape: []int{2, 3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	from, err := cube.Of(src)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]int16, 9*7*11)
	for i := range values {
		values[i] = int16(i)
	}
	if err := drx.Write(src, nil, values); err != nil {
		t.Fatal(err)
	}
	for d, r := range src.Bounds() {
		var labels []string
		for i := range r.Len() {
			labels = append(labels, fmt.Sprint("l", d, i))
		}
		if err := from.SetLabels(d, labels); err != nil {
			t.Fatal(err)
		}
	}
	if err := src.Sync(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(6, 6))
	for i := range 40 {
		name := fmt.Sprint("B", i)
		sel, order, conditions := randomSelection(random, from), nd.Order(random.Perm(3)), []string{}
		for d, x := range sel {
			var labels []string
			for i := range x.Len() {
				labels = append(labels, from.Label(d, x.At(i)))
			}
			conditions = append(conditions, fmt.Sprintf("%d=%s", d, strings.Join(labels, "|")))
		}
		args := []string{
			"copy", "A", name, "--sel", strings.Join(conditions, ","), "--permute", fmt.Sprintf("%d,%d,%d", order[0], order[1], order[2]),
			"--chunk", fmt.Sprintf("%d,%d,%d", 1+random.IntN(4), 1+random.IntN(4), 1+random.IntN(4)),
		}
		if random.IntN(2) == 0 {
			args = append(args, "--dtype", "float64", "--memory", "2KiB")
		} else {
			args = append(args, "--memory", "600B")
		}
		if code, _, complaint := drxIn(t, dir, args...); code != 0 {
			t.Fatalf("%v: %s", args, complaint)
		}
		compareCopy(t, filepath.Join(dir, name), from, sel, order)
	}
	if left, _ := os.ReadDir(dir); len(left) > 41*5 {
		t.Errorf("%d files are left", len(left))
	}
}

// An interrupted copy of a selection must leave nothing behind.
func TestCopySelectionInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, args := range [][]string{
		{"create", "A", "--dtype", "int32", "--shape", "128,128", "--chunk", "16,16"},
		{"fill", "A", "--value", "5"},
	} {
		if code, _, complaint := drxIn(t, dir, args...); code != 0 {
			t.Fatal(complaint)
		}
	}
	files, interrupted := clitest.Names(t, "."), 0
	for n := time.Duration(1); ; n++ {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(n*2*time.Millisecond, cancel)
		var complaint strings.Builder
		code := run(ctx, []string{"copy", "A", "B", "--section", "::2,:", "--chunk", "1,4", "--memory", "100B"}, nil, io.Discard, &complaint)
		cancel()
		if code == 0 {
			break
		}
		if left := clitest.Names(t, "."); code != interrupt.ExitSignal || left != files || n > 500 {
			t.Fatalf("exit code %d, %q, left: %s", code, complaint.String(), left)
		}
		interrupted++
	}
	if interrupted == 0 {
		t.Error("it was never interrupted")
	}
}

// randomSelection returns some indices of each dimension, in any order.
func randomSelection(random *rand.Rand, c *cube.Cube) cube.Selection {
	sel := make(cube.Selection, c.Array().Rank())
	for d, r := range c.Array().Bounds() {
		for _, i := range random.Perm(r.Len())[:1+random.IntN(r.Len())] {
			sel[d] = sel[d].Append(cube.Indices{nd.At(r.Lo + i).By(1)})
		}
	}
	return sel
}

// compareCopy compares an array with a selection.
func compareCopy(t *testing.T, name string, from *cube.Cube, sel cube.Selection, order nd.Order) {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	made, err := cube.Of(a)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := nd.Product(sel.Shape()...)
	want := make([]byte, 2*n)
	if err := from.Read(sel, want, order); err != nil {
		t.Fatal(err)
	}
	if a.DType() == dtype.Float64 {
		convert, err := dtype.NewConverter(dtype.Int16, dtype.Float64, false, make([]byte, 8))
		if err != nil {
			t.Fatal(err)
		}
		narrow := want
		want = make([]byte, 8*n)
		if err := convert.Apply(want, narrow); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]byte, len(want))
	if err := a.ReadBytes(nil, got, nil); err != nil || !bytes.Equal(got, want) || !slices.Equal(a.Shape(), order.Apply(sel.Shape())) {
		t.Errorf("%s: shape %v of %v in order %v, the elements differ, or %v", name, a.Shape(), sel, order, err)
	}
	for d, own := range order {
		for i := range sel[own].Len() {
			if label := made.Label(d, a.Bounds()[d].Lo+i); label != from.Label(own, sel[own].At(i)) {
				t.Errorf("%s: index %d of dimension %d is called %s", name, i, d, label)
			}
		}
	}
}
