package metalog

import (
	"path/filepath"
	"runtime"
	"testing"

	"drx/internal/state"
	"drx/internal/vfs"
)

// A log with a hole after its lines, which may be longer than memory, is read with little memory:
// the hole counts as a line that a crash has interrupted, unless something follows it.
func TestLogWithHole(t *testing.T) {
	const end = 1 << 38
	for _, after := range []string{"", "x\n", "x"} {
		file, err := vfs.OS.Create(filepath.Join(t.TempDir(), "a.xmd"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		log := NewLog(file)
		for _, r := range []state.Record{header([]int{2}, 4), high(0, 1)} {
			if err := log.Append([]state.Record{r}, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := file.Truncate(end); err != nil {
			t.Skip(err) // the file system does not support such long files
		}
		if _, err := file.WriteAt([]byte(after), end); err != nil {
			t.Fatal(err)
		}
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		_, got, err := ReadLog(file)
		if after != "" {
			wantError(t, err, state.ErrCorrupt, "a.xmd: line 3")
			var lost int
			if _, got, lost, _, err = Salvage(file); lost != 1 {
				t.Errorf("%q behind it: %d lines lost", after, lost)
			}
		}
		if err != nil || got.Commits() != 2 {
			t.Errorf("%q behind it: %v", after, err)
		}
		runtime.ReadMemStats(&now)
		if n := (now.TotalAlloc - before.TotalAlloc) >> 20; n > 100 {
			t.Errorf("%q behind it: %d MiB were allocated", after, n)
		}
	}
}
