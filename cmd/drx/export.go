package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/internal/usage"
	"drx/convert"
	"drx/dataset"
	"drx/dtype"
	"drx/nd"
)

func newExport() *cobra.Command {
	var o exporting
	cmd := &cobra.Command{
		Use:     "export SRC DST",
		Short:   "Write an array or a dataset to a file in another format",
		GroupID: groupData,
		Long: `Write an array, or a dataset with all its variables, to a new file. Its extension tells the
format, or --format: 'drx help formats' lists those that are written. Element types, stored
values, attributes, names of dimensions and fill values are kept; labels become variables of
strings. An array of a dataset takes its coordinates along. Indices begin at 0 in the file;
the attribute geotransform is moved with the selection.

--var chooses variables of a dataset; their coordinates come along. --sel and --at select
from all variables that have the dimension. Coordinates and labels are left out, with a note,
if the format has one array per file or no strings.

--as converts the elements of all variables but coordinates to another type, if the format does
not have theirs. A value that does not fit it is an error; --clip takes the nearest that does.

The elements are streamed; the export takes at most about --memory. The file appears under its
name when it is complete; DST must not exist, unlike the file of 'drx read -o', which is replaced.

With --append DIM the file can grow along the dimension, in formats that can (HDF5 and NetCDF).
If it exists, it is brought up to date: it gets the indices that it does not have yet, at the
end. A copy of the file grows and then replaces it, so it is whole at every moment. The values
of its coordinates must be those with which the selection begins, and the other extents equal;
attributes stay as they are.`,
		Example: `  drx export weather out.nc
  drx export weather part.zarr --var rain --sel time=2013-01..2013-02 --deflate 4
  drx export radar frame.npy --section 3,:,:
  drx export mask mask.tif --as uint8
  drx export weather out.nc --append time`,
		Args: exactly("SRC", "DST"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return completeArrays(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.cmd, o.src, o.dst = cmd, args[0], args[1]
			if err := o.parse(); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	o.selecting.flags(cmd)
	f.StringArrayVar(&o.vars, "var", nil, "`name` of a variable of the dataset; may be repeated (default: all)")
	f.StringVar(&o.dim, "append", "", "`dimension` along which a file that exists is brought up to date")
	f.StringVar(&o.format, "format", "", "`name` of the format (default: by the extension of DST)")
	f.IntVar(&o.deflate, "deflate", 0, "`level` of compression, 1 to 9, in formats that have it; 0 is none")
	f.StringVar(&o.asText, "as", "", "element `type` in the file (default: that of the array)")
	f.BoolVar(&o.clip, "clip", false, "replace values that do not fit --as by the nearest that do")
	f.StringVar(&o.memoryText, "memory", "256MiB", "`bytes` of memory, as in 64MiB")
	completeFlag(cmd, "format", cobra.FixedCompletions(writtenFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// writtenFormats returns the names of the formats that can be written.
func writtenFormats() []string { return namesOf(canWrite) }

// namesOf returns the names of the formats for which use is true.
func namesOf(use func(f convert.Format) bool) (names []string) {
	for _, f := range convert.Formats() {
		if use(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func canWrite(f convert.Format) bool { return f.Create != nil || f.CreatePath != nil }

// exporting is the command line of one export.
type exporting struct {
	selecting
	vars        []string
	format, dim string
	deflate     int
	asText      string
	as          dtype.DType // 0: that of the array
	clip        bool
	memoryText  string
	memoryLimit
	cmd      *cobra.Command
	src, dst string
}

func (o *exporting) parse() (err error) {
	if o.memory, err = parseBytes("--memory", o.memoryText); err != nil {
		return err
	}
	if o.as, err = o.parseType(); err != nil {
		return err
	}
	if o.deflate < 0 || o.deflate > 9 {
		return usagef("--deflate %d: want 0 to 9", o.deflate)
	}
	if err := o.chooseFormat(); err != nil || o.dim == "" {
		return err
	}
	grows := func(f convert.Format) bool { return f.AppendPath != nil }
	if f, err := convert.ByName(o.format); err != nil || !grows(f) {
		return usagef("--append: files of format %s cannot grow: %s can", o.format, orList(namesOf(grows)))
	}
	return nil
}

// chooseFormat finds the format by the extension of DST, unless --format names it.
func (o *exporting) chooseFormat() error {
	known := convert.Formats()
	if o.format != "" {
		if !slices.Contains(writtenFormats(), o.format) {
			return usagef("--format %q: no such format%s: %s are written", o.format, usage.DidYouMean(o.format, writtenFormats()), orList(writtenFormats()))
		}
		return nil
	}
	ext := strings.ToLower(filepath.Ext(o.dst))
	i := slices.IndexFunc(known, func(f convert.Format) bool { return canWrite(f) && slices.Contains(f.Extensions, ext) })
	if i < 0 {
		return usagef("export: no format that is written has the extension of %s: give one with --format: %s", o.dst, orList(writtenFormats()))
	}
	o.format = known[i].Name
	return nil
}

// run exports SRC.
func (o *exporting) run(ctx context.Context) error {
	if _, err := os.Lstat(o.dst); err == nil && o.dim == "" {
		return fmt.Errorf("%s: %w; remove it first, choose another name, or bring it up to date with --append", o.dst, fs.ErrExist)
	}
	isArray, err := drx.Exists(o.src)
	if err != nil {
		return err
	}
	if info, statErr := os.Stat(o.src); !isArray && statErr == nil && info.IsDir() {
		return o.runDataset(ctx, o.src, o.vars)
	}
	if len(o.vars) > 0 {
		return usagef("export: --var chooses variables of a dataset, and %s is none", o.src)
	}
	if isArray {
		folder := filepath.Dir(o.src)
		if declared, err := drx.Exists(filepath.Join(folder, dataset.Marker)); err == nil && declared && o.section == "" {
			return o.runDataset(ctx, folder, []string{filepath.Base(drx.BaseName(o.src))})
		}
	}
	return withOptions(o.src, drx.Options{Cache: o.cache()}, func(a *drx.Array) error {
		v, err := o.arrayVar(filepath.Base(a.Name()), a)
		if err != nil {
			return err
		}
		return o.write(ctx, []exportVar{v}, convert.Content{})
	})
}

// runDataset exports the variables of a dataset: all for nil, otherwise those that are named, with their coordinates.
func (o *exporting) runDataset(ctx context.Context, folder string, names []string) error {
	if o.section != "" {
		return usagef("export: --section is for one array; select from a dataset with --sel or --at, by the names of its dimensions")
	}
	d, err := dataset.Open(folder, drx.Options{Cache: o.cache()})
	if err != nil {
		return err
	}
	err = o.exportDataset(ctx, d, names)
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}

func (o *exporting) exportDataset(ctx context.Context, d *dataset.Dataset, names []string) error {
	chosen, err := o.chooseVars(d, names)
	if err != nil {
		return err
	}
	if err := o.checkDims(d, chosen); err != nil {
		return err
	}
	var vars []exportVar
	for _, c := range chosen {
		variable, err := d.Variable(c.name)
		if err != nil {
			return err
		}
		v, err := o.datasetVar(variable)
		if err != nil {
			return err
		}
		v.optional = c.optional
		vars = append(vars, v)
	}
	content := convert.Content{}
	if content.Attrs, err = groupAttrs(d, ""); err != nil {
		return err
	}
	for _, group := range d.Groups() {
		if content.Groups == nil {
			content.Groups = map[string]map[string]any{}
		}
		if content.Groups[group], err = groupAttrs(d, group); err != nil {
			return err
		}
	}
	return o.write(ctx, vars, content)
}

func groupAttrs(d *dataset.Dataset, group string) (map[string]any, error) {
	raw, err := d.Attrs(group)
	if err != nil {
		return nil, err
	}
	return decodeAttrs(raw)
}

// A chosenVar is a variable to be exported. An optional one is left out if the format has no place for it.
type chosenVar struct {
	name     string
	optional bool
}

// chooseVars returns the variables to be exported.
func (o *exporting) chooseVars(d *dataset.Dataset, names []string) (chosen []chosenVar, err error) {
	all := d.Variables()
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the dataset has no variables: %w", d.Folder(), dataset.ErrVariable)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, usagef("--var %s: %s has no such variable%s: it has %s", name, d.Folder(), usage.DidYouMean(name, all), strings.Join(all, ", "))
		}
	}
	dims := map[string]bool{}
	for _, name := range names {
		v, err := d.Variable(name)
		if err != nil {
			return nil, err
		}
		for _, dim := range v.Dims() {
			dims[dim] = true
		}
	}
	data := 0
	for _, name := range all {
		if len(names) == 0 || slices.Contains(names, name) {
			v, err := d.Variable(name)
			if err != nil {
				return nil, err
			}
			chosen = append(chosen, chosenVar{name, v.IsCoordinate() && !slices.Contains(names, name)})
			if !v.IsCoordinate() {
				data++
			}
		} else if dims[name] {
			chosen = append(chosen, chosenVar{name, true})
		}
	}
	if data == 0 { // coordinates alone
		for i := range chosen {
			chosen[i].optional = false
		}
	}
	return chosen, nil
}

// write writes the file.
func (o *exporting) write(ctx context.Context, vars []exportVar, content convert.Content) error {
	content.Deflate, content.Memory = o.deflate, o.codec()
	if err := o.convertVars(vars); err != nil {
		return err
	}
	vars = append(vars, labelVars(vars)...)
	if o.dim != "" {
		if err := o.makeGrowing(vars); err != nil {
			return err
		}
		if _, err := os.Lstat(o.dst); err == nil {
			return o.appendToFile(ctx, vars)
		}
	}
	total := 0
	for _, v := range vars {
		n, err := v.info.Bytes()
		if err != nil {
			return fmt.Errorf("%s: %w", v.info.Name, err)
		}
		total += n
	}
	if o.deflate == 0 {
		if err := checkSpace(o.dst, int64(total)); err != nil {
			return err
		}
	}
	err := withTemporary(o.dst, func(temp string) (err error) {
		if vars, err = o.fill(ctx, temp, vars, content); err != nil {
			return err
		}
		return publish(filepath.Dir(temp), o.dst)
	})
	if err != nil {
		return err
	}
	return o.print(vars, nil)
}

// fill makes the file at path and returns the variables that it has.
func (o *exporting) fill(ctx context.Context, path string, vars []exportVar, content convert.Content) ([]exportVar, error) {
	create := func(vars []exportVar) ([]convert.Writer, error) {
		content.Vars = nil
		for _, v := range vars {
			content.Vars = append(content.Vars, v.info)
		}
		return convert.CreateFile(path, o.format, content)
	}
	writers, err := create(vars)
	if errors.Is(err, convert.ErrVariable) || errors.Is(err, convert.ErrType) {
		needed := slices.DeleteFunc(slices.Clone(vars), func(v exportVar) bool { return v.optional })
		if len(needed) < len(vars) && len(needed) > 0 {
			without := err
			if writers, err = create(needed); err == nil || errors.Is(err, nd.ErrRank) {
				o.note(vars, without)
				vars = needed
			}
		}
	}
	if errors.Is(err, convert.ErrVariable) {
		return nil, fmt.Errorf("%w; choose one with --var", err)
	}
	if errors.Is(err, nd.ErrRank) && len(vars) == 1 {
		if without, ok := flat(vars[0].info); ok {
			if w, flatErr := create([]exportVar{{info: without}}); flatErr == nil {
				writers, err = []convert.Writer{flatWriter{w[0], vars[0].info.Shape}}, nil
			}
		}
	}
	if errors.Is(err, nd.ErrRank) && len(vars) > 0 && len(vars[0].info.Shape) > 2 && filepath.Ext(o.dst) == ".csv" {
		section := strings.Repeat("0,", len(vars[0].info.Shape)-2) + ":,:"
		return nil, fmt.Errorf("%w; use drx read %s --section %s --csv > %s", usage.WithoutKind(err, nd.ErrRank), o.src, section, o.dst)
	}
	if err != nil {
		return nil, err
	}
	return vars, o.writeVars(ctx, path, writers, vars, totalBytes(vars), func(v exportVar) nd.Section { return whole(v.info.Shape) })
}

func totalBytes(vars []exportVar) (sum int64) {
	for _, v := range vars {
		n, _ := v.info.Bytes() // checked before
		sum += int64(n)
	}
	return sum
}

// note says which variables are left out.
func (o *exporting) note(vars []exportVar, why error) {
	var names []string
	for _, v := range vars {
		if v.optional {
			names = append(names, printable(v.info.Name))
		}
	}
	what := convert.ErrType
	if errors.Is(why, convert.ErrVariable) {
		what = errors.New("it has one array per file")
	}
	fmt.Fprintf(o.cmd.ErrOrStderr(), "drx: format %s: without the coordinates and labels %s: %v\n", o.format, strings.Join(names, ", "), what)
}

// An exported is the result of an export.
type exported struct {
	Name   string        `json:"name"`
	Format string        `json:"format"`
	Vars   []exportedVar `json:"variables"`
	Dim    string        `json:"dim,omitempty"`
	By     *int          `json:"by,omitempty"`
}

// An exportedVar is a variable in the file.
type exportedVar struct {
	Name  string   `json:"name"`
	DType string   `json:"dtype"`
	Shape []int    `json:"shape"`
	Dims  []string `json:"dims,omitempty"`
}

// print prints the variables of the file. by is how many indices were added to it, nil if it is new.
func (o *exporting) print(vars []exportVar, by *int) error {
	result := exported{Name: o.dst, Format: o.format, Dim: o.dim, By: by}
	for _, v := range vars {
		result.Vars = append(result.Vars, exportedVar{v.info.Name, kindOf(v.info), v.info.Shape, v.info.Dims})
	}
	if wantsJSON(o.cmd) {
		return printJSON(o.cmd.OutOrStdout(), result)
	}
	for _, v := range result.Vars {
		if _, err := fmt.Fprintf(o.cmd.OutOrStdout(), "%s: %s %s %s\n", printable(o.dst), printable(v.Name), v.DType, describeShape(v.Dims, v.Shape)); err != nil {
			return err
		}
	}
	if by != nil {
		_, err := fmt.Fprintf(o.cmd.OutOrStdout(), "%d new along %s\n", *by, printable(o.dim))
		return err
	}
	return nil
}

// kindOf returns the name of an element type: string for labels.
func kindOf(i convert.Info) string {
	if i.Labels != nil {
		return "string"
	}
	return cmp.Or(i.DType, dtype.Uint8).String()
}
