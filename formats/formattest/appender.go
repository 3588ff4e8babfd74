package formattest

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// Appender tests Format.AppendPath of a format: a file grows in two steps. It has variables of the
// given types, one of strings if texts is true, and one that does not grow. read is the name of the
// format that reads the files; if it is empty, the format is found from the file.
func Appender(t *testing.T, format, read string, types []dtype.DType, texts bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "growing")
	var vars []formats.Info
	for _, typ := range types {
		vars = append(vars, formats.Info{
			Name: "of " + typ.String(), DType: typ, Shape: []int{2, 3}, Dims: []string{"time", "x"}, Unlimited: []bool{true, false}, Chunk: []int{4, 2},
		})
	}
	vars = append(vars, formats.Info{
		Name: "kinds", DType: dtype.Int16, Shape: []int{2}, Dims: []string{"time"}, Unlimited: []bool{true}, Chunk: []int{4},
		Attrs: map[string]any{"enum_type": "kind_t", "flag_values": []any{int64(0), int64(1)}, "flag_meanings": "good bad"},
	})
	if texts {
		vars = append(vars, formats.Info{
			Name: "names", DType: dtype.Uint32, Shape: []int{2}, Dims: []string{"time"}, Unlimited: []bool{true}, Chunk: []int{4},
			Labels: []string{"a", "bb", "", "zwölf"},
		})
	}
	vars = append(vars, formats.Info{Name: "x", DType: dtype.Int8, Shape: []int{3}, Dims: []string{"x"}})
	writers, err := formats.CreateFile(path, format, formats.Content{Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		must(t, w.WriteSection(nil, growing(vars[i], 0, vars[i].Shape[0])))
		must(t, w.Close())
	}
	vars = vars[:len(vars)-1]
	for _, rows := range []int{3, 9} {
		from := vars[0].Shape[0]
		appendRows(t, path, format, vars, rows)
		for _, v := range vars {
			sameRows(t, path, read, v, from, rows)
		}
	}
	appenderMistakes(t, path, format, vars[0])
}

// appendRows makes the variables of a file grow to rows rows, and sets their shapes.
func appendRows(t *testing.T, path, format string, vars []formats.Info, rows int) {
	t.Helper()
	from := vars[0].Shape[0]
	for i := range vars {
		vars[i].Shape = slices.Clone(vars[i].Shape)
		vars[i].Shape[0] = rows
	}
	writers, err := formats.AppendFile(path, format, formats.Content{Vars: vars})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range writers {
		sec := nd.Box(make([]int, len(vars[i].Shape)), vars[i].Shape)
		sec[0].Lo = from
		must(t, w.WriteSection(sec, growing(vars[i], from, rows)))
		must(t, w.Close())
	}
}

// sameRows reads a variable that has grown.
func sameRows(t *testing.T, path, read string, v formats.Info, from, rows int) {
	t.Helper()
	r, err := formats.Open(path, formats.Options{Format: read, Variable: v.Name})
	if err != nil {
		t.Fatal(err)
	}
	info := r.Info()
	if !slices.Equal(info.Shape, v.Shape) {
		t.Fatalf("%s has shape %v, want %v", v.Name, info.Shape, v.Shape)
	}
	n, err := info.Bytes()
	must(t, err)
	got := make([]byte, n)
	must(t, r.ReadSection(nil, got))
	must(t, r.Close())
	want := growing(v, 0, rows)
	if v.Labels != nil {
		size := info.DType.Size()
		for i := range rows {
			label := info.Labels[int(info.DType.Float64(got[i*size:][:size]))]
			if w := v.Labels[int(v.DType.Float64(want[4*i:][:4]))]; label != w {
				t.Errorf("%s: string %d is %q, want %q", v.Name, i, label, w)
			}
		}
		return
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s, grown from %d to %d rows, is\n%x\nwant\n%x", v.Name, from, rows, got, want)
	}
}

// growing returns the elements of some rows of a variable.
func growing(v formats.Info, from, to int) []byte {
	row := 1
	for _, n := range v.Shape[1:] {
		row *= n
	}
	var elements []byte
	for i := from * row; i < to*row; i++ {
		value := any(int64(i % 100))
		switch {
		case v.Labels != nil:
			value = int64(i % len(v.Labels))
		case v.DType == dtype.Bool:
			value = i%2 == 1
		}
		b, err := v.DType.EncodeValue(value)
		if err != nil { // small numbers are valid in all types
			panic(err)
		}
		elements = append(elements, b...)
	}
	return elements
}

// appenderMistakes opens a file with contents that it cannot grow to, and closes it too early.
func appenderMistakes(t *testing.T, path, format string, v formats.Info) {
	t.Helper()
	shaped := func(name string, shape ...int) formats.Info {
		w := v
		w.Name, w.Shape, w.Dims, w.Unlimited, w.Chunk = name, shape, nil, nil, nil
		return w
	}
	for name, c := range map[string]struct {
		info formats.Info
		is   error
	}{
		"unknown":      {shaped("unknown", 9, 3), formats.ErrVariable},
		"unknown path": {shaped("no/group/x", 9, 3), formats.ErrVariable},
		"smaller":      {shaped(v.Name, 8, 3), formats.ErrSize},
		"other rank":   {shaped(v.Name, 9), formats.ErrSize},
		"fixed":        {shaped(v.Name, 9, 4), formats.ErrSize},
	} {
		if _, err := formats.AppendFile(path, format, formats.Content{Vars: []formats.Info{c.info}}); !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %v", name, err, c.is)
		}
	}
	if _, err := formats.AppendFile(path, "npy", formats.Content{}); !errors.Is(err, formats.ErrNotWritten) {
		t.Errorf("npy: %v", err)
	}
	if _, err := formats.AppendFile(path+".none", format, formats.Content{Vars: []formats.Info{v}}); err == nil {
		t.Error("a file that is not there can grow")
	}
	writers, err := formats.AppendFile(path, format, formats.Content{Vars: []formats.Info{shaped(v.Name, 10, 3)}})
	must(t, err)
	if err := writers[0].Close(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("closed too early: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
