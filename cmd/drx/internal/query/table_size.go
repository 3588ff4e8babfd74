package query

import (
	"fmt"

	"drx"
)

// maxTableElements is the largest number of elements in a block of a table. tabwriter holds a whole
// block in memory to align its columns.
const maxTableElements = 1 << 22

// checkTable returns an error if a table has too many elements.
func checkTable(a *drx.Array, rows, cols int) error {
	if rows == 0 || cols <= maxTableElements/rows {
		return nil
	}
	return fmt.Errorf("%s: a table of %d rows and %d columns has more than %d elements; choose fewer with --section or --limit, or use --csv or -o",
		a.Name(), rows, cols, maxTableElements)
}
