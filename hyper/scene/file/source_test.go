package file_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/hyper/scene"
	"drx/hyper/scene/file"
	"drx/nd"
)

// npy writes a NumPy file of int16 whose element i, j, k is 100 i + 10 j + k.
func npy(t *testing.T, shape []int, fortran bool) string {
	t.Helper()
	head := fmt.Sprintf("{'descr': '<i2', 'fortran_order': %s, 'shape': (%d, %d, %d), }", map[bool]string{false: "False", true: "True"}[fortran], shape[0], shape[1], shape[2])
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	data = append(data, head...)
	order := []int{0, 1, 2}
	if fortran {
		order = []int{2, 1, 0}
	}
	at := make([]int, 3)
	for at[order[0]] = 0; at[order[0]] < shape[order[0]]; at[order[0]]++ {
		for at[order[1]] = 0; at[order[1]] < shape[order[1]]; at[order[1]]++ {
			for at[order[2]] = 0; at[order[2]] < shape[order[2]]; at[order[2]]++ {
				v := 100*at[0] + 10*at[1] + at[2]
				data = append(data, byte(v), byte(v>>8))
			}
		}
	}
	name := filepath.Join(t.TempDir(), "cube.npy")
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestRead reads blocks of files in both element orders, with the dimensions in all orders.
func TestRead(t *testing.T) {
	shape := []int{4, 5, 6}
	for _, fortran := range []bool{false, true} {
		name := npy(t, shape, fortran)
		for _, d := range [][3]int{{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}} {
			src, err := file.Open(name, []string{fmt.Sprint(d[0]), fmt.Sprint(d[1]), fmt.Sprint(d[2])}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if want := (scene.Block{Hi: scene.Pixel{Line: shape[d[0]], Sample: shape[d[1]]}}); src.Bounds() != want || src.Bands() != shape[d[2]] || !src.Integers16() {
				t.Fatalf("dimensions %v: %v, %d bands", d, src.Bounds(), src.Bands())
			}
			b := scene.Block{Lo: scene.Pixel{Line: 1, Sample: 2}, Hi: src.Bounds().Hi}
			got := make([]float64, b.Pixels()*src.Bands())
			if err := src.Read(t.Context(), b, got); err != nil {
				t.Fatal(err)
			}
			factor := []int{100, 10, 1}
			var want []float64
			for l := b.Lo.Line; l < b.Hi.Line; l++ {
				for s := b.Lo.Sample; s < b.Hi.Sample; s++ {
					for k := range src.Bands() {
						want = append(want, float64(l*factor[d[0]]+s*factor[d[1]]+k*factor[d[2]]))
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("fortran %v, dimensions %v: %v, want %v", fortran, d, got[:6], want[:6])
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// several is a format for files with several variables, which the second line of a file lists, as
// in cube:3 map:2.
var several = formats.Format{
	Name: "several", Extensions: []string{".several"}, Recognise: func(head []byte) bool { return strings.HasPrefix(string(head), "several\n") },
	List: func(in *formats.Input) (c formats.Content, err error) {
		text, err := io.ReadAll(in.Stream)
		for _, field := range strings.Fields(string(text))[1:] {
			name, rank, _ := strings.Cut(field, ":")
			c.Vars = append(c.Vars, formats.Info{Name: name, DType: dtype.Int8, Shape: make([]int, rank[0]-'0')})
		}
		return c, err
	},
	Open: func(in *formats.Input) (formats.Reader, error) {
		return empty{formats.Info{Name: in.Variable, DType: dtype.Complex64, Shape: []int{1, 1, 1}}}, nil
	},
}

// empty is a reader without elements.
type empty struct{ info formats.Info }

func (e empty) Info() formats.Info                   { return e.info }
func (e empty) ReadSection(nd.Section, []byte) error { return nil }
func (e empty) Close() error                         { return nil }

// TestVariable: the variable is the only one with that number of dimensions, or the only one at
// all.
func TestVariable(t *testing.T) {
	formats.Register(several)
	name := filepath.Join(t.TempDir(), "a.several")
	for text, want := range map[string]string{
		"cube:3 map:2": "cube", "map:2 cube:3": "cube", "map:2": "map", "a:3 b:3": "", "a:2 b:4": "",
	} {
		if err := os.WriteFile(name, []byte("several\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := file.Variable(name, 3, formats.Options{})
		if got != want || (want == "") != errors.Is(err, formats.ErrVariable) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	if err := os.WriteFile(name, []byte("several\ncube:3"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Open(name, nil, 0); err == nil || !strings.Contains(err.Error(), "spectra are real numbers") {
		t.Errorf("complex elements: %v", err)
	}
}

// TestWrongFiles: files that are not scenes are refused.
func TestWrongFiles(t *testing.T) {
	name := npy(t, []int{2, 2, 0}, false)
	if _, err := file.Open(name, nil, 0); err == nil || !strings.Contains(err.Error(), "no bands") {
		t.Errorf("no bands: %v", err)
	}
	name = npy(t, []int{2, 2, 2}, false)
	for _, dims := range [][]string{{"0", "1", "1"}, {"0", "1", "x"}, {"0", "1", "3"}} {
		if _, err := file.Open(name, dims, 0); err == nil {
			t.Errorf("dimensions %v are accepted", dims)
		}
	}
	if _, err := file.Open(name+"x", nil, 0); err == nil {
		t.Error("a file that is not there")
	}
}
