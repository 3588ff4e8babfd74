package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"testing"

	"drx"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// useDisk makes arrays use a file system until the test ends.
func useDisk(t *testing.T, disk vfs.FS) {
	t.Helper()
	before := vfs.OS
	vfs.OS = disk
	t.Cleanup(func() { vfs.OS = before })
}

// The states of a dataset in a crash test are numbered: in state s, time has the bounds of
// crashStates[s], and every element at time index i is 100*i + the variable's number, also in the
// coordinate, whose number is 0.
var crashStates = []struct{ time, x nd.Range }{
	{nd.Span(0, 0), nd.Span(0, 2)},
	{nd.Span(0, 3), nd.Span(0, 2)},
	{nd.Span(-2, 3), nd.Span(0, 2)},
	{nd.Span(-2, 9), nd.Span(0, 2)},
	{nd.Span(-2, 9), nd.Span(-1, 2)}, // x has no coordinate
	{nd.Span(-2, 10), nd.Span(-1, 2)},
	{nd.Span(-2, 7), nd.Span(-1, 2)},
	{nd.Span(0, 7), nd.Span(-1, 2)},
	{nd.Span(0, 7), nd.Span(-1, 1)},
}

// crashAttrs are the attributes of the dataset in state s. They change with each growth, but not
// with a removal.
func crashAttrs(s int) map[string]string {
	if s == 0 {
		return map[string]string{}
	}
	if s = min(s, 5); s%2 == 0 {
		return map[string]string{"state": fmt.Sprint(s)}
	}
	return map[string]string{"state": fmt.Sprint(s), "odd": "true"}
}

// setCrashAttrs changes the attributes to those of state s.
func setCrashAttrs(d *Dataset, s int) error {
	err := d.DeleteAttr("", "odd")
	for name, value := range crashAttrs(s) {
		err = errors.Join(err, d.SetAttr("", name, json.RawMessage(value)))
	}
	if err != nil {
		return err
	}
	return checkCrashAttrs(d, s) // the writer sees them at once
}

// checkCrashAttrs compares the attributes with those of state s.
func checkCrashAttrs(d *Dataset, s int) error {
	attrs, err := d.Attrs("")
	if err != nil {
		return err
	}
	got := map[string]string{}
	for name, value := range attrs {
		got[name] = string(value)
	}
	if want := crashAttrs(s); !maps.Equal(got, want) {
		return fmt.Errorf("state %d: attributes %v, want %v", s, got, want)
	}
	return nil
}

var crashVars = []string{"time", "a", "b", "g/c"} // by their numbers

// prepareCrash makes the dataset ds of a crash test, in state 0.
func prepareCrash(ds string) error {
	d, err := Create(ds, drx.Options{})
	if err != nil {
		return err
	}
	if err := d.CreateGroup("g"); err != nil {
		return err
	}
	for i, name := range crashVars {
		spec := intSpec([]int{0}, "time")
		if i > 0 {
			spec = intSpec([]int{0, 2}, "time", "x")
		}
		if i%2 == 1 { // every other array is in one file
			name += drx.OneFileExt
		}
		if _, err := d.CreateVariable(name, spec); err != nil {
			return err
		}
	}
	return d.Close()
}

// growFrom makes the changes from state s to the next one, and commits.
func growFrom(d *Dataset, s int) error {
	if err := changeFrom(d, s); err != nil {
		return err
	}
	return d.Sync()
}

// changeFrom makes the changes from state s to the next one: it grows the dataset and writes the
// new elements, without a commit. It commits a removal at once.
func changeFrom(d *Dataset, s int) error {
	from, to := crashStates[s], crashStates[s+1]
	if s < 5 {
		if err := setCrashAttrs(d, s+1); err != nil {
			return err
		}
	}
	for _, g := range []struct {
		dim      string
		from, to nd.Range
	}{{"time", from.time, to.time}, {"x", from.x, to.x}} {
		if by := g.from.Lo - g.to.Lo; by > 0 {
			if _, err := d.ExtendLow(g.dim, by); err != nil {
				return err
			}
		}
		if by := g.to.Hi - g.from.Hi; by > 0 {
			if _, err := d.Extend(g.dim, by); err != nil {
				return err
			}
		}
		if by := g.from.Hi - g.to.Hi; by > 0 {
			return d.Shrink(g.dim, by) // without other changes
		}
		if by := g.to.Lo - g.from.Lo; by > 0 {
			return d.ShrinkLow(g.dim, by)
		}
	}
	for n, name := range crashVars {
		v, err := d.Variable(name)
		if err != nil {
			return err
		}
		for i := to.time.Lo; i < to.time.Hi; i++ {
			sec := append(nd.Section{nd.At(i)}, v.Array().Bounds()[1:]...)
			if err := drx.Fill(v.Array(), sec, int32(100*i+n)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stateOf returns the state of a dataset. It returns an error if the dataset is in none, or if an
// element is wrong.
func stateOf(d *Dataset) (int, error) {
	time, err := d.Dim("time")
	if err != nil {
		return 0, err
	}
	x, err := d.Dim("x")
	if err != nil {
		return 0, err
	}
	state := -1
	for s, want := range crashStates {
		if time.Bounds == want.time && x.Bounds == want.x {
			state = s
		}
	}
	if state < 0 {
		return 0, fmt.Errorf("time %v and x %v", time.Bounds, x.Bounds)
	}
	if err := checkCrashAttrs(d, state); err != nil {
		return 0, err
	}
	for n, name := range crashVars {
		v, err := d.Variable(name)
		if err != nil {
			return 0, err
		}
		want := nd.Section{time.Bounds}
		if n > 0 {
			want = nd.Section{time.Bounds, x.Bounds}
		}
		if got := v.Bounds(); got.String() != want.String() {
			return 0, fmt.Errorf("state %d: %s has %v, want %v", state, name, got, want)
		}
		for i := want[0].Lo; i < want[0].Hi; i++ {
			got, err := drx.Read[int32](v.Array(), append(nd.Section{nd.At(i)}, want[1:]...))
			if err != nil {
				return 0, err
			}
			for _, value := range got {
				if value != int32(100*i+n) {
					return 0, fmt.Errorf("state %d: %s has %d at time %d, want %d", state, name, value, i, 100*i+n)
				}
			}
		}
	}
	return state, nil
}

// Wherever a writer crashes, readers must see the dataset as it was after the last Sync or after
// the one in progress: the same bounds in all variables, the attributes that belong to them, and
// all elements. The next writer must see the same, find nothing left over, and be able to continue.
func TestCrash(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCrash)
}

func testCrash(t *testing.T, ds string) {
	seen := make([]int, len(crashStates)) // how often each state was found
	rolledBack, crashes, synced := 0, 0, 0
	grow := func(ds string) (err error) {
		synced, err = growUntilCrash(ds)
		return err
	}
	eachCrash(t, ds, prepareCrash, grow, func(bool) error {
		crashes++
		found, back, err := afterCrash(ds)
		if err == nil && found != synced && found != synced+1 {
			err = fmt.Errorf("found state %d, but Sync had returned for %d", found, synced)
		}
		if err != nil {
			return err
		}
		seen[found]++
		rolledBack += back
		return nil
	})
	t.Logf("%d crashes, states found %v, %d variables rolled back", crashes, seen, rolledBack)
	for s, n := range seen {
		if n == 0 {
			t.Errorf("state %d was never found", s)
		}
	}
	if rolledBack == 0 {
		t.Error("no variable was rolled back: does the test crash between two variables?")
	}
}

// growUntilCrash leads the dataset through all states, and returns the last one whose Sync has
// returned.
func growUntilCrash(ds string) (synced int, err error) {
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return 0, err
	}
	for s := range len(crashStates) - 1 {
		if err := growFrom(d, s); err != nil {
			_ = d.Discard() // the disk is gone
			return s, err
		}
	}
	return len(crashStates) - 1, d.Close()
}

// afterCrash checks the dataset for a reader, for a writer, and for a reader beside the writer. It
// returns the state, and the number of variables that the writer had to roll back.
func afterCrash(ds string) (state, rolledBack int, err error) {
	r, err := Open(ds, drx.Options{})
	if err != nil {
		return 0, 0, err
	}
	if state, err = stateOf(r); err != nil {
		return 0, 0, fmt.Errorf("a reader: %w", err)
	}
	for _, name := range crashVars {
		v, err := r.Variable(name)
		if err != nil {
			return 0, 0, err
		}
		if v.Bounds().String() != v.Array().Bounds().String() {
			rolledBack++
		}
	}
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return 0, 0, err
	}
	for _, name := range crashVars {
		v, err := d.Variable(name)
		if err != nil {
			return 0, 0, err
		}
		if got, want := v.Array().Bounds().String(), v.Bounds().String(); got != want {
			return 0, 0, fmt.Errorf("%s has %s for the next writer, want %s", name, got, want)
		}
	}
	if now, err := stateOf(d); now != state || err != nil {
		return 0, 0, fmt.Errorf("the next writer sees state %d, want %d: %w", now, state, err)
	}
	next := min(state+1, len(crashStates)-1)
	if next > state {
		if err := growFrom(d, state); err != nil {
			return 0, 0, err
		}
	}
	if err := d.Close(); err != nil {
		return 0, 0, err
	}
	if err := r.Refresh(); err != nil {
		return 0, 0, err
	}
	if now, err := stateOf(r); now != next || err != nil {
		return 0, 0, fmt.Errorf("refreshed: state %d, want %d: %w", now, next, err)
	}
	return state, rolledBack, r.Close()
}

// Wherever the creation of a dataset and of its variables is interrupted, it must be possible to
// open or to create it.
func TestCrashOfCreation(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCrashOfCreation)
}

func testCrashOfCreation(t *testing.T, ds string) {
	operations := crashesOf(t, ds)
	for k := 0; ; k++ {
		if !operations.Try() {
			continue
		}
		disk := vfstest.NewCrash()
		useDisk(t, disk)
		disk.CrashAfter(k)
		err := prepareCrash(ds)
		if err != nil && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatalf("operation %d: %v", k, err)
		}
		for name, policy := range vfstest.Policies(3, uint64(k)) {
			vfs.OS = disk.After(policy)
			d, openErr := Open(ds, drx.Options{Write: true})
			if errors.Is(openErr, fs.ErrNotExist) {
				d, openErr = Create(ds, drx.Options{})
			}
			if openErr != nil {
				t.Fatalf("operation %d, policy %s: %v", k, name, openErr)
			}
			vars := len(d.Variables())
			if err == nil && vars != len(crashVars) {
				t.Fatalf("operation %d, policy %s: %d variables", k, name, vars)
			}
			createErr := d.CreateGroup("g")
			for i, name := range crashVars {
				spec := intSpec([]int{0, 2}, "time", "x")
				if i == 0 {
					spec = intSpec([]int{0}, "time")
				}
				if d.scan.vars[name] == nil && createErr == nil {
					_, createErr = d.CreateVariable(name, spec)
				}
			}
			if err := errors.Join(createErr, growFrom(d, 0), d.Close()); err != nil {
				t.Fatalf("operation %d, policy %s, with %d variables: %v", k, name, vars, err)
			}
		}
		if err == nil {
			break
		}
	}
}
