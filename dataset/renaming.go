package dataset

import (
	"encoding/json"
	"path"
	"slices"

	"drx"
	"drx/internal/errkind"
)

// renamingAttr is the attribute of the dataset's Marker about a renaming.
const renamingAttr = "dataset.renaming"

// A renaming is the value of renamingAttr: what a Rename changes, which it commits before it
// begins. From then on readers see the new names, and the next writer completes what is left. When
// it is complete only Number remains.
type renaming struct {
	Number   int    `json:"number"`             // counts renamings, so that readers see them
	From     string `json:"from,omitempty"`     // with the path of the group
	To       string `json:"to,omitempty"`       // likewise
	Variable bool   `json:"variable,omitempty"` // there is a variable of that name

	// Dims are the numbers of the dimensions, by the old names of variables.
	Dims map[string][]int `json:"dims,omitempty"`
	// Attrs are new values of attributes, likewise; null removes one.
	Attrs map[string]map[string]json.RawMessage `json:"attrs,omitempty"`
}

// renamingOf returns what a Marker says about a renaming. The error wraps drx.ErrCorrupt.
func renamingOf(m *drx.Array) (r renaming, err error) {
	if _, err := m.Attr(renamingAttr, &r); err != nil {
		return r, errkind.Of(drx.ErrCorrupt, err)
	}
	return r, nil
}

// name returns the name of a variable after the renaming.
func (r renaming) name(variable string) string {
	if r.Variable && variable == r.From {
		return r.To
	}
	return variable
}

// dims returns the names of the dimensions of a variable, which may have its old name or the new
// one, after the renaming.
func (r renaming) dims(variable string, own []string) []string {
	numbers := r.Dims[variable]
	if numbers == nil && r.Variable && variable == r.To {
		numbers = r.Dims[r.From]
	}
	if len(numbers) == 0 {
		return own
	}
	own = slices.Clone(own)
	for _, i := range numbers {
		if i < len(own) {
			own[i] = path.Base(r.To)
		}
	}
	return own
}
