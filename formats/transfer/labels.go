package transfer

import (
	"fmt"
	"path"
	"slices"

	"drx"
	"drx/cube"
	"drx/formats"
	"drx/internal/wording"
	"drx/nd"
)

// sameLabels checks that the strings of a file along a dimension are the labels that an array has in a part of it.
func (o *importer) sameLabels(a *drx.Array, f *importFile, dim string, d int, part nd.Range) error {
	i := slices.IndexFunc(f.content.Vars, func(c formats.Info) bool {
		return c.Labels != nil && isCoordinateVar(c) && path.Base(c.Name) == dim && c.Refused == ""
	})
	if dim == "" || i < 0 {
		return nil
	}
	c, err := cube.Of(a)
	if err != nil {
		return err
	}
	first, labels := c.Labels(d)
	if len(labels) == 0 {
		return nil
	}
	got, err := o.readStrings(f, f.content.Vars[i])
	if err != nil {
		return err
	}
	return compareLabels(a, dim, labels[min(len(labels), max(0, part.Lo-first)):], got)
}

// compareLabels returns an error unless the strings of a file are labels of an array.
func compareLabels(a *drx.Array, dim string, want, got []string) error {
	for i, label := range got {
		if i < len(want) && want[i] != label {
			how := ""
			if sameNames(got, want) {
				how = "is permuted: "
			}
			return fmt.Errorf("coordinate %s: %svalue %d is %s, that of %s is %s: %w", wording.Printable(dim), how, i, wording.Printable(label), a.Name(), wording.Printable(want[i]), drx.ErrBounds)
		}
	}
	return nil
}
