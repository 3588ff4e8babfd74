package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"drx"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// If one operation of a Sync fails, the next Sync must make all changes. If it fails in Close, the
// next writer must find the dataset as it was before or after.
func TestFaultsOfSync(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testFaultsOfSync)
}

func testFaultsOfSync(t *testing.T, ds string) {
	failed := errors.New("no space")
	for _, from := range []int{1, 3} { // a dimension with a coordinate, and one without
		for _, retry := range []bool{true, false} {
			before, after := 0, 0
			for k := 0; ; k++ { // there are few enough to try all
				left := -1 // operations before the one that fails
				useDisk(t, &vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, _ string) error {
					if op != vfstest.OpWrite && op != vfstest.OpSync {
						return nil
					}
					if left--; left == -1 {
						return failed
					}
					return nil
				}})
				d, err := prepareState(ds, from)
				if err == nil {
					err = changeFrom(d, from)
				}
				if err != nil {
					t.Fatal(err)
				}
				left = k
				if retry {
					err = d.Sync()
				} else {
					err = d.Close()
				}
				hit := left < 0
				left = -1
				if !hit {
					break
				}
				if err != nil && !errors.Is(err, failed) {
					t.Fatalf("operation %d: %v", k, err)
				}
				if retry {
					err = errors.Join(d.Sync(), d.Close())
				} else {
					err = nil
				}
				found, _, lookErr := afterCrash(ds)
				if err = errors.Join(err, lookErr); err != nil || found != from+1 && (found != from || retry) {
					t.Fatalf("from state %d, operation %d, retry %v: state %d, %v", from, k, retry, found, err)
				}
				if found == from {
					before++
				} else {
					after++
				}
			}
			t.Logf("from state %d, retry %v: %d times the state before, %d the one after", from, retry, before, after)
			if after == 0 || (before == 0) != retry {
				t.Error("does the test fail operations in between?")
			}
		}
	}
}

// prepareState makes the dataset of a crash test in state s, and opens it for writing.
func prepareState(ds string, s int) (*Dataset, error) {
	if err := prepareCrash(ds); err != nil {
		return nil, err
	}
	d, err := Open(ds, drx.Options{Write: true})
	for from := 0; err == nil && from < s; from++ {
		err = growFrom(d, from)
	}
	return d, err
}

// Attributes that were set before CreateAll wait for a growth that is not committed yet; attributes
// that are set while it fills the variables do not. After a crash at any operation, everything that
// was committed together must be there together.
func TestCrashOfCreateAllWhileGrowing(t *testing.T) {
	enumtest.Single(t)
	inBothForms(t, testCrashOfCreateAllWhileGrowing)
}

func testCrashOfCreateAllWhileGrowing(t *testing.T, ds string) {
	seen := map[string]int{}
	operations := eachCrash(t, ds, prepareBatch, createWhileGrowing, func(bool) error {
		reader, err := summary(ds, false)
		if err != nil {
			return err
		}
		writer, err := summary(ds, true)
		if err != nil || writer != reader {
			return fmt.Errorf("a reader sees %s, the next writer %s, %w", reader, writer, err)
		}
		seen[reader]++
		return nil
	})
	t.Log(seen)
	for _, want := range []string{
		`0:3 a time map[]`,
		`0:3 a b time map[both:"b" filled:true]`,
		`0:5 a b time map[both:"b" filled:true held:true]`,
		`0:5 a b time x map[both:"b" filled:true held:true]`, // the coordinate waits for the growth
	} {
		if seen[want] < operations.Share(1) {
			t.Errorf("never seen: %s", want)
		}
		delete(seen, want)
	}
	if len(seen) > 0 {
		t.Errorf("seen, too: %v", seen)
	}
}

func createWhileGrowing(ds string) error {
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		return err
	}
	if _, err = d.Extend("time", 2); err == nil {
		err = errors.Join(d.SetAttr("", "held", true), d.SetAttr("", "both", "held"))
	}
	if err == nil {
		err = d.CreateAll(nil, map[string]drx.Spec{"b": intSpec(nil, "time", "x")}, func(name string, _ *drx.Array) error {
			return errors.Join(d.SetAttr("", "filled", true), d.SetAttr("", "both", name))
		})
	}
	if err == nil {
		_, err = d.CreateVariable("x", intSpec(nil, "x"))
	}
	if err != nil {
		_ = d.Discard() // the disk is gone
		return err
	}
	return d.Close()
}

// summary opens the dataset and returns the bounds of time, the variables and the attributes.
func summary(ds string, write bool) (string, error) {
	d, err := Open(ds, drx.Options{Write: write})
	if err != nil {
		return "", err
	}
	dim, err := d.Dim("time")
	attrs, attrsErr := d.Attrs("")
	texts := map[string]string{}
	for name, value := range attrs {
		texts[name] = string(value)
	}
	return fmt.Sprint(dim.Bounds, " ", strings.Join(d.Variables(), " "), " ", texts), errors.Join(err, attrsErr, d.Close())
}

// A wrong attribute must give an error when it is set, not when it is committed; Discard must drop
// attributes.
func TestAttrMistakes(t *testing.T) { inBothForms(t, testAttrMistakes) }

func testAttrMistakes(t *testing.T, ds string) {
	t.Chdir(t.TempDir())
	if err := prepareBatch(ds); err != nil {
		t.Fatal(err)
	}
	d, err := Open(ds, drx.Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		err  error
		is   error
		says string
	}{
		"empty": {d.SetAttr("", "", 1), fs.ErrInvalid, ds + `: attribute "": the name is empty`},
		"UTF-8": {d.SetAttr("", "a\xff", 1), fs.ErrInvalid, `attribute "a\xff": the name is not valid UTF-8`},
		"value": {d.SetAttr("", "a", func() {}), nil, `attribute "a": json: unsupported type`},
		"raw":   {d.SetAttr("", "a", json.RawMessage("{")), nil, `attribute "a": json: `},
		"own":   {d.SetAttr("", heldAttr, 1), drx.ErrReadOnly, "the dataset's own"},
	} {
		if c.err == nil || c.is != nil && !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", name, c.err, c.says)
		}
	}
	if err := errors.Join(d.SetAttr("", "a", "<&>"), d.DeleteAttr("", "none"), d.Discard()); err != nil {
		t.Fatal(err)
	}
	if got, err := summary(ds, false); got != "0:3 a time map[]" || err != nil {
		t.Errorf("after Discard: %s, %v", got, err)
	}
}
