package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/internal/usage"
	"drx/cube"
	"drx/dataset"
	"drx/relayout"
)

// attrOptions are the flags of attr.
type attrOptions struct {
	remove  []string
	setFrom string
}

// NewAttr returns the verb attr.
func NewAttr() *cobra.Command {
	var o attrOptions
	cmd := &cobra.Command{
		Use:     "attr ARRAY | FOLDER [NAME | NAME=VALUE...]",
		Short:   "List, print, set or delete attributes",
		GroupID: cli.GroupFirst,
		Long: `List the attributes of an array, print the value of one, or set some: NAME=VALUE sets a
JSON value, or a text if VALUE is not JSON. --set-from sets all members of a JSON object in a
file. All changes of one command are one commit.

Names that begin with labels/ are those of labels, see drx labels: values that are no labels
are refused. Names that begin with relayout. belong to drx copy and cannot be set, and those that
begin with dataset. belong to datasets.

The attributes of a folder, which is a dataset or a group of one, are those of the dataset.`,
		Example: `  drx attr radar
  drx attr radar units
  drx attr radar units=mm scale=0.01 'levels=[1,2,3]'
  drx attr radar --delete levels`,
		Args:              cli.AtLeast("ARRAY"),
		ValidArgsFunction: completeAttrs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if arrays.IsDataset(args[0]) {
				var err error
				if args[0], err = arrays.MarkerOf(args[0]); err != nil {
					return err
				}
			}
			changes, err := o.changes(cmd, args[1:])
			if err != nil {
				return err
			}
			change := len(changes) > 0 || len(o.remove) > 0 || o.setFrom != ""
			if change {
				if err := finishDataset(args[0]); err != nil {
					return err
				}
				return arrays.Change(cmd, args[0], func(a *drx.Array) error {
					if err := setAttrs(a, changes, o.remove); err != nil || !cli.WantsJSON(cmd) {
						return err
					}
					if err := a.Sync(); err != nil {
						return err
					}
					return cli.PrintJSON(cmd.OutOrStdout(), a.Attrs())
				})
			}
			return arrays.With(args[0], false, func(a *drx.Array) error {
				attrs, err := shownAttrs(a)
				switch {
				case err != nil:
					return err
				case len(args) == 2:
					return printAttr(cmd.OutOrStdout(), a, attrs, args[1])
				case cli.WantsJSON(cmd):
					return cli.PrintJSON(cmd.OutOrStdout(), attrs)
				}
				return ListAttrs(cmd.OutOrStdout(), attrs, "")
			})
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.remove, "delete", nil, "`name` of an attribute to delete; may be repeated")
	f.StringVar(&o.setFrom, "set-from", "", "`file` with a JSON object of attributes to set, - for standard input")
	cli.CompleteFlag(cmd, "delete", completeAttrs)
	cli.AddWaitFlag(cmd)
	return cmd
}

// shownAttrs returns the attributes of an array, without the ones that datasets use internally. For
// the array that holds a dataset's attributes it returns what readers of the dataset see.
func shownAttrs(a *drx.Array) (map[string]json.RawMessage, error) {
	if filepath.Base(a.Name()) == dataset.Marker {
		d, err := dataset.Open(filepath.Dir(a.Name()), drx.Options{})
		if err != nil {
			return nil, err
		}
		attrs, err := d.Attrs("")
		return attrs, errors.Join(err, d.Close())
	}
	attrs := a.Attrs()
	maps.DeleteFunc(attrs, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, datasetPrefix) })
	return attrs, nil
}

// finishDataset completes or rolls back the change of a dataset whose writer died, so that attr
// sees and changes the attributes of the last commit. It does nothing unless the array is the one
// with the attributes of a dataset, or while another writer has the dataset open.
func finishDataset(name string) error {
	if filepath.Base(name) != dataset.Marker {
		return nil
	}
	left := false
	err := arrays.With(name, false, func(a *drx.Array) error {
		_, left = a.Attrs()[datasetPrefix+"growing"]
		return nil
	})
	if err != nil || !left {
		return err
	}
	err = datasets.Change(filepath.Dir(name), func(*dataset.Dataset) error { return nil })
	if errors.Is(err, drx.ErrLocked) { // the caller reports the lock, or waits
		return nil
	}
	return err
}

// changes returns the attributes to set. A name without a value asks for its value and must be the
// only argument.
func (o attrOptions) changes(cmd *cobra.Command, args []string) (map[string]any, error) {
	attrs := map[string]any{}
	if o.setFrom != "" {
		if err := readAttrs(cmd, o.setFrom, attrs); err != nil {
			return nil, err
		}
	}
	for _, arg := range args {
		name, text, set := strings.Cut(arg, "=")
		if !set {
			if len(args) == 1 && o.setFrom == "" && o.remove == nil {
				return nil, nil
			}
			return nil, cli.Usagef("attr %q: want NAME=VALUE, or one NAME and nothing else", arg)
		}
		if name == "" {
			return nil, cli.Usagef("attr %q: want NAME=VALUE, but the name is empty", arg)
		}
		attrs[name] = attrValue(text)
	}
	return attrs, nil
}

// attrValue returns text itself if it is valid JSON, otherwise a string to be encoded.
func attrValue(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}

func readAttrs(cmd *cobra.Command, name string, attrs map[string]any) error {
	var text []byte
	var err error
	if name == "-" {
		name = "standard input"
		text, err = io.ReadAll(cmd.InOrStdin())
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return err
	}
	var object map[string]json.RawMessage // raw, so that no number loses digits
	if err := json.Unmarshal(text, &object); err != nil {
		return fmt.Errorf("%s: not a JSON object of attributes: %w", name, err)
	}
	for name, value := range object {
		attrs[name] = value
	}
	return nil
}

// setAttrs deletes and sets attributes. It commits nothing, so that all changes become one commit.
func setAttrs(a *drx.Array, attrs map[string]any, remove []string) error {
	if err := cli.CheckNames(slices.Collect(maps.Keys(attrs))...); err != nil {
		return err
	}
	if err := checkReserved(a, attrs); err != nil {
		return err
	}
	_, damaged := cube.Of(a)
	present := a.Attrs()
	for _, name := range remove {
		if _, ok := present[name]; !ok {
			return noAttr(a, name)
		}
	}
	for _, name := range remove {
		if err := a.DeleteAttr(name); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		if err := a.SetAttr(name, attrs[name]); err != nil {
			return err
		}
	}
	if damaged != nil { // labels were damaged before: attr must be able to repair them
		return nil
	}
	return cli.AsSelectUsageError(cube.CheckAttrs(a, append(slices.Sorted(maps.Keys(attrs)), remove...)))
}

// copyPrefix begins the names of the attributes with the state of an unfinished copy.
var copyPrefix, _, _ = strings.Cut(relayout.IncompleteAttr, "incomplete")

// datasetPrefix begins the names of the attributes that datasets keep for themselves.
const datasetPrefix = "dataset."

// checkReserved returns an error for attributes that nobody may set.
func checkReserved(a *drx.Array, attrs map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		switch {
		case name == "":
			return cli.Usagef("%s: an attribute without a name: want NAME=VALUE", a.Name())
		case strings.HasPrefix(name, copyPrefix):
			return cli.Usagef("%s: attribute %s: names that begin with %s say how far a copy has got, and only copy sets them",
				a.Name(), cli.Printable(name), copyPrefix)
		case strings.HasPrefix(name, datasetPrefix):
			return cli.Usagef("%s: attribute %s: names that begin with %s are the dataset's own", a.Name(), cli.Printable(name), datasetPrefix)
		}
	}
	return nil
}

func noAttr(a *drx.Array, name string) error {
	names := slices.Sorted(maps.Keys(a.Attrs()))
	if len(names) == 0 && filepath.Base(a.Name()) == dataset.Marker {
		return fmt.Errorf("%s: no attribute %q: the dataset has none", filepath.Dir(a.Name()), name)
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no attribute %q: the array has none", a.Name(), name)
	}
	return fmt.Errorf("%s: no attribute %q%s; 'drx attr %s' lists them", a.Name(), name, usage.DidYouMean(name, names), a.Name())
}

func printAttr(w io.Writer, a *drx.Array, attrs map[string]json.RawMessage, name string) error {
	value, ok := attrs[name]
	if !ok {
		return noAttr(a, name)
	}
	return cli.PrintJSON(w, value)
}

// ListAttrs prints attributes for people, one per line, each line indented by margin.
func ListAttrs(w io.Writer, attrs map[string]json.RawMessage, margin string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		fmt.Fprintf(t, "%s%s\t%s\n", margin, cli.Printable(name), cli.Escaped(cli.Truncated(string(attrs[name]))))
	}
	return t.Flush()
}

// completeAttrs completes the name of an array, then those of its attributes.
func completeAttrs(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return cli.CompleteArrays(cmd, args, prefix)
	}
	var names []string
	// See CompleteDims.
	_ = arrays.With(args[0], false, func(a *drx.Array) error {
		names = slices.Sorted(maps.Keys(a.Attrs()))
		// the shell prints them to a terminal
		names = slices.DeleteFunc(names, func(name string) bool { return cli.Escaped(name) != name })
		return nil
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}
