package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"drx"
	"drx/nd"
)

// Readers beside a dataset that grows must see all elements of every variable, up to the bounds of
// the coordinate, and no attributes of a later growth, whether they open the dataset anew or
// refresh it.
func TestReadersBesideAWriter(t *testing.T) { inBothForms(t, testReadersBesideAWriter) }

func testReadersBesideAWriter(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	d, err := Create(ds, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"time", "a", "b", "c"}
	for i, name := range names {
		if i == 0 {
			create(t, d, name, []int{0}, "time")
			continue
		}
		create(t, d, name, []int{0, 5}, "time", "x")
	}
	var done atomic.Bool
	var wait sync.WaitGroup
	errs := make(chan error, 3)
	checks := new(atomic.Int64)
	for range 2 {
		wait.Go(func() { errs <- watch(ds, names, &done, checks) })
	}
	wait.Go(func() {
		defer done.Store(true)
		errs <- errors.Join(growWhile(d, names, 120), d.Close())
	})
	wait.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d checks", checks.Load())
	if checks.Load() < 20 {
		t.Errorf("only %d checks", checks.Load())
	}
}

// growWhile grows the dataset in steps. Every element is the time index plus 1.
func growWhile(d *Dataset, names []string, steps int) error {
	for step := range steps {
		added, err := d.Extend("time", 1+step%3)
		if err != nil {
			return err
		}
		for _, name := range names {
			v, err := d.Variable(name)
			if err != nil {
				return err
			}
			for i := added.Lo; i < added.Hi; i++ {
				sec := append(nd.Section{nd.At(i)}, v.Array().Bounds()[1:]...)
				if err := drx.Fill(v.Array(), sec, int32(i+1)); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(d.SetAttr("", "extent", added.Hi), d.Sync()); err != nil {
			return err
		}
	}
	return nil
}

// watch reads the dataset repeatedly until the writer is done.
func watch(ds string, names []string, done *atomic.Bool, checks *atomic.Int64) error {
	last := 0
	for {
		ended := done.Load()
		r, err := Open(ds, drx.Options{})
		if err != nil {
			return err
		}
		for range 5 {
			hi, err := checkAll(r, names)
			if err == nil && hi < last {
				err = fmt.Errorf("time had %d indices, and now has %d", last, hi)
			}
			if err == nil {
				last = hi
				checks.Add(1)
				err = r.Refresh()
			}
			if err != nil {
				return errors.Join(err, r.Close())
			}
		}
		if err := r.Close(); err != nil || ended {
			return err
		}
	}
}

// checkAll checks all elements, and returns the extent of time.
func checkAll(r *Dataset, names []string) (int, error) {
	time, err := r.Dim("time")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		v, err := r.Variable(name)
		if err != nil {
			return 0, err
		}
		if got := v.Bounds()[0]; got != time.Bounds {
			return 0, fmt.Errorf("%s has time %v, the dataset %v", name, got, time.Bounds)
		}
		values, err := drx.Read[int32](v.Array(), v.Bounds())
		if err != nil {
			return 0, err
		}
		row := 1
		if len(v.Dims()) > 1 {
			row = 5
		}
		for i, x := range values {
			if int(x) != i/row+1 {
				return 0, fmt.Errorf("%s has %d at time %d", name, x, i/row)
			}
		}
	}
	attrs, err := r.Attrs("")
	if err != nil {
		return 0, err
	}
	extent := 0
	if raw := attrs["extent"]; raw != nil {
		err = json.Unmarshal(raw, &extent)
	}
	if extent > time.Bounds.Hi {
		return 0, fmt.Errorf("the attributes are those of %d times, but there are %d", extent, time.Bounds.Hi)
	}
	return time.Bounds.Hi, err
}
