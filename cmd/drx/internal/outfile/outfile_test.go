package outfile

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"drx/cmd/drx/internal/clitest"
)

// A file that is being written must be removed when an interrupted program exits.
func TestGivingUpRemovesFiles(t *testing.T) {
	dir := t.TempDir()
	var files tempFiles
	for _, name := range []string{"a", "b"} {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		files.add(name)
	}
	files.Done(filepath.Join(dir, "b"))
	files.Remove()
	if got := clitest.Names(t, dir); got != "b" {
		t.Errorf("files %q, want b", got)
	}
	err := Replace(filepath.Join(dir, "c"), func(io.Writer) error {
		if len(Temporary.names) != 1 {
			t.Errorf("files %v to be removed", Temporary.names)
		}
		return nil
	})
	if err != nil || len(Temporary.names) != 0 {
		t.Errorf("%v, files %v to be removed", err, Temporary.names)
	}
}
