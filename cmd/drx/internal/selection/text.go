package selection

import (
	"strings"

	"drx/cube"
)

// FormatIndices formats indices for people: 0:3, or 0:3|5:6.
func FormatIndices(x cube.Indices) string {
	parts := make([]string, len(x))
	for i, r := range x {
		parts[i] = r.String()
	}
	return strings.Join(parts, "|")
}

// FormatSelection formats a selection in the form of --section: 0:3,5:6, or 0:3|7:8,5:6 if a
// dimension has several ranges.
func FormatSelection(sel cube.Selection) string {
	parts := make([]string, len(sel))
	for d, x := range sel {
		parts[d] = FormatIndices(x)
	}
	return strings.Join(parts, ",")
}
