package dataset

import (
	"encoding/json"
	"path"

	"drx"
)

// HomeAttr begins the names of attributes that assign a dimension of an array to a dimension of the
// dataset, given by its path: dataset.dim/lat = "coords/lat". They are needed where the rule of
// names, see Dim, would choose another one: for a dimension of a group with the name of an outer
// dimension, and for a coordinate in a group that does not enclose the array. An attribute that
// names neither a coordinate nor a dimension of an enclosing folder has no effect.
const HomeAttr = "dataset.dim/"

// homesOf returns the attributes with HomeAttr of an array, by the own names of its dimensions.
func homesOf(a *drx.Array) (homes map[string]string) {
	for _, own := range a.Dims() {
		var full string
		if found, err := a.Attr(HomeAttr+own, &full); found && err == nil {
			homes = withHome(homes, own, full)
		}
	}
	return homes
}

// homesIn is homesOf for an array that does not exist yet.
func homesIn(spec drx.Spec) (homes map[string]string) {
	for _, own := range spec.Dims {
		var full string
		raw, err := json.Marshal(spec.Attrs[HomeAttr+own])
		if err == nil && json.Unmarshal(raw, &full) == nil {
			homes = withHome(homes, own, full)
		}
	}
	return homes
}

func withHome(homes map[string]string, own, full string) map[string]string {
	full = path.Clean("/" + full)[1:]
	if own == "" || path.Base(full) != own {
		return homes
	}
	if homes == nil {
		homes = map[string]string{}
	}
	homes[own] = full
	return homes
}
