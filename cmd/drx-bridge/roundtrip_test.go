//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"drx"
	"drx/dataset"
	"drx/dtype"
	"drx/formats"
)

// TestMain disables the file locks of libhdf5. The tests write files and start programs at the same
// time. Programs inherit open files, because libhdf5 does not close them on exec, and with them the
// locks, until they end. The library reads the environment variable at its first use, in any test.
// If the environment variable of measure is set, TestMain runs a command instead.
func TestMain(m *testing.M) {
	if os.Getenv(measuring) != "" {
		os.Exit(measure(os.Args[1:]))
	}
	if where := os.Getenv(killing); where != "" {
		os.Exit(traceAndKill(where, os.Args[1:]))
	}
	if err := os.Setenv("HDF5_USE_FILE_LOCKING", "FALSE"); err != nil {
		panic(err)
	}
	code := m.Run()
	if dir, err := shared(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// TestImportExportImport imports a file of every format with everything that the format preserves,
// exports the result, and imports that: both imports must have equal values, element types,
// dimensions, dimensions that can grow, fill values, strings and attributes. The commands are those
// of a user.
func TestImportExportImport(t *testing.T) {
	program := buildPrograms(t)
	queue := make(chan target)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for f := range queue {
				for name, c := range f.contents(t) {
					f.comeBack(t, program, name, c)
				}
			}
		})
	}
	for _, f := range targets {
		queue <- f
	}
	close(queue)
	workers.Wait()
}

// contents returns files, by contents: one with everything, or one per element type if the format
// has one array per file.
func (f target) contents(t *testing.T) map[string]formats.Content {
	k := f.kept(t)
	if k.several == yes {
		return map[string]formats.Content{"all": f.rich(t, k)}
	}
	all := map[string]formats.Content{}
	same, other, _ := f.types(t)
	for _, name := range append(same, other...) {
		name, _, _ = strings.Cut(name, " ")
		typ, err := dtype.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		v := formats.Info{Name: "v", DType: typ, Shape: []int{2, 3}}
		v.Attrs = k.attributesOf("v")
		if k.fill == yes && !typ.IsComplex() {
			v.Fill = extremes(t, typ, true)[typ.Size():][:typ.Size()]
		}
		all[name] = formats.Content{Vars: []formats.Info{v}}
	}
	return all
}

// attributesOf returns attributes of the kinds that are preserved.
func (k kept) attributesOf(name string) map[string]any {
	attrs := map[string]any{}
	for kind, value := range map[*string]any{&k.text: "text of " + name, &k.numbers: 2.5, &k.numberLists: []any{int64(1), int64(2)}, &k.textLists: []any{"a", "b"}} {
		if *kind == yes {
			attrs[fmt.Sprintf("a%T", value)] = value
		}
	}
	for from, to := range map[string]string{"astring": "title", "afloat64": "ratio", "a[]interface {}": "list"} {
		if value, ok := attrs[from]; ok {
			attrs[to] = value
			delete(attrs, from)
		}
	}
	return attrs
}

// rich returns a file with a variable of each type, coordinates, strings, a scalar, a group and
// attributes, as far as these are preserved.
func (f target) rich(t *testing.T, k kept) formats.Content {
	var c formats.Content
	dims := func(names ...string) []string {
		if k.dims == yes {
			return names
		}
		return nil
	}
	grows := func(rank int) []bool {
		switch k.unlimited {
		case "all":
			return slices.Repeat([]bool{true}, rank)
		case "the first":
			return append([]bool{true}, make([]bool, rank-1)...)
		}
		return nil
	}
	least := 0
	if len(k.ranks) > 0 {
		_, _ = fmt.Sscan(k.ranks[0], &least) // a digit
	}
	if least < 2 {
		c.Vars = append(c.Vars,
			formats.Info{Name: "time", DType: dtype.Float64, Shape: []int{2}, Dims: dims("time"), Unlimited: grows(1), Attrs: map[string]any{"units": "days since 2000-01-01"}},
			formats.Info{Name: "lat", DType: dtype.Float32, Shape: []int{3}, Dims: dims("lat")})
		if k.unlimited == "all" {
			c.Vars[1].Unlimited = grows(1)
		}
		if k.text != yes {
			c.Vars[0].Attrs = nil
		}
	}
	same, _, _ := f.types(t)
	for i, name := range same {
		typ, err := dtype.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		v := formats.Info{Name: "v_" + name, DType: typ, Shape: []int{2, 3}, Dims: dims("time", "lat"), Unlimited: grows(2), Attrs: k.attributesOf(name)}
		if k.fill == yes && i%2 == 0 && typ != dtype.Bool && !typ.IsComplex() {
			v.Fill = extremes(t, typ, true)[typ.Size():][:typ.Size()]
		}
		c.Vars = append(c.Vars, v)
	}
	if k.strings == yes {
		c.Vars = append(c.Vars, formats.Info{Name: "words", DType: dtype.Uint32, Shape: []int{2, 3}, Dims: dims("time", "lat"), Unlimited: grows(2), Labels: []string{"a", "Größe", "three words here"}})
	}
	if k.text == yes && k.numberLists == yes { // an enumeration, if the format has them
		c.Vars = append(c.Vars, formats.Info{
			Name: "kinds", DType: dtype.Int16, Shape: []int{2, 3}, Dims: dims("time", "lat"), Unlimited: grows(2),
			Attrs: map[string]any{"enum_type": "kind", "flag_values": []any{int64(3), int64(-1)}, "flag_meanings": "good bad"},
		})
	}
	if slices.Contains(k.ranks, "0") {
		c.Vars = append(c.Vars, formats.Info{Name: "scalar", DType: dtype.Int16, Shape: []int{}})
	}
	if k.groups == yes {
		c.Vars = append(c.Vars, formats.Info{Name: "g/x", DType: dtype.Int16, Shape: []int{2, 3}, Dims: dims("time", "lat"), Unlimited: grows(2)})
		if k.text == yes {
			c.Groups = map[string]map[string]any{"g": {"note": "of a group"}}
		}
	}
	if k.ofFile == yes {
		c.Attrs = map[string]any{"history": "made by a test"}
	}
	return c
}

// elementsOf returns elements for a variable.
func (f target) elementsOf(t *testing.T, v formats.Info) []byte {
	t.Helper()
	n, _ := v.Bytes() // it is small
	data := extremes(t, v.DType, f.text)
	if v.Labels != nil {
		data = nil
		for i := range n / 4 {
			data = binary.LittleEndian.AppendUint32(data, uint32(i%len(v.Labels)))
		}
	}
	return data[:n]
}

// comeBack imports, exports and imports again.
func (f target) comeBack(t *testing.T, program, name string, c formats.Content) {
	dir := t.TempDir()
	in := func(file string) string { return filepath.Join(dir, file) }
	run := func(args ...string) bool {
		out, err := exec.Command(program, args...).CombinedOutput()
		if err != nil {
			t.Errorf("%s, %s: drx %s: %v, %s", f.name, name, strings.Join(args, " "), err, out)
		}
		return err == nil
	}
	writers, err := formats.CreateFile(in("a"+f.ext), f.name, c)
	if err != nil {
		t.Errorf("%s, %s: %v", f.name, name, err)
		return
	}
	for i, w := range writers {
		if err := w.WriteSection(nil, f.elementsOf(t, c.Vars[i])); err != nil {
			t.Errorf("%s, %s: %v", f.name, name, err)
		}
	}
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Errorf("%s, %s: %v", f.name, name, err)
		}
	}
	as := func(args ...string) []string {
		if f.reader != "" {
			args = append(args, "--format", f.reader)
		}
		return args
	}
	ok := run(as("import", in("a"+f.ext), in("first"))...) &&
		run("export", in("first"), in("b"+f.ext), "--format", f.name) &&
		run(as("import", in("b"+f.ext), in("second"))...) &&
		run(as("import", "--list", in("b"+f.ext))...)
	if !ok {
		return
	}
	first, second := describeArrays(t, in("first")), describeArrays(t, in("second"))
	if first != second {
		t.Errorf("%s, %s: imported\n%s\nexported and imported\n%s", f.name, name, first, second)
	}
	for _, v := range c.Vars {
		if !strings.Contains(first, fmt.Sprintf(": %x\n", f.elementsOf(t, v))) && !f.text {
			t.Errorf("%s, %s: the elements of %s, %x, are not in\n%s", f.name, name, v.Name, f.elementsOf(t, v), first)
		}
	}
}

// describeArrays describes an array or a whole dataset, without names of files and extents of
// chunks.
func describeArrays(t *testing.T, name string) string {
	var b strings.Builder
	is, err := drx.Exists(name)
	if err != nil {
		t.Error(err)
	}
	if is {
		a, err := drx.Open(name, drx.Options{})
		if err != nil {
			t.Error(err)
			return ""
		}
		describeArray(t, &b, "array", a)
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		return b.String()
	}
	d, err := dataset.Open(name, drx.Options{})
	if err != nil {
		t.Error(err)
		return ""
	}
	defer d.Close()
	names := d.Variables()
	slices.Sort(names)
	for _, name := range names {
		v, err := d.Variable(name)
		if err != nil {
			t.Error(err)
			continue
		}
		describeArray(t, &b, name, v.Array())
	}
	for _, group := range append([]string{""}, d.Groups()...) {
		attrs, err := d.Attrs(group)
		fmt.Fprintf(&b, "group %q %s %v\n", group, attrs, err)
	}
	return b.String()
}

// describeArray describes an array with all its elements.
func describeArray(t *testing.T, b *strings.Builder, name string, a *drx.Array) {
	n := a.DType().Size()
	for _, extent := range a.Shape() {
		n *= extent
	}
	buf := make([]byte, n)
	if err := a.ReadBytes(nil, buf, nil); err != nil {
		t.Error(err)
	}
	fmt.Fprintf(b, "%s %v %v %q fill %x %s: %x\n", name, a.DType(), a.Bounds(), a.Dims(), a.FillValue(), a.Attrs(), buf)
}
