package zarr

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drx/formats"
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

// Names that lead out of a ZIP file, and two files with one name, must be refused instead of being
// read as files of the store.
func TestNamesInZip(t *testing.T) {
	const meta = `{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|u1", "compressor": null, "fill_value": 0, "order": "C", "filters": null}`
	const outside, twice = "lies outside of the store", "more than one file"
	for name, c := range map[string]struct {
		files []string // each with its content
		want  string
	}{
		"good":          {[]string{"./v/.zarray", meta, "./v/0", "\x01\x02"}, ""},
		"backslash":     {[]string{`v\.zarray`, meta, `v\0`, "\x01\x02"}, ""},
		"up":            {[]string{"../v/.zarray", meta, "../v/0", "\x01\x02"}, outside},
		"absolute":      {[]string{"/v/.zarray", meta, "v/0", "\x01\x02"}, outside},
		"up and down":   {[]string{"v/.zarray", meta, "v/../../v/0", "\x01\x02"}, outside},
		"backslash, up": {[]string{"v/.zarray", meta, `..\v\0`, "\x01\x02"}, outside},
		"twice":         {[]string{"v/.zarray", meta, "v/0", "\x03\x04", "v/0", "\x01\x02"}, twice},
		"another way":   {[]string{"v/.zarray", meta, "v/0", "\x03\x04", "v/./0", "\x01\x02"}, twice},
		"metadata":      {[]string{"v/.zarray", meta, "v/.zarray", meta, "v/0", "\x01\x02"}, twice},
	} {
		path := filepath.Join(t.TempDir(), "s.zip")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(f)
		for i := 0; i < len(c.files); i += 2 {
			w, err := z.Create(c.files[i])
			if err == nil {
				_, err = w.Write([]byte(c.files[i+1]))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 2)
		r, err := formats.Open(path, formats.Options{})
		if err == nil {
			err = errors.Join(r.ReadSection(nil, buf), r.Close())
		}
		switch {
		case c.want == "" && (err != nil || string(buf) != "\x01\x02"):
			t.Errorf("%s: read % x, %v", name, buf, err)
		case c.want != "" && (!errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: read % x, %v; want %q", name, buf, err, c.want)
		}
	}
}
