package transfer

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"drx/dataset"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/optionerr"
)

// A chosenVar is a variable to be exported. An optional one is left out if the format cannot hold
// it.
type chosenVar struct {
	name     string
	optional bool
}

// chooseVars returns the variables to be exported.
func (o *exporter) chooseVars(d *dataset.Dataset, names []string) (chosen []chosenVar, err error) {
	all := d.Variables()
	if len(all) == 0 {
		return nil, errkind.Errorf(dataset.ErrVariable, "%s: the dataset has no variables", d.Folder())
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, optionerr.Wrong("var", name, "%s has no such variable%s: it has %s", d.Folder(), wording.DidYouMean("", name, all), strings.Join(all, ", "))
		}
	}
	described, err := describers(d, all, names)
	if err != nil {
		return nil, err
	}
	data := 0
	for _, name := range all {
		if len(names) == 0 || slices.Contains(names, name) {
			v, err := d.Variable(name)
			if err != nil {
				return nil, err
			}
			optional := (v.IsCoordinate() || described[name]) && !slices.Contains(names, name)
			chosen = append(chosen, chosenVar{name, optional})
			if !optional || v.IsCoordinate() && slices.Contains(names, name) {
				data++
			}
		} else if described[name] {
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

// describers returns the variables that describe others: coordinates, auxiliary ones included, grid
// mappings, and bounds of coordinates. names are the described variables; empty means all.
func describers(d *dataset.Dataset, all, names []string) (map[string]bool, error) {
	found := map[string]bool{}
	queue := slices.Clone(names)
	if len(names) == 0 {
		queue = all
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		v, err := d.Variable(name)
		if err != nil {
			return nil, err
		}
		attrs := v.Array().Attrs()
		related := append(attrWords(attrs["grid_mapping"]), attrWords(attrs["coordinates"])...)
		if v.IsCoordinate() {
			related = append(related, attrWords(attrs["bounds"])...)
			related = append(related, attrWords(attrs["climatology"])...)
		}
		if len(names) > 0 {
			related = append(related, v.Dims()...)
		}
		for _, word := range related {
			other := nearestName(all, path.Dir(name), word)
			if word == "" || other == "" || found[other] || slices.Contains(names, other) {
				continue
			}
			found[other] = true
			if len(names) > 0 {
				queue = append(queue, other)
			}
		}
	}
	return found, nil
}

// attrWords returns the words of an attribute that names variables, without colons.
func attrWords(raw json.RawMessage) (words []string) {
	var text string
	_ = json.Unmarshal(raw, &text) // an attribute that is no text names nothing
	for word := range strings.FieldsSeq(text) {
		words = append(words, strings.TrimSuffix(word, ":"))
	}
	return words
}

// nearestName returns the variable that a name denotes in a folder: the one in that folder, or else
// in the nearest enclosing folder; "" if there is none.
func nearestName(all []string, folder, name string) string {
	for {
		if full := path.Join(folder, name); slices.Contains(all, full) {
			return full
		}
		if folder == "." || folder == "/" {
			return ""
		}
		folder = path.Dir(folder)
	}
}
