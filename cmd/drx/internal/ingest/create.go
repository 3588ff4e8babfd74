package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/internal/usage"
	"drx/cube"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats/transfer"
	"drx/internal/fileset"
)

// creation are the flags of append that describe the array to create.
type creation struct {
	create                          bool
	dtype, fill, chunk, dims, codec string

	choice string // the codec that --codec auto chose, or a new dimension, for people
}

// createFlags are the names of the flags that need --create.
var createFlags = []string{"dtype", "fill", "chunk", "dims", "codec"}

// flags adds the flags to append.
func (c *creation) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&c.create, "create", false, "create the array if it does not exist")
	f.StringVar(&c.dtype, "dtype", "", "with --create: element `type` (default: that of the first file; CSV: float64)")
	f.StringVar(&c.fill, "fill", "", "with --create: fill `value` (default: that of the first file, or 0; CSV: NaN, 0 for integers)")
	f.StringVar(&c.chunk, "chunk", "", "with --create: `extents` of a chunk (default: about 1 MiB; CSV: 4096 elements, cubical)")
	f.StringVar(&c.dims, "dims", "", "with --create: `names` of all dimensions, as in time,y,x")
	f.StringVar(&c.codec, "codec", "", "with --create: `codec` that compresses the chunks, see create, or auto, which tries some on the first file (default: none)")
	cli.CompleteFlag(cmd, "dtype", cobra.FixedCompletions(cli.DtypeNames(), cobra.ShellCompDirectiveNoFileComp))
}

// check returns an error for flags without --create.
func (c *creation) check(cmd *cobra.Command) error {
	for _, flag := range createFlags {
		if cmd.Flags().Changed(flag) && !c.create {
			if flag == "codec" {
				return cli.Usagef("append: --codec is for an array that --create makes: one that exists has its codec, which drx recompress changes")
			}
			return cli.Usagef("append: --%s needs --create", flag)
		}
	}
	return nil
}

// open opens the array for writing. With --create, it creates the array that spec describes if
// there is none; one that exists must agree with the flags. A created array is in
// outfile.Temporary, and so removed on interruption, until a file is complete.
func (c *creation) open(cmd *cobra.Command, name string, spec func() (drx.Spec, error)) (a *drx.Array, created bool, err error) {
	a, err = arrays.OpenToChange(cmd, name, drx.Options{Write: true})
	if c.create && errors.Is(err, fs.ErrNotExist) {
		if err := cli.CheckNewName(cmd, name); err != nil {
			return nil, false, err
		}
		a, created, err = c.createOrOpen(cmd, name, spec)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; --create makes a new array", err)
	}
	if err != nil || created || !c.create {
		return a, created, err
	}
	if err := c.checkSame(a); err != nil {
		return nil, false, errors.Join(err, a.Discard())
	}
	return a, false, nil
}

// createTries is the number of times that createOrOpen tries to open an array that another process
// seems to be creating, arrays.FirstWait apart: one second in all.
const createTries = 100

// createOrOpen creates an array that did not exist, or opens it if another process has created it
// meanwhile. While the other process is still writing the files, Create fails because some exist
// and Open because some are missing: then it tries to open again.
func (c *creation) createOrOpen(cmd *cobra.Command, name string, spec func() (drx.Spec, error)) (a *drx.Array, created bool, err error) {
	described, err := spec()
	if err != nil {
		return nil, false, err
	}
	if err := datasets.CheckOtherKind(name); err != nil {
		return nil, false, err
	}
	a, err = drx.Create(name, described)
	if err == nil {
		outfile.Temporary.AddArray(a.Name())
		cli.NoteOf(cmd, a.Name(), c.choice)
		cli.NoteHoles(cmd, a.Name(), described.Codec)
		return a, true, nil
	}
	for try := 0; errors.Is(err, fs.ErrExist) && try < createTries && cmd.Context().Err() == nil; try++ {
		a, openErr := arrays.OpenToChange(cmd, name, drx.Options{Write: true})
		if !errors.Is(openErr, fs.ErrNotExist) {
			return a, false, openErr
		}
		time.Sleep(arrays.FirstWait)
	}
	return nil, false, cli.AsUsageError(err)
}

// apply sets the fields of a specification that flags were given for.
func (c *creation) apply(spec *drx.Spec) (err error) {
	if c.dtype != "" {
		if spec.DType, err = cli.ParseType(c.dtype); err != nil {
			return err
		}
	}
	if c.chunk != "" {
		if spec.ChunkShape, err = cli.ParseInts("--chunk", c.chunk); err != nil {
			return err
		}
	}
	if c.fill != "" {
		spec.FillValue = c.fill
	}
	if spec.Codec, err = cli.ParseCodecOrAuto(c.codec); err != nil {
		return err
	}
	return cli.CheckNames(spec.Dims...)
}

// checkSame returns a usage error if an existing array contradicts a flag.
func (c *creation) checkSame(a *drx.Array) error {
	var given drx.Spec
	if err := c.apply(&given); err != nil {
		return err
	}
	t := a.DType()
	switch fill, err := t.Encode(c.fill); {
	case c.dtype != "" && t != given.DType:
		return cli.Usagef("--dtype %s: %s exists and is %v", c.dtype, a.Name(), t)
	case c.chunk != "" && !slices.Equal(given.ChunkShape, a.ChunkShape()):
		return cli.Usagef("--chunk %s: %s exists and has chunks of %s", c.chunk, a.Name(), cli.FormatInts(a.ChunkShape()))
	case c.fill != "" && (err != nil || !bytes.Equal(fill, a.FillValue())):
		return cli.Usagef("--fill %s: %s exists and has the fill value %s", c.fill, a.Name(), t.Format(a.FillValue()))
	case c.dims != "" && c.dims != strings.Join(a.Dims(), ","):
		return cli.Usagef("--dims %s: %s exists and has the dimensions %s", c.dims, a.Name(), strings.Join(cli.DimNames(a), ","))
	case c.codec != "" && c.codec != drx.AutoCodec && given.Codec != a.Layout().Codec:
		return cli.Usagef("--codec %s: %s exists and has the codec %s", c.codec, a.Name(), a.Layout().Codec)
	}
	return nil
}

// specOfRows returns the specification of an array for CSV files.
func (c *creation) specOfRows(dims []string) (drx.Spec, error) {
	t := dtype.Float64
	var err error
	if c.codec == drx.AutoCodec {
		return drx.Spec{}, cli.Usagef("append: --codec auto is not for CSV files, whose rows are read when the array is there: name a codec, or drx recompress --codec auto afterwards")
	}
	if c.dtype != "" {
		if t, err = cli.ParseType(c.dtype); err != nil {
			return drx.Spec{}, err
		}
	}
	if err := cli.CheckDims(dims...); err != nil {
		return drx.Spec{}, err
	}
	spec := cube.Spec(t, dims...)
	return spec, c.apply(&spec)
}

// specOfFiles returns the specification of an array to which files like the first one are to be
// appended along a dimension. It has extent 0 along that dimension, and no chunk.
func (c *creation) specOfFiles(first *source, dim string, r meaning.Rounding) (drx.Spec, error) {
	spec := drx.Spec{DType: first.DType}
	if first.Fill != nil && c.dtype == "" {
		spec.FillValue = first.DType.Format(first.Fill)
	}
	var err error
	if spec.Attrs, err = transfer.MeaningAttrs(first.Info, c.dtype == ""); err != nil {
		return spec, err
	}
	isSlice, err := c.nameDims(&spec, first, dim)
	if err != nil {
		return spec, err
	}
	d, err := numberOfDim(spec.Dims, dim)
	if err != nil {
		return spec, err
	}
	spec.Shape = slices.Clone(first.Shape)
	if isSlice {
		spec.Shape = slices.Insert(spec.Shape, d, 0)
	}
	if isSlice && c.dims == "" && len(first.Shape) > 2 {
		c.choice = fmt.Sprintf("%s is a slice along the new dimension %s; --dims names its own dimensions, of which one may grow", first.name, cli.Printable(dim))
	}
	shape := slices.Clone(spec.Shape)
	spec.Shape[d] = 0
	if err := c.apply(&spec); err != nil {
		return spec, err
	}
	round, err := roundNew(&spec, r)
	if err != nil || spec.Codec != drx.AutoCodec {
		return spec, err
	}
	if isSlice {
		shape[d] = 1
	}
	return spec, c.chooseCodec(&spec, first, shape, round, map[bool]int{true: d, false: -1}[isSlice])
}

// roundNew adds the attribute about rounding to the specification of a new array, and returns a
// function that rounds its elements in place; nil if they are not rounded.
func roundNew(spec *drx.Spec, r meaning.Rounding) (round func(elements []byte) error, err error) {
	if r.IsNone() {
		return nil, nil
	}
	attrs := map[string]json.RawMessage{}
	for name, value := range spec.Attrs {
		if attrs[name], err = json.Marshal(value); err != nil {
			return nil, err
		}
	}
	fill, err := spec.DType.Encode(fmt.Sprint(cmp.Or(spec.FillValue, any(0))))
	if err != nil {
		return nil, cli.AsUsageError(err)
	}
	m, err := meaning.Of(spec.DType, fill, attrs, nil)
	if err != nil {
		return nil, err
	}
	if round, err = r.Of(m); err != nil {
		return nil, cli.AsOptionUsageError(r.Wrong("%w", err))
	}
	spec.Attrs[r.Attr()] = r.Number(attrs)
	return round, nil
}

// nameDims sets the names of the dimensions, and reports whether the file is a slice, which lacks
// the dimension along which it is appended. It is one if --dims has one name more than the file has
// dimensions or, without --dims, if no dimension of the file has the name in --dim.
func (c *creation) nameDims(spec *drx.Spec, first *source, dim string) (isSlice bool, err error) {
	rank := len(first.Shape)
	if c.dims != "" {
		spec.Dims = strings.Split(c.dims, ",")
		if err := cli.CheckDims(spec.Dims...); err != nil {
			return false, err
		}
		if _, err := strconv.Atoi(dim); err != nil && !slices.Contains(spec.Dims, dim) {
			return false, cli.Usagef("--dims %s: must contain --dim %s%s, as in %s,%s", c.dims, dim, usage.DidYouMean(dim, spec.Dims), dim, c.dims)
		}
		for i, name := range spec.Dims {
			if name != "" && slices.Index(spec.Dims, name) < i {
				return false, cli.Usagef("--dims %s: %q is given twice", c.dims, name)
			}
		}
		if n := len(spec.Dims); n != rank && n != rank+1 {
			return false, cli.Usagef("--dims %s: %d names, but %s has %d dimensions: want %d, or %d to append it as a slice",
				c.dims, n, first.name, rank, rank, rank+1)
		}
		return len(spec.Dims) > rank, nil
	}
	spec.Dims = make([]string, rank)
	copy(spec.Dims, first.Dims)
	if _, err := strconv.Atoi(dim); err == nil || slices.Contains(spec.Dims, dim) {
		return false, nil
	}
	spec.Dims = slices.Insert(spec.Dims, 0, dim)
	return true, nil
}

// numberOfDim returns the number of the dimension with a name or number, of an array to be created.
func numberOfDim(dims []string, text string) (int, error) {
	if d := slices.Index(dims, text); d >= 0 && text != "" {
		return d, nil
	}
	if d, err := strconv.Atoi(text); err == nil && d >= 0 && d < len(dims) {
		return d, nil
	}
	return 0, cli.Usagef("--dim %q: no such dimension%s: the array to create has %d, %s; a name without --dims makes a new first one",
		text, usage.DidYouMean(text, dims), len(dims), strings.Join(cli.PrintableDims(dims), ","))
}

// removeCreated removes an array that this process created, unless another process has appended to
// it since. It opens the array first, which empties all files but the log. So if the process is
// killed meanwhile, what remains is an empty array, or files that do not prevent the next creation.
func removeCreated(name string) {
	a, err := drx.Open(name, drx.Options{Write: true})
	if err != nil {
		return // another process has opened it
	}
	defer func() { _ = a.Discard() }()
	if a.Grid().Chunks() > 0 {
		return
	}
	_ = fileset.RemoveLocked(fileset.OS(), fileset.NewName(fileset.OS(), a.Name()))
}
