package dataset

import (
	"encoding/json"
	"path"

	"drx"
)

// HomeAttr begins the names of attributes of an array that say which dimension of the dataset a
// dimension of the array is, with its path: dataset.dim/lat = "coords/lat". They are needed where
// the rule of names, see Dim, would find another one: for a dimension of a group that has the name
// of an outer one, and for a coordinate in a group that is not around the array. One that names
// neither a coordinate nor a dimension of a folder around the array has no effect.
const HomeAttr = "dataset.dim/"

// homesOf returns the dimensions that the attributes of an array name, by their own names.
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
