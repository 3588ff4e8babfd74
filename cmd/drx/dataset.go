package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/result"
	"drx/dataset"
	"drx/nd"
)

// isDataset reports whether a name on the command line is a folder with arrays, or a dataset without any, or a file with several arrays. An array of the
// same name comes first, unless a slash follows the name.
func isDataset(name string) bool {
	if drx.IsContainer(filepath.Clean(name)) {
		return true
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	if isArray, err := drx.Exists(name); !os.IsPathSeparator(name[len(name)-1]) && (isArray || err != nil) {
		return false
	}
	arrays, _, err := drx.List(name)
	return err == nil && len(arrays) > 0
}

// withDataset opens a dataset for reading, calls f and closes it.
func withDataset(folder string, f func(d *dataset.Dataset) error) error {
	d, err := dataset.Open(folder, drx.Options{})
	if err != nil {
		return err
	}
	return errors.Join(f(d), d.Close())
}

// openAtOnce is how many variables are open at the same time, at the most: each has several files.
const openAtOnce = 32

// releaseSome closes the variables of a dataset that is open for reading after every openAtOnce of them, for verbs that go through all.
func releaseSome(d *dataset.Dataset, done int) error {
	if done%openAtOnce != 0 {
		return nil
	}
	return d.Release()
}

// changeDataset opens a dataset for writing, calls f and commits the changes that f made.
func changeDataset(folder string, f func(d *dataset.Dataset) error) error {
	d, err := dataset.Open(folder, drx.Options{Write: true})
	if err != nil {
		return err
	}
	if err := f(d); err != nil {
		_ = d.Discard() // the first error is what the caller needs
		return err
	}
	return d.Close()
}

// markerOf returns the array with the attributes of a dataset, to which attr applies. A folder that was not declared a dataset
// has none, and no verb declares it by the way: from then on readers of its arrays see them within common dimensions.
func markerOf(folder string) (string, error) {
	name := filepath.Join(folder, dataset.Marker)
	ok, err := drx.Exists(name)
	if err == nil && !ok {
		err = fmt.Errorf("%s is no dataset; make it one with 'drx create %s --dataset': %w", printable(folder), printable(folder), fs.ErrNotExist)
	}
	return name, err
}

// isPlainFile reports whether a name is that of a file with several arrays that was not declared a dataset.
func isPlainFile(name string) bool {
	name = filepath.Clean(name)
	declared, err := drx.Exists(filepath.Join(name, dataset.Marker))
	return err == nil && !declared && drx.IsContainer(name)
}

// checkDeclared returns an error if a folder is not declared a dataset, which says what to do instead of a verb for its files.
func checkDeclared(folder, instead string) error {
	ok, err := drx.Exists(filepath.Join(folder, dataset.Marker))
	if err == nil && !ok && !drx.IsContainer(filepath.Clean(folder)) {
		err = usagef("%s is a folder of arrays and no dataset: use %s %s, or first make it one with 'drx create %s --dataset'",
			printable(folder), instead, printable(folder), printable(folder))
	}
	return err
}

// A dimensionResult is the dimension of a dataset that has grown, as JSON.
type dimensionResult struct {
	Name       string            `json:"name"`
	Dimensions map[string]int    `json:"dimensions"` // extent
	Bounds     map[string][2]int `json:"bounds"`
}

// changeDimension grows or shrinks a dimension of a dataset by change, and prints its bounds.
func changeDimension(cmd *cobra.Command, folder, dim string, change func(d *dataset.Dataset) error) error {
	if _, err := markerOf(folder); err != nil {
		return err
	}
	return changeDataset(folder, func(d *dataset.Dataset) error {
		if err := change(d); err != nil {
			if errors.Is(err, dataset.ErrDim) {
				return usageError{err}
			}
			return asUsageError(err)
		}
		changed, err := d.Dim(dim)
		if err != nil {
			return err
		}
		r := changed.Bounds
		result := dimensionResult{d.Folder(), map[string]int{dim: r.Len()}, map[string][2]int{dim: {r.Lo, r.Hi}}}
		return confirm(cmd, result, "%s: %s %d, bounds %v\n", printable(d.Folder()), printable(dim), r.Len(), r)
	})
}

// checkAlone returns an error if a variable of a dataset is to grow or shrink alone, by indices of a dimension, although readers
// would see the dataset with elements missing: a coordinate that grows beyond other variables, or a variable that becomes shorter
// than its dimension.
func checkAlone(name, dim string, by int, low bool) error {
	folder, variable, err := dataset.Find(name)
	if err != nil || folder == "" {
		return err
	}
	return withDataset(folder, func(d *dataset.Dataset) error {
		v, err := d.Variable(variable)
		if err != nil {
			return nil //nolint:nilerr // the verb says it
		}
		k, err := v.Array().Dim(dim)
		if err != nil || v.Dims()[k] == "" {
			return nil //nolint:nilerr // the verb says it, or the dimension belongs to the variable alone
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
		return usagef("%s: dimension %s: variable %s would not have its bounds any more; change all variables of the dataset: drx %s %s --dim %s",
			printable(name), printable(known.Name), printable(short), verb, printable(folder), printable(known.Name))
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

// checkOtherKind returns an error if there is a dataset where an array is to be created: both would have the same name on the
// command line.
func checkOtherKind(name string) error {
	name = drx.BaseName(name)
	declared, err := drx.Exists(filepath.Join(name, dataset.Marker))
	if err == nil && declared {
		err = usagef("%s: create: there is a dataset of that name, the folder %s: choose another name", printable(name), printable(name+string(filepath.Separator)))
	}
	return err
}

// createDataset creates an empty dataset.
func createDataset(cmd *cobra.Command, folder string) error {
	if err := checkNoArray(folder); err != nil {
		return err
	}
	d, err := dataset.Create(folder, drx.Options{})
	if err != nil {
		return err
	}
	if err := d.Close(); err != nil {
		return err
	}
	return confirm(cmd, nameResult{Name: d.Folder()}, "%s: a dataset\n", printable(d.Folder()))
}

// createVariable creates an array: one of a dataset if its folder is one.
func createVariable(name string, spec drx.Spec, created func(a *drx.Array) error) error {
	if err := checkOtherKind(name); err != nil {
		return err
	}
	folder, variable, err := dataset.Find(name)
	if err != nil {
		return err
	}
	if folder == "" {
		if spec.Shape == nil {
			return usagef("create needs --shape; see 'drx create --help'")
		}
		a, err := drx.Create(name, spec)
		if err != nil {
			return asUsageError(err)
		}
		return thenClose(a, created)
	}
	return changeDataset(folder, func(d *dataset.Dataset) error {
		v, err := d.CreateVariable(variable, spec)
		if errors.Is(err, dataset.ErrDim) || errors.Is(err, dataset.ErrVariable) {
			return usageError{err}
		}
		if err != nil {
			return asUsageError(err)
		}
		return created(v.Array())
	})
}

// A datasetInfo is the description of a dataset, which prints itself.
type datasetInfo struct{ result.Dataset }

// printDataset prints the description of a dataset.
func printDataset(cmd *cobra.Command, folder string) error {
	return withDataset(folder, func(d *dataset.Dataset) error {
		i, err := result.NewDataset(d, func(done int) error { return releaseSome(d, done) })
		if err != nil {
			return err
		}
		if wantsJSON(cmd) {
			return printJSON(cmd.OutOrStdout(), i)
		}
		_, err = fmt.Fprint(cmd.OutOrStdout(), datasetInfo{i})
		return err
	})
}

// String returns the description in the form of ncdump -h.
func (i datasetInfo) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "dataset %s {\n", printable(i.Name))
	if len(i.Dimensions) > 0 {
		b.WriteString("dimensions:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(i.Dimensions)) {
		fmt.Fprintf(&b, "\t%s = %d ;%s\n", printable(name), i.Dimensions[name], i.dimensionNote(name))
	}
	if len(i.Variables) > 0 {
		b.WriteString("variables:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(i.Variables)) {
		v := i.Variables[name]
		if v.Array == nil {
			fmt.Fprintf(&b, "\t%s ; // %s\n", printable(name), escaped(v.Error))
			continue
		}
		fmt.Fprintf(&b, "\t%s %s(%s) ; // %s, chunks of %s, fill %s\n", v.DType, printable(name), strings.Join(i.dimsOf(v), ", "),
			nd.Box(v.Lo, v.Hi), formatShape(v.Chunk), v.Fill)
		if v.Error != "" {
			fmt.Fprintf(&b, "\t\t// %s\n", escaped(v.Error))
		}
		writeAttrs(&b, "\t\t"+printable(name), v.Attrs)
	}
	for _, group := range slices.Sorted(maps.Keys(i.Groups)) {
		fmt.Fprintf(&b, "\n// attributes of group %s:\n", printable(group))
		writeAttrs(&b, "\t\t"+printable(group)+"/", i.Groups[group])
	}
	if len(i.Attrs) > 0 {
		b.WriteString("\n// attributes of the dataset:\n")
		writeAttrs(&b, "\t\t", i.Attrs)
	}
	b.WriteString("}\n")
	return b.String()
}

// dimensionNote returns a comment with the bounds of a dimension, if they do not begin at 0, and the ends of its
// coordinate.
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

// dimsOf returns the dimensions of a variable for printing. Instead of a name that it does not have, a dimension has its extent.
func (i datasetInfo) dimsOf(v result.Variable) []string {
	dims := make([]string, len(v.Dims))
	for d, name := range v.Dims {
		dims[d] = printable(name)
		if name == "" {
			dims[d] = fmt.Sprint(v.Shape[d])
		}
	}
	return dims
}

func writeAttrs(b *strings.Builder, before string, attrs map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		fmt.Fprintf(b, "%s:%s = %s ;\n", before, printable(name), escaped(truncated(string(attrs[name]))))
	}
}
