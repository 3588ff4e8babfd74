package foreign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/formats"
	"drx/formats/transfer"
)

// A listedFile is the result of import --list for a file: its variables and attributes.
type listedFile struct {
	Name   string                                `json:"name"`
	Vars   []listedVar                           `json:"variables"`
	Attrs  map[string]json.RawMessage            `json:"attrs,omitempty"`
	Groups map[string]map[string]json.RawMessage `json:"groups,omitempty"`
}

// A listedVar is a variable of a file.
type listedVar struct {
	Name      string                     `json:"name"`
	DType     string                     `json:"dtype,omitempty"`
	Shape     []int                      `json:"shape,omitempty"`
	Dims      []string                   `json:"dims,omitempty"`
	Chunk     []int                      `json:"chunk,omitempty"`
	Fill      json.RawMessage            `json:"fill,omitempty"`
	Unlimited []bool                     `json:"unlimited,omitempty"`
	Strings   []string                   `json:"strings,omitzero"`
	Attrs     map[string]json.RawMessage `json:"attrs,omitempty"`
	Refused   string                     `json:"refused,omitempty"`
}

// printList prints the contents of files.
func (o *importCommand) printList(cmd *cobra.Command, names []string) error {
	w := bufio.NewWriter(cmd.OutOrStdout())
	for _, name := range names {
		l, err := o.listFile(name)
		if err == nil && cli.WantsJSON(cmd) {
			err = cli.PrintJSON(w, l)
		} else if err == nil {
			l.print(w)
		}
		if err != nil {
			return errors.Join(err, w.Flush())
		}
	}
	return w.Flush()
}

// listFile describes a file.
func (o *importCommand) listFile(name string) (l listedFile, err error) {
	content, err := transfer.List(name, o.ImportOptions)
	if err != nil {
		return l, cli.AsOptionUsageError(err)
	}
	l = listedFile{Name: name, Vars: []listedVar{}}
	if l.Attrs, err = rawAttrs(content.Attrs); err != nil {
		return l, fmt.Errorf("%s: %w", name, err)
	}
	for group, attrs := range content.Groups {
		if l.Groups == nil {
			l.Groups = map[string]map[string]json.RawMessage{}
		}
		if l.Groups[group], err = rawAttrs(attrs); err != nil {
			return l, fmt.Errorf("%s: group %s: %w", name, group, err)
		}
	}
	for _, v := range content.Vars {
		if len(o.Vars) > 0 && !slices.Contains(o.Vars, v.Name) {
			continue
		}
		listed := listedVar{
			Name: v.Name, Shape: v.Shape, Dims: v.Dims, Chunk: v.Chunk, Unlimited: v.Unlimited, Strings: v.Labels, Refused: v.Refused,
		}
		if v.DType.Valid() && !v.Rounded {
			listed.DType = v.DType.String()
		}
		if v.Fill != nil && v.Refused == "" {
			listed.Fill = v.DType.ToJSON(v.Fill)
		}
		if listed.Attrs, err = rawAttrs(v.Attrs); err != nil {
			return l, fmt.Errorf("%s: variable %s: %w", name, v.Name, err)
		}
		l.Vars = append(l.Vars, listed)
	}
	return l, nil
}

// rawAttrs returns attributes as JSON.
func rawAttrs(values map[string]any) (map[string]json.RawMessage, error) {
	if len(values) == 0 {
		return nil, nil
	}
	out := map[string]json.RawMessage{}
	for name, v := range values {
		raw, err := formats.EncodeAttr(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = raw
	}
	return out, nil
}

// print prints a file for people, as ncdump -h does.
func (l listedFile) print(w io.Writer) {
	plural := "s"
	if len(l.Vars) == 1 {
		plural = ""
	}
	fmt.Fprintf(w, "%s: %d variable%s\n", cli.Printable(l.Name), len(l.Vars), plural)
	for _, v := range l.Vars {
		name := cli.Printable(v.Name)
		if v.Name == "" {
			name = "(no name)"
		}
		if v.Refused != "" {
			fmt.Fprintf(w, "  %s: not imported: %s\n", name, cli.Escaped(v.Refused))
			continue
		}
		kind := v.DType
		if v.Strings != nil {
			kind = "strings"
		}
		if len(v.Strings) > 0 {
			kind = fmt.Sprintf("strings, %d different", len(v.Strings))
		}
		fmt.Fprintf(w, "  %s %s %s", name, kind, transfer.DescribeShape(v.Dims, v.Shape))
		if v.Chunk != nil {
			fmt.Fprintf(w, ", chunks of %s", cli.FormatShape(v.Chunk))
		}
		if v.Fill != nil {
			fmt.Fprintf(w, ", fill %s", v.Fill)
		}
		fmt.Fprintln(w)
		printAttrs(w, "    ", v.Attrs)
	}
	printAttrs(w, "  ", l.Attrs)
	for _, group := range slices.Sorted(maps.Keys(l.Groups)) {
		fmt.Fprintf(w, "  group %s\n", cli.Printable(group))
		printAttrs(w, "    ", l.Groups[group])
	}
}

// printAttrs prints attributes, sorted by name.
func printAttrs(w io.Writer, indent string, attrs map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		fmt.Fprintf(w, "%s%s = %s\n", indent, cli.Printable(name), cli.Escaped(string(attrs[name])))
	}
}
