package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/internal/enumtest"
	"drx/nd"
)

// wide is the last extent of arrays that need several slabs.
const wide = 4<<20 + 3

// makeNPY writes a .npy file of int8 and returns its elements.
func makeNPY(t *testing.T, name string, shape ...int) []byte {
	t.Helper()
	size, err := nd.Product(shape...)
	if err != nil {
		t.Fatal(err)
	}
	elements := make([]byte, size)
	for i := range elements {
		elements[i] = byte(i % 251)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := formats.Create(f, name, formats.Info{DType: dtype.Int8, Shape: shape})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteSection(nil, elements); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return elements
}

// succeed runs verbs that must succeed.
func succeed(t *testing.T, lines ...[]string) {
	t.Helper()
	for _, args := range lines {
		var complaint bytes.Buffer
		if code := run(context.Background(), args, nil, io.Discard, &complaint); code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, complaint.Bytes())
		}
	}
}

// sameFile compares two files.
func sameFile(t *testing.T, name, other string) {
	t.Helper()
	a, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(other)
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ, %v", name, other, err)
	}
}

// Files of several slabs must survive, in every order, and as slices.
func TestLargeSlabs(t *testing.T) {
	enumtest.Large(t)
	t.Chdir(t.TempDir())
	makeNPY(t, "in.npy", 2, 5, wide)
	succeed(
		t,
		[]string{"create", "A", "--dtype", "int8", "--shape", "2,5,4194307", "--chunk", "1,5,65536"},
		[]string{"write", "A", "in.npy"},
		[]string{"read", "A", "-o", "row.npy"},
		[]string{"read", "A", "--order", "col", "-o", "col.npy"},
		[]string{"read", "A", "--order", "1,0,2", "-o", "turned.npy"},
		[]string{"create", "B", "--dtype", "int8", "--shape", "2,5,4194307", "--chunk", "2,1,300000"},
		[]string{"write", "B", "col.npy"},
		[]string{"read", "B", "-o", "fromcol.npy"},
		[]string{"create", "C", "--dtype", "int8", "--shape", "5,2,4194307", "--chunk", "5,2,10000"},
		[]string{"write", "C", "turned.npy"},
		[]string{"read", "C", "--order", "1,0,2", "-o", "back.npy"},
	)
	for _, name := range []string{"row.npy", "fromcol.npy", "back.npy"} {
		sameFile(t, name, "in.npy")
	}
	frame := makeNPY(t, "frame.npy", 5, wide)
	succeed(
		t,
		[]string{"create", "D", "--dtype", "int8", "--shape", "5,0,4194307", "--chunk", "5,1,65536"},
		[]string{"append", "D", "--dim", "1", "frame.npy", "frame.npy"},
		[]string{"read", "D", "--order", "1,0,2", "-o", "frames.npy"},
	)
	data, err := os.ReadFile("frames.npy")
	if err != nil || !bytes.HasSuffix(data, bytes.Repeat(frame, 2)) {
		t.Errorf("the frames came back as other ones, %v", err)
	}
}
