package outfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"drx/cmd/drx/internal/clitest"
	"drx/internal/vfs"
)

// writing returns a function that writes contents in pieces of random lengths, up to some byte,
// where it fails.
func writing(rng *rand.Rand, contents []byte, end int) func(io.Writer) error {
	return func(w io.Writer) error {
		for at := 0; at < end; {
			n := min(1+rng.IntN(40), end-at)
			if _, err := w.Write(contents[at : at+n]); err != nil {
				return err
			}
			at += n
		}
		if end < len(contents) {
			return io.ErrClosedPipe
		}
		return nil
	}
}

// Whatever earlier attempts have left, of these contents or of others, the file has the contents,
// and what was not written again is the beginning that is the same.
func TestResume(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	name := filepath.Join(t.TempDir(), "out")
	for range 200 {
		left := []byte(nil)
		for attempt := range 4 {
			contents := bytes.Repeat([]byte("0123456789"), rng.IntN(40))
			if rng.IntN(2) == 0 && len(contents) > 0 {
				contents[rng.IntN(len(contents))] ^= 1
			}
			end := len(contents)
			if attempt < 3 && end > 0 {
				end = rng.IntN(end)
			}
			same := 0
			for same < min(len(left), end) && left[same] == contents[same] {
				same++
			}
			r, err := Resume(name, writing(rng, contents, end))
			if r.Left != int64(len(left)) || r.Same != int64(same) {
				t.Fatalf("%+v, want %d of %d", r, same, len(left))
			}
			if end == len(contents) {
				got, readErr := os.ReadFile(name)
				if err != nil || readErr != nil || !bytes.Equal(got, contents) {
					t.Fatalf("%v, %v, %q, want %q", err, readErr, got, contents)
				}
				left = nil
				continue
			}
			if same == end && len(left) > end {
				contents, end = left, len(left) // nothing says that what is behind is wrong
			}
			left = bytes.Clone(contents[:end])
			if !errors.Is(err, io.ErrClosedPipe) || r.Kept != (len(left) > 0) || r.Kept != HasPartial(name) {
				t.Fatalf("%v, %+v", err, r)
			}
		}
		if got := clitest.Names(t, filepath.Dir(name)); got != "out" {
			t.Fatalf("files %s", got)
		}
	}
}

// Two processes do not write the same file, nor does one remove what the other one writes; a file
// that is none of this user's is not written.
func TestResumeIsAlone(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	_, err := Resume(name, func(w io.Writer) error {
		_, err := Resume(name, func(io.Writer) error { return nil })
		if !errors.Is(err, vfs.ErrLocked) || !errors.Is(RemovePartial(name), vfs.ErrLocked) {
			t.Errorf("the second one: %v", err)
		}
		_, err = w.Write([]byte("new"))
		return errors.Join(err, syscall.ENOSPC)
	})
	got, _ := os.ReadFile(name)
	if !errors.Is(err, syscall.ENOSPC) || string(got) != "old" || !HasPartial(name) {
		t.Errorf("%v, %q", err, got)
	}
	if info, err := os.Stat(partialName(name)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if err := RemovePartial(name); err != nil || HasPartial(name) {
		t.Error(err)
	}
	for _, make := range []func(to string) error{
		func(to string) error { return os.Link(name, to) },
		func(to string) error { return os.Symlink(name, to) },
		func(to string) error { return os.Mkdir(to, 0o700) },
	} {
		if err := make(partialName(name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Resume(name, func(io.Writer) error { t.Error("written"); return nil }); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if err := os.Remove(partialName(name)); err != nil {
			t.Fatal(err)
		}
	}
}
