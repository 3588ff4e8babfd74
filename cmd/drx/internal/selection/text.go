package selection

import (
	"strings"

	"drx/cube"
)

// SelectionText returns a selection in the form of --section. The ranges of a dimension with
// several of them are separated by a vertical bar.
func SelectionText(sel cube.Selection) string {
	dims := make([]string, len(sel))
	for d, x := range sel {
		ranges := make([]string, len(x))
		for i, r := range x {
			ranges[i] = r.String()
		}
		dims[d] = strings.Join(ranges, "|")
	}
	return strings.Join(dims, ",")
}

// FormatIndices formats indices for people: 0:3, or 0:3|5:6.
func FormatIndices(x cube.Indices) string {
	parts := make([]string, len(x))
	for i, r := range x {
		parts[i] = r.String()
	}
	return strings.Join(parts, "|")
}

// FormatSelection formats a selection for people: 0:3,5:6, or 0:3|7:8,5:6.
func FormatSelection(sel cube.Selection) string {
	parts := make([]string, len(sel))
	for d, x := range sel {
		parts[d] = FormatIndices(x)
	}
	return strings.Join(parts, ",")
}
