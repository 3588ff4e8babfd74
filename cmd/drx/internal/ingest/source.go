package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/drx/internal/selection"
	"drx/cmd/internal/usage"
	"drx/dataset/cftime"
	numbers "drx/dataset/meaning"
	"drx/formats"
	"drx/formats/texttable"
	"drx/formats/transfer"
	"drx/internal/errkind"
	"drx/nd"
)

// A source is a file in another format, or another array, whose elements are to be written to an
// array.
type source struct {
	formats.Reader
	formats.Info // shape and order include the dimensions that addDim added
	name         string
	path         string // as on the command line
	inFile       []int  // for each dimension of the file its number in Shape
	conversion   *numbers.Conversion
	round        func(elements []byte) error // nil if they are not rounded
	// a note for people about the conversion, or why there is none; empty if none is needed
	note string
}

// inputOptions are the flags of the verbs that read files in other formats.
type inputOptions struct {
	memory, variable string
	clip, asStored   bool
	digits, bits     int
	table            texttable.Options
}

// flags adds the flags to a verb.
func (o *inputOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.variable, "var", "", "`name` of the variable, in files that have several")
	f.StringVar(&o.memory, "memory", "512MiB", "`bytes` of memory for decoding a picture, as in 64MiB")
	f.BoolVar(&o.asStored, "as-stored", false, "take the numbers as they are stored, whatever they mean")
	f.BoolVar(&o.clip, "clip", false, "round values to the array's element type, those out of range to its limits")
	usage.AddRoundingFlags(f, &o.digits, &o.bits)
	cli.AddTableFlags(cmd, &o.table)
}

// rounding returns what --digits and --bits ask for.
func (o inputOptions) rounding() (numbers.Rounding, error) {
	r, err := numbers.RoundTo(o.digits, o.bits)
	return r, cli.AsOptionUsageError(err)
}

// openSource opens a file, "-" for standard input.
func openSource(name string, o inputOptions) (*source, error) {
	memory, err := cli.ParseBytes("--memory", o.memory)
	if err != nil {
		return nil, err
	}
	if err := o.table.Check(); err != nil {
		return nil, cli.AsOptionUsageError(err)
	}
	in, err := transfer.Open(name, formats.Options{Variable: o.variable, Memory: int64(memory), Table: o.table})
	if errors.Is(err, formats.ErrMemory) {
		return nil, fmt.Errorf("%w; see --memory", err)
	}
	if errors.Is(err, formats.ErrVariable) {
		return nil, fmt.Errorf("%w; choose one with --var", err)
	}
	if err != nil {
		return nil, cli.AsOptionUsageError(err)
	}
	path := name
	if name == "-" {
		name = "standard input"
	}
	return &source{Reader: in, Info: in.Info(), name: name, path: path, inFile: nd.RowMajor.Dims(len(in.Info().Shape))}, nil
}

// align returns the Alignment that compares the coordinates of files with the array's, and prints
// its notes.
func (o inputOptions) align(cmd *cobra.Command, a *drx.Array, low, anyOrder bool) (*transfer.Alignment, error) {
	memory, err := cli.ParseBytes("--memory", o.memory)
	if err != nil {
		return nil, err
	}
	return transfer.Align(a, transfer.ImportOptions{Low: low, AnyOrder: anyOrder, AsStored: o.asStored, Memory: int64(memory), Note: noteTo(cmd), Options: o.table})
}

// noteTo returns a function that prints notes of package transfer, unless the program is quiet.
func noteTo(cmd *cobra.Command) func(text string) {
	return func(text string) {
		if !cli.IsQuiet(cmd) {
			fmt.Fprintln(cmd.ErrOrStderr(), "drx: "+text)
		}
	}
}

// openSourceFor opens a file and prepares the conversion of its elements to an array's; it returns
// an error if they cannot be converted.
func openSourceFor(a *drx.Array, x *transfer.Alignment, name string, o inputOptions) (*source, error) {
	in, err := openSource(name, o)
	if err == nil {
		x.Beside(in.Reader)
		err = in.convertTo(a, x, o)
	}
	if err != nil && in != nil {
		in.Close()
		in = nil
	}
	return in, err
}

// convertTo prepares the conversion that copyTo applies, so that elements mean the same in the
// array as in the source, and the rounding that the flags ask for.
func (s *source) convertTo(a *drx.Array, x *transfer.Alignment, o inputOptions) error {
	if err := s.convertMeaning(a, x, o); err != nil {
		return err
	}
	r, err := o.rounding()
	if err != nil {
		return err
	}
	round, note, err := transfer.RoundingLike(r, a, s.Attrs)
	if err != nil {
		return cli.AsOptionUsageError(err)
	}
	if s.round = round; s.note != "" && note != "" {
		note = "; " + note
	}
	s.note += note
	return nil
}

// convertMeaning is convertTo without rounding. Without --clip the array's type must represent all
// values of the source's type, unless numbers are packed. Files whose format has no attributes are
// read as stored numbers.
func (s *source) convertMeaning(a *drx.Array, x *transfer.Alignment, o inputOptions) (err error) {
	from, to := s.DType, a.DType()
	rule := numbers.Exact
	if o.clip {
		rule = numbers.Clip
	}
	if o.asStored || s.isBare() {
		s.conversion, err = transfer.Conversion(a, s.Info, rule, true)
	} else {
		s.conversion, err = x.Conversion(s.path, s.Info, rule)
	}
	if err == nil && s.conversion == nil {
		return nil
	}
	if isUnitless(a, s.Info, err) && !x.IsBounds() {
		was := err
		if s.conversion, err = x.Conversion(s.path, transfer.WithoutUnits(s.Info), rule); err == nil {
			s.note = describeStored(was)
		}
	}
	if err == nil {
		if s.note == "" {
			s.note = s.conversion.Describe()
		}
		return nil
	}
	refused := (*numbers.RefusedError)(nil)
	switch {
	case !errors.As(err, &refused):
	case from.IsComplex() && !to.IsComplex():
		return errkind.Errorf(drx.ErrDType, "%s: %v elements to %v: they would lose their imaginary parts", s.name, from, to)
	case refused.Kind == "type" && from == to && refused.From != refused.To: // one has _Unsigned
		return errkind.Errorf(drx.ErrDType, "%s: holds %s, %s holds %s: give both the same attribute _Unsigned; --as-stored takes the bytes as they are, --clip limits values out of range",
			s.name, refused.From, a.Name(), refused.To)
	case refused.Kind == "type" && !from.IsComplex():
		return errkind.Errorf(drx.ErrDType, "%s: holds %s, %s holds %s, which does not have all of its values: --clip rounds them and limits those out of range",
			s.name, refused.From, a.Name(), refused.To)
	case refused.Kind != "type":
		return fmt.Errorf("%s: %w; --as-stored takes the numbers as they are", s.name, err)
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// isBare reports whether the file's format has no attributes, as .npy.
func (s *source) isBare() bool {
	ext := strings.ToLower(filepath.Ext(s.name))
	_, columns := s.Attrs["columns"] // names, which do not describe numbers
	return (len(s.Attrs) == 0 || columns && len(s.Attrs) == 1) && (s.Info.Name == "" && s.Fill == nil || slices.Contains([]string{".csv", ".tsv", ".tab", ".npz"}, ext))
}

// isUnitless reports whether a file was refused only because the array has no attributes about the
// meaning of its numbers. The caller then accepts the file, as the units cannot contradict
// anything. Times are refused nevertheless: without units the array would not record from when they
// count.
func isUnitless(a *drx.Array, v formats.Info, err error) bool {
	refused := (*numbers.RefusedError)(nil)
	hasMeaning := slices.ContainsFunc(slices.Collect(maps.Keys(a.Attrs())), transfer.IsMeaning)
	units, _ := v.Attrs["units"].(string)
	return errors.As(err, &refused) && (refused.Kind == "units" || refused.Kind == "flag_meanings") && !hasMeaning && !cftime.IsTime(units)
}

// describeStored returns the note for an array without attributes about meaning; refused says what
// the file has.
func describeStored(refused error) string {
	return fmt.Sprintf("the array says nothing about what its numbers count, and takes those of the file (%v)", refused)
}

// addDim gives the source one more dimension, of extent one, as dimension d.
func (s *source) addDim(d int) {
	order := nd.Order{d} // slowest; any position does for an extent of one
	for _, other := range s.Order.Dims(len(s.Shape)) {
		if other >= d {
			other++
		}
		order = append(order, other)
	}
	inFile := slices.Clone(s.inFile)
	for i, own := range inFile {
		if own >= d {
			inFile[i]++
		}
	}
	s.Shape, s.Order, s.inFile = slices.Insert(slices.Clone(s.Shape), d, 1), order, inFile
}

// bytes returns the size of all elements in bytes.
func (s *source) bytes() int64 {
	n, _ := s.Bytes() // checked when the file was opened
	return int64(n)
}

// copyTo copies the source to a section of the array of the same shape. Compressed chunks whose
// codec and shape the array shares are copied as they are, others in slabs of bounded size.
func (s *source) copyTo(ctx context.Context, a *drx.Array, sec nd.Section, p *progress.Progress) error {
	if s.conversion == nil && s.round == nil {
		at, _ := cli.LowHigh(sec)
		done, err := transfer.CopyFrames(ctx, s.Reader, a, at, s.inFile, func(bytes int) { p.Add(bytes) })
		if done || err != nil {
			return err
		}
	}
	from, to := s.DType.Size(), a.DType().Size()
	larger := max(from, to)
	var buf []byte
	return selection.EachSlabOf(ctx, a, larger, sec, s.Order, func(slab nd.Section, n int) error {
		buf = slices.Grow(buf[:0], n)[:n]
		old := buf[:n/larger*from]
		if err := s.ReadSection(s.section(slab, sec), old); err != nil {
			return err
		}
		defer p.Add(len(old))
		converted, err := s.conversion.Apply(old)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.round != nil {
			if err := s.round(converted); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		return a.WriteBytes(slab, converted, s.Order)
	})
}

// section returns the section of the file that belongs to a slab of the array, where sec is the
// section of the whole file.
func (s *source) section(slab, sec nd.Section) nd.Section {
	of := nd.Section{}
	for _, d := range s.inFile {
		of = append(of, nd.Span(slab[d].Lo-sec[d].Lo, slab[d].Hi-sec[d].Lo))
	}
	return of
}
