package zarr

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// zipFolder writes the files of a folder to a ZIP file.
func zipFolder(t *testing.T, path, folder, prefix string, method uint16) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	files := os.DirFS(folder)
	err = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(prefix+name, "/"), Method: method})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}
