package endmember_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"drx/hyper/endmember"
	"drx/hyper/option"
	"drx/optionerr"
)

// TestKinds: every method is registered under its name, its defaults are valid, and Fresh keeps
// exactly its own options.
func TestKinds(t *testing.T) {
	if len(endmember.Kinds()) != len(all(2)) || !slices.IsSorted(option.Names(endmember.Kinds())) {
		t.Errorf("methods %v", option.Names(endmember.Kinds()))
	}
	for _, m := range all(2) {
		if !slices.Contains(endmember.Kinds(), m.Kind()) {
			t.Errorf("%T is not registered", m)
		}
	}
	for _, kind := range endmember.Kinds() {
		m, err := endmember.New(kind.Name)
		if err != nil || m.Kind() != kind || kind.Help == "" || strings.ContainsAny(kind.Help, "\n`") {
			t.Errorf("%s: %+v, error %v", kind.Name, m, err)
			continue
		}
		own := m.OwnOptions()
		if err := option.Check(own); err != nil {
			t.Errorf("%s: default %v", kind.Name, err)
		}
		for i, o := range own {
			if strings.Count(o.Help, "`") != 2 {
				t.Errorf("%s: help of %s: %q", kind.Name, o.Name, o.Help)
			}
			if err := o.Set([]string{"3", "5", "7", "9"}[i]); err != nil {
				t.Errorf("%s: %v", kind.Name, err)
			}
		}
		fresh := m.Fresh(endmember.Options{})
		if !reflect.DeepEqual(fresh, m) || fresh == m {
			t.Errorf("%s: %+v became %+v", kind.Name, m, fresh)
		}
	}
	var wrong *optionerr.Error
	if _, err := endmember.New("nfinder"); !errors.As(err, &wrong) || wrong.Option != "method" || !strings.Contains(err.Error(), "want amee, atgp, ") {
		t.Errorf("error %v", err)
	}
}
