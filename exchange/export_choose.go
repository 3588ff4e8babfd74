package exchange

import (
	"fmt"
	"slices"
	"strings"

	"drx/dataset"
	"drx/internal/wording"
)

// A chosenVar is a variable to be exported. An optional one is left out if the format has no place for it.
type chosenVar struct {
	name     string
	optional bool
}

// chooseVars returns the variables to be exported.
func (o *exporter) chooseVars(d *dataset.Dataset, names []string) (chosen []chosenVar, err error) {
	all := d.Variables()
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the dataset has no variables: %w", d.Folder(), dataset.ErrVariable)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, wrongOption("--var %s: %s has no such variable%s: it has %s", name, d.Folder(), wording.DidYouMean("", name, all), strings.Join(all, ", "))
		}
	}
	dims := map[string]bool{}
	for _, name := range names {
		v, err := d.Variable(name)
		if err != nil {
			return nil, err
		}
		for _, dim := range v.Dims() {
			dims[dim] = true
		}
	}
	data := 0
	for _, name := range all {
		if len(names) == 0 || slices.Contains(names, name) {
			v, err := d.Variable(name)
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, chosenVar{name, v.IsCoordinate() && !slices.Contains(names, name)})
			if !v.IsCoordinate() {
				data++
			}
		} else if dims[name] {
			chosen = append(chosen, chosenVar{name, true})
		}
	}
	if data == 0 { // coordinates alone
		for i := range chosen {
			chosen[i].optional = false
		}
	}
	return chosen, nil
}
