package outfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// An existing file must keep its mode, and its group and owner if that is allowed. A new file must
// get the defaults.
func TestOutputKeepsMode(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	text := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	for mode, want := range map[fs.FileMode]fs.FileMode{0: 0o644, 0o600: 0o600, 0o640: 0o640, 0o666: 0o666, 0o444: 0o444} {
		name := filepath.Join(t.TempDir(), "out")
		id := os.Geteuid()
		if mode != 0 {
			if err := errors.Join(os.WriteFile(name, []byte("old and longer"), 0o600), os.Chmod(name, mode)); err != nil {
				t.Fatal(err)
			}
			if id == 0 {
				id = 4321
				if err := os.Chown(name, id, id); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := Replace(name, text); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		if info.Mode() != want || int(stat.Uid) != id {
			t.Errorf("mode %v became %v of owner %d, want %v of %d", mode, info.Mode(), stat.Uid, want, id)
		}
		if now, err := os.ReadFile(name); string(now) != "new" || err != nil {
			t.Errorf("wrote %q, %v", now, err)
		}
	}
}
