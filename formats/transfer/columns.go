package transfer

import (
	"fmt"
	"slices"

	"drx"
	"drx/formats"
	"drx/internal/wording"
)

// columnsAttr has the names of the columns of a table; see package formats.
const columnsAttr = "columns"

// sameColumns returns an error if a table names its columns, and not as an array does.
func sameColumns(a *drx.Array, v formats.Info) error {
	value, has := v.Attrs[columnsAttr]
	list, _ := value.([]any)
	if !has || len(v.Shape) != a.Rank() {
		return nil
	}
	var got []string
	for _, name := range list {
		text, _ := name.(string)
		got = append(got, text)
	}
	return differentLabels(a, a.Rank()-1, "columns", got)
}

// differentLabels returns an error if a dimension of an array has other labels.
func differentLabels(a *drx.Array, d int, what string, got []string) error {
	var have []string
	if found, err := a.Attr(fmt.Sprintf("labels/%d/0", d), &have); !found || err != nil || slices.Equal(have, got) {
		return err
	}
	for i := range min(len(have), len(got)) {
		if have[i] == got[i] {
			continue
		}
		how := ""
		if sorted := slices.Sorted(slices.Values(have)); slices.Equal(sorted, slices.Sorted(slices.Values(got))) {
			how = " has another order:"
		}
		return fmt.Errorf("%s:%s label %d is %s, that of %s is %s: %w", wording.Printable(what), how, i, wording.Printable(got[i]), a.Name(), wording.Printable(have[i]), drx.ErrBounds)
	}
	return fmt.Errorf("%s: has %d labels, %s has %d: %w", wording.Printable(what), len(got), a.Name(), len(have), drx.ErrBounds)
}
