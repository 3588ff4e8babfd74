package drx

import (
	"fmt"
	"path/filepath"
	"testing"

	"drx/dtype"
)

// Arrays without a cache of their own share the memory: however many are open and read, together
// they keep at most that much, plus the minimum per array.
func TestSharedMemory(t *testing.T) {
	const (
		memory = 64 << 20
		arrays = 6
		least  = 16 << 20 // pages that an array keeps: 4 units of 2 MiB of the data, and of the table
	)
	before := len(arrayMemory.members)
	SetMemory(memory)
	defer SetMemory(0)
	if Memory() != memory {
		t.Errorf("memory %d, want %d", Memory(), memory)
	}
	dir := t.TempDir()
	var open []*Array
	resident := func() (n int64) {
		for _, a := range open {
			n += a.store.Resident() + a.pool.Stats().Bytes
		}
		return n
	}
	for i := range arrays {
		name := filepath.Join(dir, fmt.Sprint(i))
		a := mustCreateAt(t, name, Spec{DType: dtype.Uint8, Shape: []int{48, 1 << 20}, ChunkShape: []int{1, 1 << 20}})
		if err := Fill(a, nil, uint8(i+1)); err != nil {
			t.Fatal(err)
		}
		mustClose(t, a)
		if a, err := Open(name, Options{}); err != nil {
			t.Fatal(err)
		} else {
			open = append(open, a)
		}
		data, err := Read[uint8](open[i], nil)
		if err != nil || data[len(data)-1] != uint8(i+1) {
			t.Fatal(data[len(data)-1], err)
		}
		share := memory / int64(arrayMemory.parts) // arrays of other tests may be open
		if n := resident(); n > memory+int64(i)*least || i == 0 && n < share/4 {
			t.Errorf("%d bytes resident with %d arrays, the limit is %d", n, i+1, memory)
		}
	}
	SetMemory(16 << 20)
	if n := resident(); n > arrays*least {
		t.Errorf("%d bytes resident after the limit was lowered", n)
	}
	own, err := Open(filepath.Join(dir, "0"), Options{Cache: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(arrayMemory.members); n != before+arrays {
		t.Errorf("%d arrays share the memory, want %d", n, before+arrays)
	}
	for _, a := range append(open, own) {
		mustClose(t, a)
	}
	if n := len(arrayMemory.members); n != before {
		t.Errorf("%d arrays share the memory after all were closed, want %d", n, before)
	}
}
