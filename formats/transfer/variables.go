package transfer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"drx/formats"
	"drx/internal/wording"
)

// isCoordinateVar reports whether a variable is the coordinate of its dimension.
func isCoordinateVar(v formats.Info) bool {
	return len(v.Shape) == 1 && len(v.Dims) == 1 && v.Dims[0] != "" && path.Base(v.Dims[0]) == path.Base(v.Name)
}

// ownDims returns the names of a variable's dimensions without the paths of groups. A repeated name
// becomes empty from its second occurrence on.
func ownDims(v formats.Info) []string {
	dims := make([]string, len(v.Shape))
	for d, name := range v.Dims {
		if name != "" && !slices.Contains(dims[:d], path.Base(name)) {
			dims[d] = path.Base(name)
		}
	}
	return dims
}

// namedVars returns the names of variables that others name in the given CF attributes.
func namedVars(vars []formats.Info, attrs ...string) map[string]bool {
	named := map[string]bool{}
	for _, v := range vars {
		for _, attr := range attrs {
			text, _ := v.Attrs[attr].(string)
			for word := range strings.FieldsSeq(text) {
				named[strings.TrimSuffix(word, ":")] = true
			}
		}
	}
	return named
}

// inVariable returns the beginning of an error about a variable, with its name. It is empty for a
// variable without a name, such as a raster's, which is the only one of its file.
func inVariable(v formats.Info) string {
	if v.Name == "" {
		return ""
	}
	return "variable " + wording.Printable(v.Name) + ": "
}

// listVars lists the names of variables for an error.
func listVars(vars []formats.Info) string {
	var names []string
	for _, v := range vars {
		names = append(names, wording.Printable(v.Name))
	}
	if len(names) > 20 {
		names = append(names[:20], fmt.Sprintf("and %d others", len(names)-20))
	}
	if strings.Join(names, "") == "" {
		return "one variable without a name"
	}
	return strings.Join(names, ", ")
}
