package formats_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// twoVars are the variables of a file with two.
var twoVars = formats.Content{Vars: []formats.Info{
	{Name: "first", DType: dtype.Int16, Shape: []int{300, 400}},
	{Name: "group/second", DType: dtype.Float64, Shape: []int{50, 60}, Order: nd.ColMajor(2)},
}}

// Variables may be written in any order and at the same time; the file must be the same as if they
// were written one after the other.
func TestNPZInAnyOrder(t *testing.T) {
	for _, deflate := range []int{0, 5} {
		content := twoVars
		content.Deflate = deflate
		var files [][]byte
		for _, shuffled := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "a.npz")
			writers, err := formats.CreateFile(path, "", content)
			if err != nil {
				t.Fatal(err)
			}
			if shuffled {
				slices.Reverse(writers)
			}
			for half := range 2 {
				for _, w := range writers {
					writeHalf(t, w, shuffled == (half == 0), shuffled == (len(writers) > 0 && w == writers[0]))
				}
			}
			for _, w := range writers {
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, data)
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".drx-*")); err != nil || len(left) > 0 {
				t.Errorf("%v remain, %v", left, err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("deflate %d: the order of writing changes the file", deflate)
		}
	}
}

// writeHalf writes one half of the rows of the second variable, or of the columns of the first.
func writeHalf(t *testing.T, w formats.Writer, upper, second bool) {
	t.Helper()
	info := twoVars.Vars[0]
	if second {
		info = twoVars.Vars[1]
	}
	d := info.Order.Dims(2)[0]
	sec := nd.Sec(nd.Span(0, info.Shape[0]), nd.Span(0, info.Shape[1]))
	sec[d].Hi /= 2
	if upper {
		sec[d].Lo, sec[d].Hi = sec[d].Hi, info.Shape[d]
	}
	n, _ := formats.Info{DType: info.DType, Shape: sec.Shape()}.Bytes()
	buf := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, n/8)
	if err := w.WriteSection(sec, buf); err != nil {
		t.Fatal(err)
	}
}

// NumPy must read both variables of a written file, and its files with several variables must be
// listed.
func TestNumPyNPZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	writers, err := formats.CreateFile(path, "", formats.Content{Deflate: 1, Vars: []formats.Info{
		{DType: dtype.Uint8, Shape: []int{3}}, {Name: "b", DType: dtype.Float32, Shape: []int{2, 2}, Order: nd.ColMajor(2)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range []int{3, 16} {
		if err := errors.Join(writers[i].WriteSection(nil, make([]byte, n)), writers[i].Close()); err != nil {
			t.Fatal(err)
		}
	}
	program := `
import sys, numpy
with numpy.load(sys.argv[1]) as z: print([(k, str(z[k].dtype), z[k].shape, z[k].flags.f_contiguous) for k in z])
numpy.savez(sys.argv[2], x=numpy.arange(5), y=numpy.ones((2, 2), "f4"), s=numpy.array(["a"]))
`
	saved := filepath.Join(t.TempDir(), "saved.npz")
	out := string(python(t, program, path, saved))
	if want := "[('arr_0', 'uint8', (3,), True), ('b', 'float32', (2, 2), True)]\n"; out != want {
		t.Errorf("NumPy reads %s, want %s", out, want)
	}
	c, err := formats.List(saved, formats.Options{})
	if err != nil || len(c.Vars) != 3 || c.Vars[0].Name != "x" || c.Vars[1].DType != dtype.Float32 || !strings.Contains(c.Vars[2].Refused, `s.npy: npy: descr "<U1"`) {
		t.Errorf("%+v, %v", c, err)
	}
	for variable, text := range map[string]string{"": "3 variables: no such variable: name one of x, y, s", "z": "z: no such variable: there are x, y, s"} {
		if _, err := formats.Open(saved, formats.Options{Variable: variable}); !errors.Is(err, formats.ErrVariable) || err.Error() != saved+": "+text {
			t.Error(err)
		}
	}
}

// zipped returns a ZIP file that contains the given files.
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The contents of a ZIP file that is not a .npz file must be refused with the reason.
func TestRefusedNPZ(t *testing.T) {
	for text, data := range map[string][]byte{
		"no .npy files in it":                                 zipped(t, "a.txt", "x"),
		`two variables named "a"`:                             zipped(t, "a.npy", "x", "a.npy", "y"),
		`a.npy: npy: not a .npy file: begins with "garbage "`: zipped(t, "a.npy", "garbage garbage"),
		"a.npy: npy: unexpected EOF":                          zipped(t, "a.npy", ""),
		"has no directory at its end":                         []byte("PK\x03\x04 and nothing more of it"),
	} {
		refused(t, "a.npz", data, text)
	}
	path := write(t, "a.npz", zipped(t, "a.npy", "x", strings.Repeat("b", 60000), "y", strings.Repeat("c", 60000), "y"))
	if _, err := formats.Open(path, formats.Options{Memory: 1 << 20}); !errors.Is(err, formats.ErrMemory) {
		t.Error(err)
	}
	for _, vars := range [][]formats.Info{
		{{Name: "a", DType: dtype.Int8}, {Name: "a", DType: dtype.Int8}},
		{{Name: "a", DType: dtype.Uint8, Labels: []string{"x"}}},
		{{Name: "a"}},
	} {
		path := filepath.Join(t.TempDir(), "a.npz")
		if _, err := formats.CreateFile(path, "", formats.Content{Vars: vars}); err == nil || !strings.HasPrefix(err.Error(), path+": npz: ") {
			t.Errorf("%+v: %v", vars, err)
		}
	}
}

// FuzzNPZ checks that no ZIP file causes a panic.
func FuzzNPZ(f *testing.F) {
	seeds(f, "testdata/npz/*.npz", 7)
	npz, err := formats.ByName("npz")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := func() *formats.Input {
			return &formats.Input{Path: "a.npz", File: bytes.NewReader(data), Size: int64(len(data)), Memory: 1 << 22}
		}
		c, err := npz.List(in())
		if err != nil {
			return
		}
		for _, v := range c.Vars {
			n, err := v.Bytes()
			if v.Refused != "" || err != nil || n > 1<<20 {
				continue
			}
			chosen := in()
			chosen.Variable = v.Name
			r, err := npz.Open(chosen)
			if err != nil {
				if v.Name == "" && strings.Contains(fmt.Sprint(err), "variables") {
					continue
				}
				t.Errorf("%q is listed, but %v", v.Name, err)
				continue
			}
			_ = r.ReadSection(nil, make([]byte, n))
			r.Close()
		}
	})
}
