package transfer

import (
	"path"
	"slices"
	"strings"

	"drx/dataset"
	"drx/formats"
)

// homes returns, for the dimensions of a variable, those of the dataset which the rule of names
// would not find: a file says which dimension is meant, and a dataset has only names and folders.
// "" stands for a dimension that the rule finds.
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
	var nearest, coordinate string // the coordinate of the name that the rule finds, and that of dim
	var count int                  // of the coordinates of dim
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

// encloses reports whether a group is another one or around it.
func encloses(outer, group string) bool {
	return outer == "." || outer == group || strings.HasPrefix(group, outer+"/")
}

// setHomes adds the attributes that name the dimensions of a variable where their names do not.
func setHomes(attrs map[string]any, v formats.Info, all []formats.Info) {
	for d, full := range homes(v, all) {
		if full != "" {
			attrs[dataset.HomeAttr+path.Base(v.Dims[d])] = full
		}
	}
}
