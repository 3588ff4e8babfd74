package ingest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/foreign"
	"drx/cmd/drx/internal/ingest"
	numbers "drx/dataset/meaning"
	"drx/formats/pipe"
	"drx/nd"
)

// A filePair is two files, as testdata/pairs.py describes them.
type filePair struct {
	Kind, How, Var string
	Step           float64 // values are stored to within half of this
	Values, T, X   []any   // what xarray decodes from the second file, in the units of the first; or nil
	number         int
}

// pairsAtOnce is the number of pairs that are joined at a time: all first files are imported, then
// the second ones are joined, verb by verb. A helper process serves only calls with one limit on
// memory. If the verbs alternated, they would start a helper per file, which takes ten times as
// long as joining it.
const pairsAtOnce = 260

// The test makes random pairs of NetCDF files. Every verb must join the second file to an array
// made from the first: either DRX refuses, and changes nothing, or the result means what xarray
// decodes from the second file. With DRX_SOAK there are many pairs.
func TestPairsAsXarray(t *testing.T) {
	pairs := 2000
	if os.Getenv("DRX_SOAK") != "" {
		pairs = 100_000
	}
	const python = "/usr/bin/python3" // Debian's packages are for this one
	dir, seed := pairFolder(t), "37"
	helper := filepath.Join(dir, "drx-bridge")
	check := exec.Command(python, "-c", "import xarray, netCDF4, cftime").Run()
	if check == nil {
		check = exec.Command("go", "build", "-tags", "netcdf", "-o", helper, "drx/cmd/drx-bridge").Run()
	}
	if check != nil && os.Getenv("CI") == "true" {
		t.Fatalf("%v: apt-get install python3-xarray python3-netcdf4 python3-cftime libnetcdf-dev", check)
	} else if check != nil {
		t.Skip("python3-xarray, python3-netcdf4, python3-cftime or libnetcdf-dev is not there")
	}
	t.Setenv(pipe.EnvProgram, helper)
	if other := os.Getenv("DRX_PAIRS"); other != "" { // seed:pairs, to try more
		if _, err := fmt.Sscanf(strings.Replace(other, ":", " ", 1), "%s %d", &seed, &pairs); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/pairs.py", dir, seed, fmt.Sprint(pairs))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal(err)
	}
	counts, lines := map[string][2]int{}, bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	n, some := 0, make([]*filePair, 0, pairsAtOnce)
	for lines.Scan() {
		p := &filePair{number: n}
		if err := json.Unmarshal(lines.Bytes(), p); err != nil {
			t.Fatal(err)
		}
		some = append(some, p)
		if n++; len(some) == pairsAtOnce {
			joinPairs(t, dir, seed, some, counts)
			some = some[:0]
		}
	}
	joinPairs(t, dir, seed, some, counts)
	if err := cmd.Wait(); err != nil || n != pairs {
		t.Fatalf("%d of %d pairs: %v", n, pairs, err)
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		count := counts[name]
		t.Logf("%s: %d refused, %d joined", name, count[0], count[1])
		// With few pairs, there may be too few of a kind for one verb.
		each := pairs >= 10_000 || !strings.Contains(name, " by ")
		if each && (count[0] == 0 || count[1] == 0) {
			t.Errorf("%s: always one outcome", name)
		}
	}
}

// joinPairs joins some pairs, and counts refused and joined ones.
func joinPairs(t *testing.T, dir, seed string, pairs []*filePair, counts map[string][2]int) {
	t.Helper()
	failed := func(p *filePair, err error) {
		if err != nil {
			t.Errorf("pair %d of seed %s, %s by %s: %v", p.number, seed, p.Kind, p.How, err)
		}
	}
	for _, p := range pairs {
		_, err := drxCall("import", p.file(dir, "a.nc"), p.file(dir, "W"))
		failed(p, err)
	}
	slices.SortStableFunc(pairs, func(a, b *filePair) int { return strings.Compare(a.How, b.How) })
	for _, p := range pairs {
		joined, err := p.join(dir)
		failed(p, err)
		for _, name := range []string{p.Kind, p.How, p.Kind + " by " + p.How} {
			count := counts[name]
			count[map[bool]int{false: 0, true: 1}[joined]]++
			counts[name] = count
		}
	}
}

// drxCall runs the program in this process and returns its output as JSON.
func drxCall(args ...string) (string, error) {
	var out, errs bytes.Buffer
	defer debug.SetMemoryLimit(math.MaxInt64) // imports set it, but other work runs in this process
	root := cli.NewRoot(foreign.NewImport, ingest.NewAppend, ingest.NewReserve, ingest.NewWrite)
	if code := cli.Run(context.Background(), root, append(args, "--json"), strings.NewReader(""), &out, &errs); code != 0 {
		return "", fmt.Errorf("%s: exit %d: %s", strings.Join(args, " "), code, &errs)
	}
	return out.String(), nil
}

// file returns the name of a file of the pair.
func (p *filePair) file(dir, name string) string { return fmt.Sprintf("%s/%d%s", dir, p.number, name) }

// pairFolder returns a folder for many small files, in memory if possible.
func pairFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "pairs")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// join joins the second file to the array that was made from the first, and checks the result.
func (p *filePair) join(dir string) (joined bool, err error) {
	first, second, w := p.file(dir, "a.nc"), p.file(dir, "b.nc"), p.file(dir, "W")
	defer func() { _ = os.Remove(first); _ = os.Remove(second); _ = os.RemoveAll(w) }()
	before, err := p.open(w)
	if err != nil {
		return false, err
	}
	verb := map[string][]string{
		"import": {"import", second, w, "--append", "t"}, "write": {"write", w, second}, "write one": {"write", w + "/" + p.Var, second, "--var", p.Var},
		"append": {"append", w + "/" + p.Var, second, "--dim", "t", "--var", p.Var}, "reserve": {"reserve", w + "/" + p.Var, second, "--dim", "t", "--var", p.Var},
	}
	said, refused := drxCall(verb[p.How]...)
	after, err := p.open(w)
	if err != nil {
		return false, err
	}
	if refused != nil {
		for line := range strings.Lines(refused.Error()) { // notes, and one line with the reason
			if !strings.Contains(line, "drx: ") {
				return false, fmt.Errorf("not one line: %w", refused)
			}
		}
		if p.How == "reserve" { // the reserved indices stay, and read as the fill value
			after.cut(before.bounds[0].Hi)
		}
		return false, after.sameOutside(before, nil)
	}
	sec, err := p.section(said, before, after)
	if err == nil {
		err = after.sameOutside(before, sec)
	}
	if err == nil {
		err = p.compare(after, sec)
	}
	return true, err
}

// section returns the section of the variable that was written.
func (p *filePair) section(said string, before, after *pairArray) (nd.Section, error) {
	if !strings.HasPrefix(p.How, "write") {
		sec := slices.Clone(after.bounds)
		sec[0].Lo = before.bounds[0].Hi
		return sec, nil
	}
	var result struct {
		Name      string
		Lo, Hi    []int
		Variables []struct {
			Name   string
			Lo, Hi []int
		}
	}
	err := json.Unmarshal([]byte(said), &result)
	for _, v := range result.Variables {
		if v.Name == p.Var {
			result.Lo, result.Hi = v.Lo, v.Hi
		}
	}
	if err != nil || len(result.Lo) != len(after.bounds) {
		return nil, fmt.Errorf("%s does not say what was written: %w", said, err)
	}
	return nd.Box(result.Lo, result.Hi), nil
}

// compare compares the written elements, and the coordinates there, with those that xarray decodes.
func (p *filePair) compare(a *pairArray, sec nd.Section) error {
	if p.Values == nil {
		return fmt.Errorf("joined, although there are no such values")
	}
	if err := a.compare(a.m, a.section(sec), p.Values, p.Step); err != nil {
		return err
	}
	for dim, want := range map[string][]any{"t": p.T, "x": p.X} {
		d := slices.Index(a.dims, dim)
		if c := a.coordinates[dim]; d >= 0 && c != nil && (dim == "x" || p.How != "append" && p.How != "reserve") {
			if want == nil {
				return fmt.Errorf("the file has no %s", dim)
			}
			if err := c.compare(c.m, c.section(sec[d:d+1]), want, 0); err != nil {
				return fmt.Errorf("coordinate %s: %w", dim, err)
			}
		}
	}
	return nil
}

// A pairArray is an array in memory.
type pairArray struct {
	bounds      nd.Section
	dims        []string
	elements    []byte
	m           *numbers.Meaning
	coordinates map[string]*pairArray
}

// open reads the variable, with its coordinates.
func (p *filePair) open(folder string) (*pairArray, error) {
	t, err := readPairArray(folder+"/t", nil)
	if err != nil {
		return nil, err
	}
	x, err := readPairArray(folder+"/x", nil)
	if err != nil {
		return nil, err
	}
	var parent *pairArray
	if p.Var == "t_bnds" {
		parent = t
	}
	v, err := readPairArray(folder+"/"+p.Var, parent)
	if err == nil {
		v.coordinates = map[string]*pairArray{"t": t, "x": x}
	}
	return v, err
}

func readPairArray(name string, parent *pairArray) (*pairArray, error) {
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		return nil, err
	}
	defer a.Close()
	n, err := nd.Product(a.Shape()...)
	if err != nil {
		return nil, err
	}
	p := &pairArray{bounds: a.Bounds(), dims: a.Dims(), elements: make([]byte, n*a.DType().Size())}
	of := map[string]json.RawMessage(nil)
	if parent != nil {
		of = map[string]json.RawMessage{}
		of["units"], _ = json.Marshal(parent.m.Units)
	}
	if p.m, err = numbers.Of(a.DType(), a.FillValue(), a.Attrs(), of); err != nil {
		return nil, err
	}
	return p, a.ReadBytes(nil, p.elements, nil)
}

// section returns the elements of a section.
func (a *pairArray) section(sec nd.Section) (list [][]byte) {
	size := a.m.Type.Size()
	a.each(func(index []int, i int) {
		for d, k := range index {
			if k < sec[d].Lo || k >= sec[d].Hi {
				return
			}
		}
		list = append(list, a.elements[i*size:][:size])
	})
	return list
}

// each calls f with every index, and the number of the element.
func (a *pairArray) each(f func(index []int, i int)) {
	lo, hi := a.bounds.Bounds()
	index, i := slices.Clone(lo), 0
	for more := len(a.elements) > 0; more; more = nd.Next(index, lo, hi) {
		f(index, i)
		i++
	}
}

// cut removes the elements from an index of the first dimension on.
func (a *pairArray) cut(hi int) {
	n := len(a.elements) / a.bounds[0].Len()
	a.bounds[0].Hi = hi
	a.elements = a.elements[:n*a.bounds[0].Len()]
}

// sameOutside returns an error if elements outside of a section, or earlier coordinates, have
// changed.
func (a *pairArray) sameOutside(before *pairArray, sec nd.Section) (err error) {
	if sec == nil && len(a.elements) != len(before.elements) {
		return fmt.Errorf("refused, and has grown")
	}
	was := map[string][]byte{}
	size := a.m.Type.Size()
	before.each(func(index []int, i int) { was[fmt.Sprint(index)] = before.elements[i*size:][:size] })
	a.each(func(index []int, i int) {
		inside := sec != nil
		for d, k := range index {
			inside = inside && k >= sec[d].Lo && k < sec[d].Hi
		}
		if !inside && !bytes.Equal(was[fmt.Sprint(index)], a.elements[i*size:][:size]) {
			err = fmt.Errorf("element %v has changed", index)
		}
	})
	for dim, c := range a.coordinates {
		if !bytes.HasPrefix(c.elements, before.coordinates[dim].elements) {
			err = fmt.Errorf("coordinate %s has changed", dim)
		}
	}
	return err
}

// compare compares elements with numbers or dates, or nil for missing ones.
func (a *pairArray) compare(m *numbers.Meaning, elements [][]byte, want []any, step float64) error {
	if len(elements) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(elements), len(want))
	}
	for i, element := range elements {
		x := m.Value(element)
		got := m.Format(element)
		same := false
		switch w := want[i].(type) {
		case nil:
			same = math.IsNaN(x)
		case string:
			if m.Times != nil {
				g, err := m.Times.Calendar.Parse(got)
				wanted, wantErr := m.Times.Calendar.Parse(w)
				d := g.First.Sub(wanted.First)
				same = err == nil && wantErr == nil && (d.Day == 0 && d.Nanos < 2000 || d.Day == -1 && d.Nanos > 86400e9-2000)
			}
		case float64:
			same = m.Times == nil && math.Abs(x-w) <= 0.5001*step+1e-6*math.Abs(w)
		}
		if !same {
			return fmt.Errorf("element %d is %s (%v), want %v", i, got, x, want[i])
		}
	}
	return nil
}
