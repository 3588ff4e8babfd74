package drx

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
)

// An array whose log has lost its first line gives an error that says so, to readers, writers and
// Recover. The remedy in the error works: the first line of an older copy of the log.
func TestFirstLineOfTheLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	a := mustCreateAt(t, name, Spec{DType: dtype.Uint8, Shape: []int{1, 100}, ChunkShape: []int{4, 100}})
	if err := errors.Join(Fill(a, nil, uint8(7)), a.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(name + logExt)
	if err != nil {
		t.Fatal(err)
	}
	if err := appendRow(name, Options{Write: true}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name + logExt)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	zeros := append(make([]byte, first), whole[first:]...)
	for what, log := range map[string][]byte{"gone": whole[first:], "zeros": zeros, "damaged": append([]byte("x"), whole[1:]...)} {
		if err := os.WriteFile(name+logExt, log, 0o600); err != nil {
			t.Fatal(err)
		}
		_, recovered := Recover(context.Background(), name, name+"-"+what, RecoverOptions{})
		for use, err := range map[string]error{"read": readAll(name, Options{}), "write": appendRow(name, Options{Write: true}), "recover": recovered} {
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "the first line of the log of the array is lost") || !strings.Contains(err.Error(), name+logExt) {
				t.Errorf("%s, %s: %v", what, use, err)
			}
		}
	}
	if err := os.WriteFile(name+logExt, append(bytes.Clone(old[:bytes.IndexByte(old, '\n')+1]), whole[first:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := readAll(name, Options{}); err != nil {
		t.Error(err)
	}
}
