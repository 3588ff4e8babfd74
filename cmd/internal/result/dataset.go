package result

import (
	"encoding/json"
	"strings"

	"drx/dataset"
)

// A Dataset is the description of a dataset. Other programs rely on its JSON.
type Dataset struct {
	Name       string            `json:"name"`
	Dimensions map[string]int    `json:"dimensions"` // extents
	Bounds     map[string][2]int `json:"bounds"`
	// the first and the last value
	Range     map[string][2]string                  `json:"coordinates"`
	Variables map[string]Variable                   `json:"variables"`
	Groups    map[string]map[string]json.RawMessage `json:"groups"` // their attributes
	Attrs     map[string]json.RawMessage            `json:"attrs"`
}

// A Variable is the description of a variable within the bounds of its dataset, with an error if
// there is one. Array is nil if the variable cannot be opened.
type Variable struct {
	*Array
	Error string `json:"error,omitempty"`
}

// NewDataset describes a dataset. It calls release after each group and each variable, with the
// number described so far, so that not all of them need to be open at the same time. An error of a
// variable goes into its description; the error returned is that of the dataset or of release.
func NewDataset(d *dataset.Dataset, release func(done int) error) (i Dataset, err error) {
	i = Dataset{
		Name: d.Folder(), Dimensions: map[string]int{}, Bounds: map[string][2]int{}, Range: map[string][2]string{},
		Variables: map[string]Variable{}, Groups: map[string]map[string]json.RawMessage{},
	}
	if i.Attrs, err = d.Attrs(""); err != nil {
		return i, err
	}
	for n, group := range d.Groups() {
		if i.Groups[group], err = d.Attrs(group); err == nil {
			err = release(n + 1)
		}
		if err != nil {
			return i, err
		}
	}
	for n, name := range d.Variables() {
		if i.Variables[name], err = newVariable(d, name); err == nil {
			err = release(n + 1)
		}
		if err != nil {
			return i, err
		}
	}
	for _, dim := range d.Dims() {
		r := dim.Bounds
		i.Dimensions[dim.Name], i.Bounds[dim.Name] = r.Len(), [2]int{r.Lo, r.Hi}
		if !dim.HasCoordinate {
			continue
		}
		c, err := d.Coordinate(dim.Name)
		if err != nil {
			v := i.Variables[dim.Name]
			v.Error = oneLine(err)
			i.Variables[dim.Name] = v
			continue
		}
		i.Range[dim.Name] = [2]string{c.Text(r.Lo), c.Text(r.Hi - 1)}
	}
	return i, nil
}

// newVariable describes a variable with the bounds that it has in the dataset.
func newVariable(d *dataset.Dataset, name string) (Variable, error) {
	v, err := d.Variable(name)
	if err != nil {
		return Variable{Error: oneLine(err)}, nil
	}
	i, err := NewArray(v.Array())
	if err != nil {
		return Variable{}, err
	}
	bounds := v.Bounds()
	i.Shape, i.Dims = bounds.Shape(), v.Dims()
	i.Lo, i.Hi = bounds.Bounds()
	return Variable{Array: i}, nil
}

// oneLine returns the text of an error as one line.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}
