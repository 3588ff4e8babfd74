package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Attributes after random changes equal a map with the same changes; earlier Attributes are
// unchanged.
func TestAttributesAreAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	type version struct {
		attrs Attributes
		want  map[string]json.RawMessage
	}
	all := []version{{want: map[string]json.RawMessage{}}}
	for range 2000 {
		v := all[max(0, len(all)-1-rng.IntN(3))]
		want := maps.Clone(v.want)
		switch name := fmt.Sprint(rng.IntN(60)); rng.IntN(3) {
		case 0:
			other := fmt.Sprint(rng.IntN(60))
			v.attrs = v.attrs.without([]string{name, other})
			delete(want, name)
			delete(want, other)
		default:
			set := map[string]json.RawMessage{name: json.RawMessage(fmt.Sprint(len(all)))}
			v.attrs = v.attrs.with(set)
			maps.Copy(want, set)
		}
		all = append(all, version{v.attrs, want})
	}
	for i, v := range all {
		if diff := cmp.Diff(v.want, v.attrs.Map()); diff != "" {
			t.Fatalf("after %d changes (-want +got):\n%s", i, diff)
		}
		for n := range 60 {
			name := fmt.Sprint(n)
			if _, want := v.want[name]; v.attrs.Has(name) != want {
				t.Fatalf("after %d changes: has %q is %v, want %v", i, name, !want, want)
			}
		}
	}
}
