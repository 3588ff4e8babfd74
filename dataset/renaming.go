package dataset

import (
	"encoding/json"
	"path"
	"slices"

	"drx"
	"drx/internal/errkind"
)

// renamingAttr is the attribute of the dataset's Marker that holds a renaming.
const renamingAttr = "dataset.renaming"

// A renaming is the value of renamingAttr: the changes of a Rename, committed before they begin.
// From then on readers see the new names, and the next writer completes unfinished changes. After
// completion only Number remains.
type renaming struct {
	Number   int    `json:"number"`             // counts renamings, so that readers notice each
	From     string `json:"from,omitempty"`     // with the path of the group
	To       string `json:"to,omitempty"`       // likewise
	Variable bool   `json:"variable,omitempty"` // a variable has this name

	// Dims are the numbers of the renamed dimensions, by the old name of the variable.
	Dims map[string][]int `json:"dims,omitempty"`
	// Attrs are the new values of attributes, by the old name of the variable; null removes one.
	Attrs map[string]map[string]json.RawMessage `json:"attrs,omitempty"`
}

// renamingOf returns the renaming in Marker m. The error wraps drx.ErrCorrupt.
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

// dims returns the dimension names of a variable after the renaming. The variable is given by its
// old or new name.
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
