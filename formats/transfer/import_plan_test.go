package transfer

import (
	"errors"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// Variables that can be read are chosen, the others are named; a name that is not there is an error.
func TestChoose(t *testing.T) {
	f := &importFile{name: "a.nc", content: formats.Content{Vars: []formats.Info{
		{Name: "rain", DType: dtype.Int16, Shape: []int{2}, Dims: []string{"time"}},
		{Name: "time", DType: dtype.Int32, Shape: []int{2}, Dims: []string{"time"}},
		{Name: "snow", DType: dtype.Int16, Shape: []int{3}, Dims: []string{"place"}},
		{Name: "odd", Refused: "an odd type"},
	}}}
	names := func(vars []formats.Info) (all []string) {
		for _, v := range vars {
			all = append(all, v.Name)
		}
		return all
	}
	vars, refused, err := (&planner{}).choose(f)
	if err != nil || len(vars) != 3 || len(refused) != 1 || refused[0].Name != "odd" {
		t.Errorf("all: %v, %+v, %v", names(vars), refused, err)
	}
	one := &planner{ImportOptions: ImportOptions{Vars: []string{"rain"}}}
	if vars, _, err = one.choose(f); err != nil || len(vars) != 2 || vars[0].Name != "rain" || vars[1].Name != "time" {
		t.Errorf("one with its coordinate: %v, %v", names(vars), err)
	}
	none := &planner{ImportOptions: ImportOptions{Vars: []string{"hail"}}}
	if _, _, err := none.choose(f); !errors.Is(err, ErrOption) {
		t.Errorf("one that is not there: %v", err)
	}
}
