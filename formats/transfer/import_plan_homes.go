package transfer

import (
	"path"
	"slices"
	"strings"

	"drx/dataset"
	"drx/formats"
)

// homes returns, for each dimension of a variable, the full name of the dimension in the dataset,
// or "" if the rule of names finds it. A file states which dimension a variable has; a dataset
// finds it by name, in the variable's folder or the nearest enclosing one, which may give another.
func homes(v formats.Info, all []formats.Info) []string {
	found := make([]string, len(v.Dims))
	for d, dim := range v.Dims {
		if own := path.Base(dim); dim != "" && !slices.Contains(ownDims(v)[:d], own) {
			found[d] = home(v, dim, all)
		}
	}
	return found
}

// home is homes for one dimension.
func home(v formats.Info, dim string, all []formats.Info) string {
	group, own := path.Dir(v.Name), path.Base(dim)
	var nearest, coordinate string // coordinates: by the rule of names, and of dim
	var count int                  // number of coordinates of dim
	clash := false                 // the rule would find another dimension
	for _, w := range all {
		outer := encloses(path.Dir(w.Name), group)
		isCoordinate := isCoordinateVar(w) && path.Base(w.Name) == own
		if outer && isCoordinate && len(w.Name) > len(nearest) {
			nearest = w.Name
		}
		if isCoordinate && w.Dims[0] == dim {
			count++
			if coordinate == "" || outer && len(w.Name) > len(coordinate) {
				coordinate = w.Name
			}
		}
		clash = clash || outer && slices.ContainsFunc(w.Dims, func(other string) bool {
			return other != dim && other != "" && path.Base(other) == own
		})
	}
	switch {
	case coordinate != "" && (encloses(path.Dir(coordinate), group) || count == 1):
		if coordinate == nearest {
			return ""
		}
		return coordinate
	case clash:
		return dim
	}
	return ""
}

// encloses reports whether outer is group or encloses it.
func encloses(outer, group string) bool {
	return outer == "." || outer == group || strings.HasPrefix(group, outer+"/")
}

// setHomes adds an attribute for each dimension of a variable that the rule of names would not
// find.
func setHomes(attrs map[string]any, v formats.Info, all []formats.Info) {
	for d, full := range homes(v, all) {
		if full != "" {
			attrs[dataset.HomeAttr+path.Base(v.Dims[d])] = full
		}
	}
}
