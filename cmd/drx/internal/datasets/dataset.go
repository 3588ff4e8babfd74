// Package datasets has the operations of verbs on a whole dataset: a folder of arrays, or one file
// with several.
package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dataset"
	"drx/nd"
)

// openAtOnce is the largest number of variables that are open at the same time. Each has several
// files, and a process may open only so many.
const openAtOnce = 32

// releaseSome closes the open variables of a dataset, which is open for reading, after every
// openAtOnce of them. Verbs that visit all variables call it with the number visited.
func releaseSome(d *dataset.Dataset, done int) error {
	if done%openAtOnce != 0 {
		return nil
	}
	return d.Release()
}

// Change opens a dataset for writing, calls f and commits the changes that f made. After an error
// of f it discards them.
func Change(folder string, f func(d *dataset.Dataset) error) error {
	d, err := dataset.Open(folder, drx.Options{Write: true})
	if err != nil {
		return err
	}
	if err := f(d); err != nil {
		_ = d.Discard() // the caller needs the first error
		return err
	}
	return d.Close()
}

// CheckDeclared returns a usage error if a folder is not declared a dataset, and suggests instead,
// a command for the folder and its files.
func CheckDeclared(folder, instead string) error {
	ok, err := drx.Exists(filepath.Join(folder, dataset.Marker))
	if err == nil && !ok && !drx.IsContainer(filepath.Clean(folder)) {
		err = cli.Usagef("%s is a folder of arrays and no dataset: use %s %s, or first make it one with 'drx create %s --dataset'",
			cli.Printable(folder), instead, cli.Printable(folder), cli.Printable(folder))
	}
	return err
}

// A dimensionResult is a dimension of a dataset after its extent has changed, as JSON.
type dimensionResult struct {
	Name       string            `json:"name"`
	Dimensions map[string]int    `json:"dimensions"` // extent
	Bounds     map[string][2]int `json:"bounds"`
}

// ChangeDimension grows or shrinks a dimension of a dataset by change, and prints its bounds.
func ChangeDimension(cmd *cobra.Command, folder, dim string, change func(d *dataset.Dataset) error) error {
	if _, err := arrays.MarkerOf(folder); err != nil {
		return err
	}
	return Change(folder, func(d *dataset.Dataset) error {
		if err := change(d); err != nil {
			if errors.Is(err, dataset.ErrDim) {
				return cli.AsWrongUsage(err)
			}
			return cli.AsUsageError(err)
		}
		changed, err := d.Dim(dim)
		if err != nil {
			return err
		}
		r := changed.Bounds
		result := dimensionResult{d.Folder(), map[string]int{dim: r.Len()}, map[string][2]int{dim: {r.Lo, r.Hi}}}
		return cli.Confirm(cmd, result, "%s: %s %d, bounds %v\n", cli.Printable(d.Folder()), cli.Printable(dim), r.Len(), r)
	})
}

// CheckAlone returns a usage error if by new indices of a dimension (negative: removed ones) in one
// variable of a dataset would leave elements missing for readers of the dataset: if a coordinate
// grows beyond other variables, or a variable becomes shorter than its dimension.
func CheckAlone(name, dim string, by int, low bool) error {
	folder, variable, err := dataset.Find(name)
	if err != nil || folder == "" {
		return err
	}
	return arrays.WithDataset(folder, func(d *dataset.Dataset) error {
		v, err := d.Variable(variable)
		if err != nil {
			return nil //nolint:nilerr // the verb says it
		}
		k, err := v.Array().Dim(dim)
		if err != nil || v.Dims()[k] == "" {
			return nil //nolint:nilerr // the verb reports it, or only this variable has it
		}
		known, err := d.Dim(v.Dims()[k])
		if err != nil || len(known.Variables) == 1 {
			return err
		}
		to := v.Array().Bounds()[k]
		if low {
			to.Lo -= by
		} else {
			to.Hi += by
		}
		short := v.Name()
		if v.IsCoordinate() {
			short = shorter(d, known, to)
		} else if by > 0 || to.Lo <= known.Bounds.Lo && to.Hi >= known.Bounds.Hi {
			short = ""
		}
		if short == "" {
			return nil
		}
		verb := map[bool]string{true: "extend", false: "shrink"}[by > 0]
		return cli.Usagef("%s: dimension %s: variable %s would not have its bounds any more; change all variables of the dataset: drx %s %s --dim %s",
			cli.Printable(name), cli.Printable(known.Name), cli.Printable(short), verb, cli.Printable(folder), cli.Printable(known.Name))
	})
}

// shorter returns the name of a variable that would not have the bounds of a coordinate, or "".
func shorter(d *dataset.Dataset, dim dataset.Dim, to nd.Range) string {
	for _, name := range dim.Variables {
		v, err := d.Variable(name)
		if err != nil || name == dim.Name {
			continue
		}
		r := v.Array().Bounds()[slices.Index(v.Dims(), dim.Name)]
		if r.Lo > to.Lo || r.Hi < to.Hi || to.Len() < dim.Bounds.Len() {
			return name
		}
	}
	return ""
}

// CheckOtherKind returns a usage error if a dataset has the name of an array to be created: on the
// command line the name would be ambiguous.
func CheckOtherKind(name string) error {
	name = drx.BaseName(name)
	declared, err := drx.Exists(filepath.Join(name, dataset.Marker))
	if err == nil && declared {
		err = cli.Usagef("%s: create: there is a dataset of that name, the folder %s: choose another name", cli.Printable(name), cli.Printable(name+string(filepath.Separator)))
	}
	return err
}

// Create creates an empty dataset.
func Create(cmd *cobra.Command, folder string) error {
	if err := CheckNoArray(folder); err != nil {
		return err
	}
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		return err
	}
	if err := d.Close(); err != nil {
		return err
	}
	return cli.Confirm(cmd, cli.NameResult{Name: d.Folder()}, "%s: a dataset\n", cli.Printable(d.Folder()))
}

// CreateVariable creates an array, as a variable of the dataset if its folder is one, and calls
// created with it.
func CreateVariable(name string, spec drx.Spec, created func(a *drx.Array) error) error {
	if err := CheckOtherKind(name); err != nil {
		return err
	}
	folder, variable, err := dataset.Find(name)
	if err != nil {
		return err
	}
	if folder == "" {
		if spec.Shape == nil {
			return cli.Usagef("create needs --shape; see 'drx create --help'")
		}
		a, err := drx.Create(name, spec)
		if err != nil {
			return cli.AsUsageError(err)
		}
		return arrays.ThenClose(a, created)
	}
	return Change(folder, func(d *dataset.Dataset) error {
		v, err := d.CreateVariable(variable, spec)
		if errors.Is(err, dataset.ErrDim) || errors.Is(err, dataset.ErrVariable) {
			return cli.AsWrongUsage(err)
		}
		if err != nil {
			return cli.AsUsageError(err)
		}
		return created(v.Array())
	})
}

// A datasetInfo is the description of a dataset, which prints itself.
type datasetInfo struct{ result.Dataset }

// Print prints the description of a dataset.
func Print(cmd *cobra.Command, folder string) error {
	return arrays.WithDataset(folder, func(d *dataset.Dataset) error {
		i, err := result.NewDataset(d, func(done int) error { return releaseSome(d, done) })
		if err != nil {
			return err
		}
		if cli.WantsJSON(cmd) {
			return cli.PrintJSON(cmd.OutOrStdout(), i)
		}
		_, err = fmt.Fprint(cmd.OutOrStdout(), datasetInfo{i})
		return err
	})
}

// String returns the description in the form of ncdump -h.
func (i datasetInfo) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dataset %s {\n", cli.Printable(i.Name))
	if len(i.Dimensions) > 0 {
		b.WriteString("dimensions:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(i.Dimensions)) {
		fmt.Fprintf(&b, "\t%s = %d ;%s\n", cli.Printable(name), i.Dimensions[name], i.dimensionNote(name))
	}
	if len(i.Variables) > 0 {
		b.WriteString("variables:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(i.Variables)) {
		v := i.Variables[name]
		if v.Array == nil {
			fmt.Fprintf(&b, "\t%s ; // %s\n", cli.Printable(name), cli.Escaped(v.Error))
			continue
		}
		fmt.Fprintf(&b, "\t%s %s(%s) ; // %s, chunks of %s, fill %s\n", v.DType, cli.Printable(name), strings.Join(i.dimsOf(v), ", "),
			nd.Box(v.Lo, v.Hi), cli.FormatShape(v.Chunk), v.Fill)
		if v.Error != "" {
			fmt.Fprintf(&b, "\t\t// %s\n", cli.Escaped(v.Error))
		}
		writeAttrs(&b, "\t\t"+cli.Printable(name), v.Attrs)
	}
	for _, group := range slices.Sorted(maps.Keys(i.Groups)) {
		fmt.Fprintf(&b, "\n// attributes of group %s:\n", cli.Printable(group))
		writeAttrs(&b, "\t\t"+cli.Printable(group)+"/", i.Groups[group])
	}
	if len(i.Attrs) > 0 {
		b.WriteString("\n// attributes of the dataset:\n")
		writeAttrs(&b, "\t\t", i.Attrs)
	}
	b.WriteString("}\n")
	return b.String()
}

// dimensionNote returns a comment with the bounds of a dimension, if they do not begin at 0, and
// the ends of its coordinate.
func (i datasetInfo) dimensionNote(name string) string {
	var notes []string
	if r := i.Bounds[name]; r[0] != 0 {
		notes = append(notes, "bounds "+nd.Span(r[0], r[1]).String())
	}
	if ends, ok := i.Range[name]; ok && ends[0]+ends[1] != "" {
		notes = append(notes, ends[0]+" .. "+ends[1])
	}
	if notes == nil {
		return ""
	}
	return " // " + strings.Join(notes, ", ")
}

// dimsOf returns the dimensions of a variable for printing: their names, or the extents of unnamed
// ones.
func (i datasetInfo) dimsOf(v result.Variable) []string {
	dims := make([]string, len(v.Dims))
	for d, name := range v.Dims {
		dims[d] = cli.Printable(name)
		if name == "" {
			dims[d] = fmt.Sprint(v.Shape[d])
		}
	}
	return dims
}

func writeAttrs(b *strings.Builder, before string, attrs map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		fmt.Fprintf(b, "%s:%s = %s ;\n", before, cli.Printable(name), cli.Escaped(cli.Truncated(string(attrs[name]))))
	}
}
