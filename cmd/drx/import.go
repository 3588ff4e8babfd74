package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"drx"
	"drx/bridges/pipe"
	"drx/cmd/internal/usage"
	"drx/convert"
)

func newImport() *cobra.Command {
	var o importing
	cmd := &cobra.Command{
		Use:     "import SRC... DST",
		Short:   "Make an array or a dataset from a file in another format",
		GroupID: groupData,
		Long: `Make a new array from a file, or a dataset if the file has several variables or coordinates:
see 'drx help formats' for what is read. Element types and stored values are kept;
scale_factor and add_offset stay attributes. --unscale applies them and stores float64, with
NaN for missing values. The fill value is that of the file. A variable of strings becomes
the labels of its dimension, or else an array of indices in a list of strings, which is the
attribute import.strings. A variable of a type that DRX lacks is left out, and a note says why.

--expand rgb stores the colours of rasters that are indices into a colour table: uint8 with the
dimensions band, y, x. rgba has the transparency as a fourth band. Without it the indices are
stored, and the colour table is the attribute palette.

--var chooses variables; their coordinates come along. --list only prints what is in the
files. --chunk is the chunk shape; without it, it follows the chunks of the file. The import
takes at most about --memory.

--append DIM grows DST along a dimension by the extent that each file has there, one file
after the other; its coordinate grows, too. A variable without the dimension is a frame and
adds one index; so do scalars, of which --coordinate makes one the coordinate of DIM. Other
extents and coordinates must be the same. Times are converted to the units of DST. If DST
does not exist, the first file makes it. Each file is committed when it is complete. --low
grows below the lowest index; unlike those of 'drx append', several files stay in the order in
which they are given. The coordinate of a file must continue that of DST in its direction, so
that no file is imported twice; --any-order does not check this.

--widen lets the other dimensions grow, too: DST gets all coordinates of a file, which must
continue its own on one side or both, and what no file has reads as the fill value. Images
without coordinates are placed by their attributes geotransform or CRPIX1, CRPIX2.

After an interruption, or if a library fails, DST is a valid array or dataset with the
attribute import.progress; elements that are missing read as the fill value, and small variables
may be missing. The same command with --resume continues. After an error in the file itself nothing new is left.`,
		Example: `  drx import era5.nc weather
  drx import --list era5.nc
  drx import day1.nc day2.nc day3.nc weather --append time
  drx import day4_larger.nc weather --append time --widen
  drx import frame*.nc radar --append time --coordinate valid_time
  drx import scan.h5 scan --var entry/data --chunk 1,512,512
  drx import map.gn3 map --expand rgb`,
		Args: func(cmd *cobra.Command, args []string) error {
			if list, _ := cmd.Flags().GetBool("list"); list {
				return atLeast("SRC")(cmd, args)
			}
			if len(args) < 2 {
				return exactly("SRC...", "DST")(cmd, args)
			}
			return atLeast("SRC", "DST")(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.parse(cmd); err != nil {
				return err
			}
			if o.list {
				return o.printList(cmd, args)
			}
			o.cmd, o.dst = cmd, args[len(args)-1]
			o.limitMemory()
			return o.run(cmd.Context(), args[:len(args)-1])
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.vars, "var", nil, "`name` of a variable to import, see --list; may be repeated (default: all)")
	f.StringVar(&o.dim, "append", "", "`dimension` along which DST grows by each file")
	f.StringVar(&o.coordinate, "coordinate", "", "`name` of the variable that becomes the coordinate of the dimension of --append")
	f.BoolVar(&o.low, "low", false, "grow below the lowest index")
	f.BoolVar(&o.widen, "widen", false, "let other dimensions grow, too, to hold what the coordinates of a file have")
	f.BoolVar(&o.anyOrder, "any-order", false, "append also where the values of the coordinate do not go on")
	f.BoolVar(&o.list, "list", false, "print what is in the files and import nothing")
	f.BoolVar(&o.unscale, "unscale", false, "apply scale_factor and add_offset, and store float64")
	f.StringVar(&o.expand, "expand", "", "store the colours of a colour table instead of indices: `rgb` or rgba")
	f.StringVar(&o.format, "format", "", "`name` of the format (default: found from the file)")
	f.StringVar(&o.text.chunk, "chunk", "", "`extents` of a chunk (default: by the chunks of the file, about 1 MiB)")
	f.StringVar(&o.text.memory, "memory", "256MiB", "`bytes` of memory, as in 64MiB")
	f.BoolVar(&o.resume, "resume", false, "continue an import that was interrupted")
	completeFlag(cmd, "expand", cobra.FixedCompletions(expansions(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "format", cobra.FixedCompletions(readFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// readFormats returns the names of the formats that can be read.
func readFormats() []string {
	return namesOf(func(f convert.Format) bool { return f.Open != nil })
}

// expansions returns the values of --expand.
func expansions() []string { return slices.Sorted(maps.Keys(convert.Expansions)) }

// importing is the command line of one import.
type importing struct {
	vars                       []string
	dim, coordinate, format    string
	expand                     string
	low, list, unscale, resume bool
	widen, anyOrder            bool
	text                       struct{ chunk, memory string }
	chunk                      []int
	memoryLimit
	cmd   *cobra.Command
	dst   string
	noted map[string]bool // see noteDifference
}

func (o *importing) parse(cmd *cobra.Command) (err error) {
	if o.chunk, err = parseInts("--chunk", o.text.chunk); err != nil {
		return err
	}
	for _, n := range o.chunk {
		if n < 1 {
			return usagef("--chunk %s: want extents of at least 1", o.text.chunk)
		}
	}
	if o.memory, err = parseBytes("--memory", o.text.memory); err != nil {
		return err
	}
	for flag, given := range map[string]bool{"low": o.low, "widen": o.widen, "any-order": o.anyOrder} {
		if given && o.dim == "" {
			return usagef("import: --%s needs --append", flag)
		}
	}
	if o.coordinate != "" && o.dim == "" {
		return usagef("import: --coordinate needs --append: it names the coordinate of the dimension that grows")
	}
	if cmd.Flags().Changed("append") && o.dim == "" {
		return usagef("import: --append needs the name or the number of a dimension")
	}
	if o.expand != "" && convert.Expansions[o.expand] == 0 {
		return usagef("--expand %q: want %s", o.expand, orList(expansions()))
	}
	if o.format != "" {
		f, err := convert.ByName(o.format)
		if err != nil || f.Open == nil || f.Name != o.format {
			return usagef("--format %q: no such format%s: %s are read", o.format, usage.DidYouMean(o.format, readFormats()), orList(readFormats()))
		}
	}
	return nil
}

// limitMemory makes the garbage collector keep to the memory that the decoder, which may be another process, leaves. Otherwise the
// heap may have as much garbage as live memory.
func (o *importing) limitMemory() { debug.SetMemoryLimit(max(int64(o.memory)-o.codec(), leastHeap)) }

// leastHeap is how much memory a small import takes anyway, in bytes.
const leastHeap = 16 << 20

// options returns the options with which a variable of a file is opened.
func (o *importing) options(variable string) convert.Options {
	return convert.Options{Format: o.format, Variable: variable, Memory: o.codec()}
}

// run imports files to DST.
func (o *importing) run(ctx context.Context, names []string) error {
	there, err := o.exists()
	if err != nil {
		return err
	}
	if o.low { // each goes before the one that follows it
		slices.Reverse(names)
	}
	switch {
	case o.dim != "" && there:
		return o.appendAll(ctx, names)
	case o.dim != "":
		return o.createAndAppend(ctx, names)
	case len(names) > 1:
		return usagef("import: %d files: give --append and the dimension along which they follow each other, or import one by one", len(names))
	case there && !o.resume:
		return fmt.Errorf("%s: %w; choose another name, grow it with --append, or continue an interrupted import with --resume", o.dst, fs.ErrExist)
	}
	in, err := o.open(names[0])
	if err != nil {
		return err
	}
	defer in.close()
	made, err := o.create(ctx, in)
	if err != nil {
		return err
	}
	return o.print(made)
}

// exists reports whether there is an array or a folder of the name of DST.
func (o *importing) exists() (bool, error) {
	there, err := drx.Exists(o.dst)
	if there || err != nil {
		return there, err
	}
	_, err = os.Stat(o.dst)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// An importFile is a file to be imported.
type importFile struct {
	name    string
	content convert.Content
	stamp   fileStamp
	stdin   convert.Reader // standard input, which cannot be opened twice
}

// A fileStamp tells whether a file is the same as before.
type fileStamp struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified"` // in nanoseconds since 1970
}

// open looks at what is in a file.
func (o *importing) open(name string) (f *importFile, err error) {
	f = &importFile{name: name}
	if name == "-" {
		f.name = "standard input"
		if f.stdin, err = convert.Open(name, o.options("")); err != nil {
			return nil, o.explain(err)
		}
		f.content.Vars = []convert.Info{f.stdin.Info()}
		return f, o.expandAll(f)
	}
	if err := o.load(f); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	f.stamp = fileStamp{name, info.Size(), info.ModTime().UnixNano()}
	return f, nil
}

// load lists what is in a file.
func (o *importing) load(f *importFile) (err error) {
	if f.content.Vars == nil {
		if f.content, err = convert.List(f.name, o.options("")); err != nil {
			return o.explain(err)
		}
		if err = o.expandAll(f); err == nil {
			err = o.readLabels(f)
		}
	}
	return err
}

// unload forgets what is in a file until it is loaded again: an import may have very many files.
func (f *importFile) unload() {
	if f.stdin == nil {
		f.content = convert.Content{}
	}
}

// readLabels gets the strings of variables, which a list of variables does not have: a format knows them when it has read
// the elements.
func (o *importing) readLabels(f *importFile) error {
	for i, v := range f.content.Vars {
		wanted := len(o.vars) == 0 || slices.Contains(o.vars, v.Name) || isCoordinateVar(v)
		if n, err := v.Bytes(); o.list || v.Labels == nil || len(v.Labels) > 0 || v.Refused != "" || !wanted || err != nil || n == 0 {
			continue
		}
		r, err := o.reader(f, v.Name)
		if err != nil {
			return err
		}
		f.content.Vars[i].Labels = r.Info().Labels
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// expandAll changes the description of a file to what --expand makes of it.
func (o *importing) expandAll(f *importFile) error {
	channels, expanded := convert.Expansions[o.expand], false
	for i, v := range f.content.Vars {
		if channels > 0 && v.HasPalette() {
			f.content.Vars[i], expanded = v.Expanded(channels), true
		}
	}
	if channels > 0 && !expanded {
		return fmt.Errorf("%s: --expand %s: no raster in it has a colour table (attribute palette), so leave --expand out; pictures are read as colours",
			f.name, o.expand)
	}
	return nil
}

// expandOne replaces a reader of indices by one of their colours, if --expand says so.
func (o *importing) expandOne(r convert.Reader) (convert.Reader, error) {
	channels := convert.Expansions[o.expand]
	if channels == 0 || !r.Info().HasPalette() {
		return r, nil
	}
	expanded, err := convert.Expand(r, channels)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return expanded, nil
}

// explain adds what to do to an error of a file.
func (o *importing) explain(err error) error {
	switch {
	case errors.Is(err, pipe.ErrHelper): // says it
	case errors.Is(err, convert.ErrMemory):
		return fmt.Errorf("%w; a quarter of --memory %s is for decoding", err, o.text.memory)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w; the file is cut off or damaged: get it again", err)
	}
	if err == nil {
		return nil
	}
	return explainFile(err)
}

// reader opens a variable.
func (o *importing) reader(f *importFile, variable string) (convert.Reader, error) {
	if f.stdin != nil {
		r := f.stdin
		f.stdin = nil
		return r, nil
	}
	r, err := convert.Open(f.name, o.options(variable))
	if err == nil {
		r, err = o.expandOne(r)
	}
	return r, o.explain(err)
}

// close closes standard input if it was not read.
func (f *importFile) close() {
	if f.stdin != nil {
		_ = f.stdin.Close() // it was only read
	}
}

// An imported is what an import has made or grown.
type imported struct {
	Name    string          `json:"name"`
	Vars    []importedArray `json:"variables"`
	Refused []refusedVar    `json:"refused,omitempty"`
	Dim     string          `json:"dim,omitempty"`
	By      *int            `json:"by,omitempty"`
}

// An importedArray is an array that an import has made or grown.
type importedArray struct {
	arrayResult
	DType string   `json:"dtype"`
	Dims  []string `json:"dims"`
	Chunk []int    `json:"chunk"`
}

// A refusedVar is a variable that was left out.
type refusedVar struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func newImportedArray(a *drx.Array) importedArray {
	return importedArray{newArrayResult(a), a.DType().String(), a.Dims(), a.ChunkShape()}
}

// print prints what was made.
func (o *importing) print(made imported) error {
	out := o.cmd.OutOrStdout()
	if wantsJSON(o.cmd) {
		return printJSON(out, made)
	}
	for _, r := range made.Refused {
		fmt.Fprintf(o.cmd.ErrOrStderr(), "drx: variable %s is left out: %s\n", printable(r.Name), escaped(r.Reason))
	}
	for _, v := range made.Vars {
		if _, err := fmt.Fprintf(out, "%s: %s %s, chunks of %s\n", printable(v.Name), v.DType, describeShape(v.Dims, v.Shape), formatShape(v.Chunk)); err != nil {
			return err
		}
	}
	if made.By != nil {
		_, err := fmt.Fprintf(out, "%d new along %s\n", *made.By, printable(made.Dim))
		return err
	}
	return nil
}

// describeShape formats extents with the names of their dimensions: (time 24, lat 721, 5).
func describeShape(dims []string, shape []int) string {
	text := "("
	for d, n := range shape {
		if d > 0 {
			text += ", "
		}
		if d < len(dims) && dims[d] != "" {
			text += printable(dims[d]) + " "
		}
		text += fmt.Sprint(n)
	}
	return cmp.Or(text, "(") + ")"
}
