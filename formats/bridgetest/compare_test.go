package bridgetest

import (
	"errors"
	"maps"
	"testing"

	"drx/formats"
)

// Arrays that the reference reads must be read, or be listed as refused for that reason.
func TestRefusals(t *testing.T) {
	listed := formats.Content{Vars: []formats.Info{{Name: "v"}, {Name: "g/w", Refused: "it is virtual"}}}
	if got := refusals(listed, nil); !maps.Equal(got, map[string]string{"g/w": "it is virtual"}) {
		t.Error(got)
	}
	if got := refusals(listed, errors.New("damaged")); !maps.Equal(got, map[string]string{"": "damaged"}) {
		t.Error(got)
	}
	b := &Bridge{Refuses: map[string]string{"a.h5 g/w": "virtual"}}
	for _, c := range []struct {
		path, name, reason string
		want               bool
	}{
		{"/data/a.h5", "g/w", "it is virtual", true},
		{"/data/a.h5", "g/w", "HDF5: no such filter", false},
		{"/data/a.h5", "v", "it is virtual", false},
		{"/data/b.h5", "g/w", "it is virtual", false},
		{"/data/b.h5", "g/w", "", false},
	} {
		if got := b.mayRefuse(c.path, c.name, c.reason); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
