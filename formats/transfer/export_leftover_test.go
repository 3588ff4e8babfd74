package transfer

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The hidden folder of a killed export must be removed, together with the files that it has
// published. A folder that is in use must stay, and so must a folder that is not such a one.
func TestRemoveLeftovers(t *testing.T) {
	folder := t.TempDir()
	dst := filepath.Join(folder, "a.img")
	write := func(name string) {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(name), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	used, err := makeHidden(dst)
	if err != nil {
		t.Fatal(err)
	}
	kept := []string{".a.img.short/x", ".a.img.lowercase2/x", ".a.imgs.ABCDEFGHIJ/x", ".a.img.ABCDEFGHIX", "a.clr"}
	for _, name := range append(kept, ".a.img.ABCDEFGHIJ/a.img", ".a.img.ABCDEFGHIJ/a.hdr", ".a.img.ABCDEFGHIJ/a.clr", ".a.img.ABCDEFGHIK/a.hdr") {
		write(name)
	}
	for from, to := range map[string]string{".a.img.ABCDEFGHIJ/a.hdr": "a.hdr", ".a.img.ABCDEFGHIK/a.hdr": "a.done"} {
		if err := os.Link(filepath.Join(folder, from), filepath.Join(folder, to)); err != nil {
			t.Fatal(err)
		}
	}
	removeLeftovers(dst)
	for _, name := range append(kept, filepath.Base(used.name), "a.done") {
		if _, err := os.Lstat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{".a.img.ABCDEFGHIJ", ".a.img.ABCDEFGHIK", "a.hdr"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if err := used.remove(); err != nil {
		t.Error(err)
	}
	removeLeftovers(filepath.Join(folder, "none", "a.img"))
}
