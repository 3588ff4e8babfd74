package transfer

import (
	"cmp"
	"fmt"

	"drx/internal/wording"
)

// DescribeShape formats extents with the names of their dimensions: (time 24, lat 721, 5).
func DescribeShape(dims []string, shape []int) string {
	text := "("
	for d, n := range shape {
		if d > 0 {
			text += ", "
		}
		if d < len(dims) && dims[d] != "" {
			text += wording.Printable(dims[d]) + " "
		}
		text += fmt.Sprint(n)
	}
	return cmp.Or(text, "(") + ")"
}
