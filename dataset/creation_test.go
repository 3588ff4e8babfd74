package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"drx"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// batchGroups and batchVars are the groups and variables that the tests create in one step, beside
// the variables time and a. Two of the arrays are one-file arrays.
var batchGroups = map[string]map[string]any{"m": {"kind": "model"}, "m/deep": nil}

func batchVars() map[string]drx.Spec {
	return map[string]drx.Spec{
		"b": intSpec([]int{3, 2}, "time", "x"), "c.drx": intSpec([]int{3}, "time"), "x": intSpec([]int{2}, "x"),
		"m/d.drx": intSpec([]int{3, 2}, "time", "x"), "m/deep/e": intSpec(nil, "time"), "n/f": intSpec([]int{5}, "z"),
	}
}

// prepareBatch makes a dataset with the variables time and a.
func prepareBatch(ds string) error {
	d, err := Create(ds, drx.Options{})
	if err != nil {
		return err
	}
	for name, spec := range map[string]drx.Spec{"time": intSpec([]int{3}, "time"), "a": intSpec([]int{3, 2}, "time", "x")} {
		v, err := d.CreateVariable(name, spec)
		if err == nil {
			err = drx.Fill(v.Array(), nil, int32(7))
		}
		if err != nil {
			return err
		}
	}
	return d.Close()
}

// describeBatch returns the variables, groups and dimensions of a dataset.
func describeBatch(d *Dataset) (string, error) {
	var b strings.Builder
	fmt.Fprintln(&b, d.Groups())
	for _, name := range d.Variables() {
		v, err := d.Variable(name)
		if err != nil {
			return "", err
		}
		values, err := drx.Read[int32](v.Array(), nil)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, name, v.Dims(), v.Bounds(), v.Array().Bounds(), values)
	}
	for _, dim := range d.Dims() {
		fmt.Fprintln(&b, dim)
	}
	for _, group := range append(d.Groups(), "") {
		attrs, err := d.Attrs(group)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s\n", group, attrs)
	}
	return b.String(), nil
}

// lookAt opens the dataset and describes it.
func lookAt(ds string, write bool) (string, error) {
	d, err := Open(ds, drx.Options{Write: write})
	if err != nil {
		return "", err
	}
	text, err := describeBatch(d)
	return text, errors.Join(err, d.Close())
}

// fillBatch writes a new variable, except for c.
func fillBatch(name string, a *drx.Array) error {
	if name == "c" {
		return nil
	}
	return drx.Fill(a, nil, int32(len(name)))
}

func createBatch(ds string) error {
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return err
	}
	err = d.SetAttr("", "before", 1)
	if err == nil {
		err = d.CreateAll(batchGroups, batchVars(), func(name string, a *drx.Array) error {
			return errors.Join(fillBatch(name, a), d.SetAttr("", "last", name))
		})
	}
	if err != nil {
		_ = d.Discard() // the first error is what the caller needs
		return err
	}
	return d.Close()
}

// createPendingBatch creates some of the variables of createBatch, one by one.
func createPendingBatch(ds string) error {
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return err
	}
	vars := batchVars()
	err = d.SetAttr("", "before", 1)
	for _, name := range []string{"m/d.drx", "x"} {
		if err != nil {
			break
		}
		var v *Variable
		if v, err = d.CreatePending(name, vars[name]); err == nil {
			err = errors.Join(fillBatch(variableOf(name), v.Array()), d.SetAttr("", "last", variableOf(name)))
		}
	}
	if err == nil {
		err = d.SetAttr("m", "kind", "model")
	}
	if err != nil {
		_ = d.Discard() // the first error is what the caller needs
		return err
	}
	return d.Close()
}

// Pending variables must be visible only to their writer until the next Sync; Discard must remove
// them.
func TestCreatePending(t *testing.T) { inBothForms(t, testCreatePending) }

func testCreatePending(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	if err := prepareBatch(ds); err != nil {
		t.Fatal(err)
	}
	before, err := lookAt(ds, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, keep := range []bool{false, true} {
		d, err := Open(ds, drx.Options{Write: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.CreatePending("a", intSpec([]int{3}, "time")); !errors.Is(err, fs.ErrExist) {
			t.Fatalf("a variable that exists: %v", err)
		}
		for name, spec := range map[string]drx.Spec{"g/h/v": intSpec([]int{3, 4}, "time", "q"), "w": intSpec([]int{3}, "time")} {
			v, err := d.CreatePending(name, spec)
			if err == nil {
				err = drx.Fill(v.Array(), nil, int32(5))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := d.CreateAll(nil, map[string]drx.Spec{"together": intSpec([]int{2}, "r")}, nil); err != nil {
			t.Fatal(err)
		}
		seen, err := Open(ds, drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if names := seen.Variables(); !slices.Equal(names, []string{"a", "time", "together"}) || len(seen.Groups()) > 0 {
			t.Errorf("before the commit a reader sees %q in groups %q", names, seen.Groups())
		}
		end := d.Discard
		if keep {
			end = d.Close
		}
		if err := errors.Join(end(), seen.Refresh()); err != nil {
			t.Fatal(err)
		}
		if names := seen.Variables(); keep && !slices.Equal(names, []string{"a", "g/h/v", "time", "together", "w"}) {
			t.Errorf("after the commit a reader sees %q", names)
		}
		if err := seen.Close(); err != nil {
			t.Fatal(err)
		}
		if keep {
			return
		}
		if err := drx.Remove(ds + "/together"); err != nil {
			t.Fatal(err)
		}
		if now, err := lookAt(ds, false); now != before || err != nil {
			t.Errorf("after Discard\n%s\nwant\n%s, %v", now, before, err)
		}
		if exists, err := drx.Exists(ds + "/g/h/v"); exists || err != nil {
			t.Errorf("Discard leaves files: %v", err)
		}
	}
}

// Creation in one step must give the same result as creation one by one.
func TestCreateAll(t *testing.T) { inBothForms(t, testCreateAll) }

func testCreateAll(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	if err := errors.Join(prepareBatch(ds), createBatch(ds)); err != nil {
		t.Fatal(err)
	}
	got, err := lookAt(ds, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := prepareBatch(ds); err != nil {
		t.Fatal(err)
	}
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"m/deep", "n"} {
		if err := d.CreateGroup(group); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(d.SetAttr("m", "kind", "model"), d.SetAttr("", "before", 1), d.SetAttr("", "last", "x")); err != nil {
		t.Fatal(err)
	}
	for name, spec := range batchVars() {
		v, err := d.CreateVariable(name, spec)
		if err == nil {
			err = fillBatch(variableOf(name), v.Array())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if want, err := lookAt(ds, false); got != want || err != nil {
		t.Errorf("in one step\n%s\none by one\n%s, %v", got, want, err)
	}
}

// A variable that contradicts the dataset, or another new one, must give an error that names it,
// and nothing may be created.
func TestCreateAllRefuses(t *testing.T) { inBothForms(t, testCreateAllRefuses) }

func testCreateAllRefuses(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	if err := prepareBatch(ds); err != nil {
		t.Fatal(err)
	}
	before, err := lookAt(ds, true)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if other, err := drx.Create(ds+"/made", intSpec([]int{1}, "")); err != nil || other.Close() != nil {
		t.Fatal(err)
	}
	bad := drx.Spec{Shape: []int{1}}
	for name, c := range map[string]struct {
		groups map[string]map[string]any
		vars   map[string]drx.Spec
		is     error
		says   string
	}{
		"extent":     {nil, map[string]drx.Spec{"b": intSpec([]int{4}, "time")}, ErrDim, "create variable b: dimension time: the new variable has 0:4, but time has 0:3"},
		"each other": {nil, map[string]drx.Spec{"b": intSpec([]int{4}, "q"), "c": intSpec([]int{5}, "q")}, ErrDim, "create variable c: dimension q: the new variable has 0:5, but b has 0:4"},
		"coordinate": {nil, map[string]drx.Spec{"x": intSpec([]int{4}, "x")}, ErrDim, "create variable x: dimension x: the new variable has 0:4, but a has 0:2"},
		"exists":     {nil, map[string]drx.Spec{"a": intSpec([]int{3}, "time")}, fs.ErrExist, "create variable a: "},
		"unknown":    {nil, map[string]drx.Spec{"b": intSpec(nil, "q")}, ErrDim, "the extent of dimension \"q\" is not known"},
		"hidden":     {nil, map[string]drx.Spec{".b": intSpec([]int{4}, "q")}, ErrVariable, "begin with a dot"},
		"group":      {map[string]map[string]any{"m/.n": nil}, nil, ErrGroup, "begin with a dot"},
		"names":      {nil, map[string]drx.Spec{"b": intSpec([]int{3, 3}, "time")}, drx.ErrRank, "1 names of dimensions for 2 extents"},
		"type":       {map[string]map[string]any{"g": nil}, map[string]drx.Spec{"a2": intSpec([]int{1}, ""), "b": bad}, drx.ErrDType, "b" + filepath.Ext(ds) + ": create: "},
		"made":       {nil, map[string]drx.Spec{"a2": intSpec([]int{1}, ""), "made": intSpec([]int{1}, "")}, fs.ErrExist, "made"},
	} {
		if err := d.CreateAll(c.groups, c.vars, nil); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	failed := errors.New("no more elements")
	if err := d.CreateAll(batchGroups, batchVars(), func(name string, _ *drx.Array) error {
		if name == "m/d" {
			return failed
		}
		return d.SetAttr("", "made", name)
	}); !errors.Is(err, failed) {
		t.Errorf("an error of fill: %v", err)
	}
	if now, err := describeBatch(d); now != before || err != nil {
		t.Errorf("after errors\n%s\nwant\n%s", now, before)
	}
	if err := errors.Join(d.Close(), drx.Remove(ds+"/made")); err != nil {
		t.Fatal(err)
	}
	if now, err := lookAt(ds, false); now != before || err != nil {
		t.Errorf("after errors\n%s\nwant\n%s", now, before)
	}
}

// Wherever the creation of many variables is interrupted, either all of them exist or none, for
// readers and for the next writer, which must then be able to create them.
func TestCrashOfCreateAll(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, func(t *testing.T, ds string) { testCrashOfBatch(t, ds, createBatch) })
}

// The same must hold for variables that are created one by one and become visible with the next
// Sync.
func TestCrashOfCreatePending(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, func(t *testing.T, ds string) { testCrashOfBatch(t, ds, createPendingBatch) })
}

func testCrashOfBatch(t *testing.T, ds string, createBatch func(ds string) error) {
	useDisk(t, vfstest.NewCrash())
	if err := prepareBatch(ds); err != nil {
		t.Fatal(err)
	}
	before, err := lookAt(ds, false)
	if err == nil {
		err = createBatch(ds)
	}
	if err != nil {
		t.Fatal(err)
	}
	after, err := lookAt(ds, false)
	if err != nil {
		t.Fatal(err)
	}
	operations, crashes, olds, news := crashesOf(t, ds), 0, 0, 0
	for k := 0; ; k++ {
		if !operations.Try() {
			continue
		}
		disk := vfstest.NewCrash()
		vfs.OS = disk
		if err := prepareBatch(ds); err != nil {
			t.Fatal(err)
		}
		disk.CrashAfter(k)
		made := createBatch(ds)
		if made != nil && !errors.Is(made, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, made)
		}
		policies := vfstest.Policies(3, uint64(k))
		disks := map[string]*vfstest.Crash{"killed": disk.Killed()}
		for name, policy := range policies {
			disks[name] = disk.After(policy)
		}
		for name, left := range disks {
			vfs.OS = left
			crashes++
			found, err := afterCreation(ds, before, after, createBatch)
			if err == nil && made == nil && found != after {
				err = errors.New("the creation had returned, but nothing is there")
			}
			if err != nil {
				t.Fatalf("operation %d, policy %s: %v", k, name, err)
			}
			if found == before {
				olds++
			} else {
				news++
			}
		}
		if made == nil {
			break
		}
	}
	t.Logf("%d crashes, %d times nothing was made, %d times all", crashes, olds, news)
	if olds < operations.Share(100) || news < operations.Share(10) {
		t.Error("does the test crash in between?")
	}
}

// afterCreation opens the dataset as a reader, as a writer, and after the writer has created the
// missing variables. It returns what the reader saw.
func afterCreation(ds, before, after string, createBatch func(ds string) error) (found string, err error) {
	if found, err = lookAt(ds, false); err != nil {
		return "", fmt.Errorf("a reader: %w", err)
	}
	if found != before && found != after {
		return "", fmt.Errorf("a reader sees\n%s", found)
	}
	if now, err := lookAt(ds, true); err != nil || now != found {
		return "", fmt.Errorf("a writer sees\n%s\na reader saw\n%s, %w", now, found, err)
	}
	if found == before {
		arrays, _, err := drx.List(ds)
		if err != nil || !slices.Equal(arrays, []string{Marker, "a", "time"}) {
			return "", fmt.Errorf("the writer has left %q, %w", arrays, err)
		}
		if err := createBatch(ds); err != nil {
			return "", err
		}
	}
	if now, err := lookAt(ds, false); err != nil || now != after {
		return "", fmt.Errorf("when it was completed\n%s\nwant\n%s, %w", now, after, err)
	}
	return found, nil
}

// Readers beside a writer that creates many variables at a time must see those of each step
// together.
func TestReadersBesideCreateAll(t *testing.T) { inBothForms(t, testReadersBesideCreateAll) }

func testReadersBesideCreateAll(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	d, err := Create(ds, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const each = 12
	steps := 15
	if drx.IsContainer(ds) { // each new array takes ten syncs
		steps = 5
	}
	var done atomic.Bool
	var wait sync.WaitGroup
	errs, checks := make(chan error, 3), new(atomic.Int64)
	for range 2 {
		wait.Go(func() { errs <- watchCreations(ds, each, &done, checks) })
	}
	wait.Go(func() {
		defer done.Store(true)
		for step := range steps {
			vars := map[string]drx.Spec{}
			for i := range each {
				vars[fmt.Sprintf("g%d/v%d", i%3, step*each+i)] = intSpec([]int{3}, "x")
			}
			if err := d.CreateAll(nil, vars, nil); err != nil {
				errs <- err
				return
			}
		}
		errs <- d.Close()
	})
	wait.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	r, err := Open(ds, drx.Options{})
	if err != nil || len(r.Variables()) != steps*each {
		t.Fatalf("%d variables, %v", len(r.Variables()), err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d checks", checks.Load())
	if checks.Load() < 5 {
		t.Errorf("only %d checks", checks.Load())
	}
}

// watchCreations opens the dataset repeatedly until the writer is done.
func watchCreations(ds string, each int, done *atomic.Bool, checks *atomic.Int64) error {
	for last := 0; ; {
		ended := done.Load()
		r, err := Open(ds, drx.Options{})
		if err != nil {
			return err
		}
		n := len(r.Variables())
		if n%each != 0 || n < last {
			return errors.Join(fmt.Errorf("%d variables after %d, want all %d of a step", n, last, each), r.Close())
		}
		last = n
		checks.Add(1)
		if err := r.Close(); err != nil || ended {
			return err
		}
	}
}

// A dataset that has released its variables must open them again, and keep none of their files
// open.
func TestRelease(t *testing.T) { inBothForms(t, testRelease) }

func testRelease(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	if err := errors.Join(prepareBatch(ds), createBatch(ds)); err != nil {
		t.Fatal(err)
	}
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	added, err := d.Extend("time", 2)
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Variable("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := drx.Fill(a.Array(), nd.Sec(added, nd.All), int32(8)); err != nil {
		t.Fatal(err)
	}
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	if len(d.vars) > 0 || len(d.markers) != 1 {
		t.Errorf("%d variables and %d groups are open", len(d.vars), len(d.markers))
	}
	again, err := d.Variable("a")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := drx.Read[int32](again.Array(), nd.Sec(nd.At(4), nd.All)); err != nil || !slices.Equal(got, []int32{8, 8}) {
		t.Errorf("%v, %v", got, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Release(); !errors.Is(err, drx.ErrClosed) {
		t.Errorf("of a closed dataset: %v", err)
	}
}
