package journal

import (
	"encoding/binary"
	"path/filepath"
	"runtime"
	"testing"

	"drx/axial"
	"drx/internal/crc32c"
	"drx/internal/vfs"
)

// A block that consists of a hole is ignored even with a valid checksum: it may be longer than
// memory.
func TestBlockWithHole(t *testing.T) {
	const length = 1 << 30
	file, err := vfs.OS.Create(filepath.Join(t.TempDir(), "a.xjl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, entries := range []uint64{0, (length - blockHead) / entrySize} {
		head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 2), entries)
		footer := []byte(magic)
		footer = binary.LittleEndian.AppendUint64(footer, 0)
		footer = binary.LittleEndian.AppendUint64(footer, length)
		sum, zeros := crc32c.Sum(head), make([]byte, 1<<20)
		for left := length - len(head); left > 0; left -= min(left, len(zeros)) {
			sum = crc32c.Update(sum, zeros[:min(left, len(zeros))])
		}
		footer = binary.LittleEndian.AppendUint32(footer, crc32c.Update(sum, footer))
		footer = binary.LittleEndian.AppendUint32(footer, 0)
		if _, err := file.WriteAt(footer, length); err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(head, 0); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		block, err := New(file, size).Block()
		runtime.ReadMemStats(&after)
		if block != nil || err != nil {
			t.Errorf("%d entries: %v, %v", entries, block, err)
		}
		if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 1 {
			t.Errorf("%d entries: %d MiB were allocated", entries, n)
		}
	}
}

// A long block without holes is valid.
func TestLongBlock(t *testing.T) {
	file, err := vfs.OS.Create(filepath.Join(t.TempDir(), "a.xjl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := Block{Commit: 2, Entries: make([]Entry, 600_000)}
	for i := range want.Entries {
		want.Entries[i] = entryOf(axial.Number(i), NoImage, nil)
	}
	if err := New(file, size).Commit(want); err != nil {
		t.Fatal(err)
	}
	if got, err := New(file, size).Block(); err != nil || got == nil || !got.SameCommit(&want) {
		t.Errorf("%v, %v", got, err)
	}
}
