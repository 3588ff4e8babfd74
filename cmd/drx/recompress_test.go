package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/interrupt"
	"drx/dtype"
)

// An interrupted recompression leaves chunks of several codecs, which info must report. The same
// command must continue it, and the elements must stay.
func TestInterruptedRecompression(t *testing.T) {
	dir := t.TempDir()
	values := make([]int32, 64<<20/4)
	for i := range values {
		values[i] = int32(i*7 + i%1000)
	}
	a, err := drx.Create(dir+"/A", drx.Spec{DType: dtype.Int32, Shape: []int{len(values)}, ChunkShape: []int{1 << 18}})
	if err == nil {
		err = drx.Write(a, nil, values)
	}
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd, complaint := start(t, dir, &out, "recompress", "A", "--codec", "zstd:19")
	waitUntilRecompressing(t, dir+"/A")
	if code := endOf(t, cmd, 0); code != interrupt.ExitSignal || !strings.Contains(complaint.String(), "the same command goes on") {
		t.Fatalf("exit code %d, %q, %q", code, complaint, &out)
	}
	_, text, _ := drxIn(t, dir, "info", "A")
	if !strings.Contains(text, "chunks have codecs of before, too: drx recompress A --codec zstd:19 goes on") {
		t.Errorf("info: %s", text)
	}
	if code, out, complaint := drxIn(t, dir, "recompress", "A", "--codec", "lz4"); code != 0 || !strings.Contains(out, "codec zstd:19 -> lz4") {
		t.Fatalf("exit code %d, %q, %q", code, out, complaint)
	}
	if _, text, _ := drxIn(t, dir, "info", "A"); strings.Contains(text, "goes on") || !strings.Contains(text, "lz4") {
		t.Errorf("info: %s", text)
	}
	if a, err = drx.Open(dir+"/A", drx.Options{}); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := drx.Read[int32](a, nil)
	for i, v := range got {
		if v != values[i] {
			t.Fatalf("element %d is %d", i, v)
		}
	}
	if err != nil || len(got) != len(values) {
		t.Errorf("%d elements, %v", len(got), err)
	}
}

// waitUntilRecompressing waits until another process recompresses an array.
func waitUntilRecompressing(t *testing.T, name string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		a, err := drx.Open(name, drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		recompressing := a.Recompressing()
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if recompressing {
			return
		}
	}
	t.Fatal("it does not begin")
}
