package hyper

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/selection"
	"drx/dataset"
	"drx/dtype"
	"drx/formats"
	hyperscene "drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/scene/envi"
	"drx/hyper/scene/file"
)

// cubeOptions are the flags of verbs that read a hyperspectral scene.
type cubeOptions struct {
	dims, badBands, mask, memory string
	noData, saturated            float64
	keepZero, scaled             bool
	workers                      int
	team                         cli.Team
}

func (o *cubeOptions) flags(cmd *cobra.Command) {
	cmd.ValidArgsFunction = cli.CompleteArrays
	f := cmd.Flags()
	f.StringVar(&o.dims, "dims", "", "`names` of the dimensions of lines, samples and bands, as in y,x,band (default: found by their names)")
	f.StringVar(&o.badBands, "bad-bands", "", "`bands` to leave out, as in 0,103-107; besides those of an ENVI header or the attribute bbl")
	f.StringVar(&o.mask, "mask", "", "`map` of pixels to leave out, those that are not 0: an array, .npy or PNG of lines x samples")
	f.Float64Var(&o.noData, "no-data", 0, "`value` that stands for no measurement (default: that of an ENVI header, or the fill value)")
	f.Float64Var(&o.saturated, "saturated", 0, "`value` from which on the sensor is saturated")
	f.BoolVar(&o.keepZero, "keep-zero", false, "use pixels with nothing but zeros, too")
	f.BoolVar(&o.scaled, "scaled", false, "divide the values of an ENVI image by its reflectance scale factor")
	f.StringVar(&o.memory, "memory", "64MiB", "`bytes` of memory for spectra, as in 64MiB, and as much for chunks of the file; maps of the whole scene must fit in as much")
	f.IntVar(&o.workers, "workers", 0, "`number` of goroutines; results do not depend on it (default: one per processor)")
}

// A hyperCube is a scene that is open.
type hyperCube struct {
	*hyperscene.Cube
	name   string
	memory int64
}

// verb returns the RunE of a verb with one scene. check checks the options before the scene is
// opened, so that a wrong flag costs no reading.
func (o *cubeOptions) verb(check func(*cobra.Command) error, run func(*cobra.Command, *hyperCube) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd); err != nil {
			return err
		}
		return o.withCube(cmd, args[0], func(c *hyperCube) error { return run(cmd, c) })
	}
}

// withCube opens a scene, calls f and closes it. The processes of a team call f if all have opened
// it.
func (o *cubeOptions) withCube(cmd *cobra.Command, name string, f func(c *hyperCube) error) error {
	gate := o.team.Gate("open of " + name)
	return gate.Leave(o.openCube(cmd, name, func(c *hyperCube) error {
		if err := gate.Pass(nil); err != nil {
			return err
		}
		return f(c)
	}))
}

// openCube is withCube for this process.
func (o *cubeOptions) openCube(cmd *cobra.Command, name string, f func(c *hyperCube) error) error {
	memory, err := cli.ParseBytes("--memory", o.memory)
	if err != nil {
		return err
	}
	if o.workers < 0 {
		return cli.Usagef("--workers %d: want at least 1, or 0 for one per processor", o.workers)
	}
	opts := hyperscene.Options{
		Saturated: o.saturated, KeepZero: o.keepZero, Memory: int64(memory), Workers: cmp.Or(o.workers, o.team.Goroutines), Comm: o.team.Comm,
	}
	switch isArray, err := drx.Exists(name); {
	case err != nil:
		return err
	case !isArray && envi.IsImage(name):
		return o.withImage(cmd, name, opts, f)
	case isFile(name):
		return o.withFile(cmd, name, opts, f)
	}
	return arrays.WithOptions(name, drx.Options{Cache: int64(memory)}, func(a *drx.Array) error {
		src, err := o.arraySource(cmd, a, &opts)
		if err != nil {
			return err
		}
		return o.use(a.Name(), src, opts, f)
	})
}

// isFile reports whether a name denotes a regular file, in another format, and no array.
func isFile(name string) bool {
	if there, err := drx.Exists(name); err != nil || there {
		return false
	}
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// withImage opens an ENVI image as a scene, by the name of its header or of its data file.
func (o *cubeOptions) withImage(cmd *cobra.Command, name string, opts hyperscene.Options, f func(c *hyperCube) error) error {
	src, err := envi.Open(name, o.scaled)
	if err != nil {
		return err
	}
	own, h := src.Options(), src.Header
	opts.BadBands, opts.Wavelengths, opts.Unit, opts.NoData = own.BadBands, own.Wavelengths, own.Unit, o.noDataOr(cmd, own.NoData)
	bands := bandAttrs{gains: h.Gains, offsets: h.Offsets}
	bands.spread(h.Bands)
	if bands.gains != nil && o.scaled {
		return errors.Join(cli.Usagef("%s: --scaled: the header has data gain or offset values for each band, which are applied: leave --scaled out", cli.Printable(name)), src.Close())
	}
	scaled, err := bands.use(src, &opts)
	if err == nil {
		err = o.use(name, scaled, opts, f)
	}
	return errors.Join(err, src.Close())
}

// noDataOr returns the value of --no-data, or the scene's own value without the flag.
func (o *cubeOptions) noDataOr(cmd *cobra.Command, own *float64) *float64 {
	if cmd.Flags().Changed("no-data") {
		return &o.noData
	}
	return own
}

// withFile opens a file of another format as a scene.
func (o *cubeOptions) withFile(cmd *cobra.Command, name string, opts hyperscene.Options, f func(c *hyperCube) error) error {
	if o.scaled {
		return cli.Usagef("%s: --scaled is for ENVI images", cli.Printable(name))
	}
	var dims []string
	if o.dims != "" {
		if dims = selection.FieldsOf(o.dims); len(dims) != 3 {
			return cli.Usagef("--dims %s: want the dimensions of lines, samples and bands, as in y,x,band", o.dims)
		}
	}
	src, err := file.Open(name, dims, opts.Memory)
	if err != nil {
		return err
	}
	info := src.Info()
	attrs := map[string]json.RawMessage{}
	for attr, value := range info.Attrs {
		if attrs[attr], err = formats.EncodeAttr(value); err != nil {
			return errors.Join(fmt.Errorf("%s: attribute %s: %w", cli.Printable(name), attr, err), src.Close())
		}
	}
	opts.NoData = o.noDataOr(cmd, noDataOf(src.Number(), info.Fill))
	var scaled hyperscene.Source
	bands, err := bandAttrsOf(name, attrs, src.Bands())
	if err == nil {
		scaled, err = bands.use(src, &opts)
	}
	if err == nil {
		err = o.use(name, scaled, opts, f)
	}
	return errors.Join(err, src.Close())
}

// use makes a cube of a source and calls f.
func (o *cubeOptions) use(name string, src hyperscene.Source, opts hyperscene.Options, f func(c *hyperCube) error) error {
	bad, err := parseBadBands(o.badBands, src.Bands())
	if err != nil {
		return err
	}
	opts.BadBands = append(opts.BadBands, bad...)
	if o.mask != "" {
		mask, err := readMap(o.mask, src.Bounds(), opts.Memory)
		if err != nil {
			return err
		}
		opts.Masked = func(p hyperscene.Pixel) bool { return mask.At(p)[0] != 0 }
	}
	c, err := hyperscene.New(src, opts)
	if err != nil {
		return fmt.Errorf("%s: %w", cli.Printable(name), err)
	}
	if err := f(&hyperCube{c, name, opts.Memory}); err != nil {
		return inScene(name, err)
	}
	return nil
}

// otherFile is an error that names another file than the scene.
type otherFile struct{ error }

// Unwrap returns the underlying error.
func (e otherFile) Unwrap() error { return e.error }

// inScene adds the name of a scene to an error. Errors of the command line, of reading the scene
// and of other files stay as they are, since they already name their subject.
func inScene(name string, err error) error {
	usage, other, read := cli.UsageError{}, otherFile{}, (*hyperscene.ReadError)(nil)
	if errors.As(err, &usage) || errors.As(err, &other) || errors.As(err, &read) {
		return err
	}
	return fmt.Errorf("%s: %w", cli.Printable(name), err)
}

// arraySource returns the source of an array, within the bounds that readers of its dataset see,
// and sets its wavelengths.
func (o *cubeOptions) arraySource(cmd *cobra.Command, a *drx.Array, opts *hyperscene.Options) (hyperscene.Source, error) {
	if o.scaled {
		return nil, cli.Usagef("%s: --scaled is for ENVI images", a.Name())
	}
	dims, err := o.findDims(a)
	if err != nil {
		return nil, err
	}
	src, err := array.New(a, dims)
	if err != nil {
		return nil, err
	}
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return nil, err
	}
	seen := axes.Bounds()
	if opts.Wavelengths, opts.Unit, err = wavelengthsOf(a, axes, dims.Band); err != nil {
		return nil, err
	}
	opts.NoData = o.noDataOr(cmd, noDataOf(src.Number(), a.FillValue()))
	line, sample := seen[dims.Line], seen[dims.Sample]
	within := hyperscene.Within(src, hyperscene.Block{Lo: hyperscene.Pixel{Line: line.Lo, Sample: sample.Lo}, Hi: hyperscene.Pixel{Line: line.Hi, Sample: sample.Hi}})
	bands, err := bandAttrsOf(a.Name(), a.Attrs(), src.Bands())
	if err != nil {
		return nil, err
	}
	return bands.use(within, opts)
}

// noDataOf returns the fill value, which stands for no measurement: elements that were never
// written have it, and an import sets it to the ignore value of a header. It returns nil for 0 and
// NaN, because pixels with only zeros or with a NaN are left out anyway.
func noDataOf(t dtype.DType, fill []byte) *float64 {
	if t.IsComplex() || fill == nil {
		return nil
	}
	if v := t.Float64(fill); v != 0 && !math.IsNaN(v) {
		return &v
	}
	return nil
}

// findDims returns the dimensions of --dims, or else the ones with known names.
func (o *cubeOptions) findDims(a *drx.Array) (array.Dims, error) {
	if o.dims == "" {
		d, err := array.FindDims(a)
		if err != nil && a.Rank() == 3 {
			err = cli.Usagef("%w; name them with --dims LINES,SAMPLES,BANDS", err)
		}
		return d, err
	}
	names := strings.Split(o.dims, ",")
	if len(names) != 3 {
		return array.Dims{}, cli.Usagef("--dims %s: want the dimensions of lines, samples and bands, as in y,x,band", o.dims)
	}
	var d [3]int
	for i, name := range names {
		var err error
		if d[i], err = cli.ParseDim(a, strings.TrimSpace(name)); err != nil {
			return array.Dims{}, err
		}
	}
	return array.Dims{Line: d[0], Sample: d[1], Band: d[2]}, nil
}

// wavelengthsOf returns the wavelengths of the bands of an array and their unit, from the
// coordinate or else from the attribute; nil if it has neither.
func wavelengthsOf(a *drx.Array, axes *dataset.Axes, band int) ([]float64, string, error) {
	bounds := a.Bounds()[band]
	c, err := axes.Coordinate(band)
	if err != nil {
		return nil, "", err
	}
	if unit := ""; c != nil && !c.IsTime() && c.Bounds() == bounds {
		if unit = hyperscene.LengthUnit(c.Attr("units")); unit != "" || strings.HasPrefix(strings.ToLower(a.Dims()[band]), "wave") {
			waves := make([]float64, 0, bounds.Len())
			for i := bounds.Lo; i < bounds.Hi; i++ {
				waves = append(waves, c.Float64(i))
			}
			return waves, unit, nil
		}
	}
	found, err := bandAttrsOf(a.Name(), a.Attrs(), bounds.Len())
	return found.wavelengths, found.unit, err
}

// parseBadBands parses --bad-bands: numbers and ranges, which include both ends.
func parseBadBands(text string, bands int) ([]int, error) {
	var list []int
	for _, field := range selection.FieldsOf(text) {
		low, high, ranged := strings.Cut(strings.TrimSpace(field), "-")
		if !ranged {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || from > to {
			return nil, cli.Usagef("--bad-bands %s: %q is neither a band nor a range of them; write 0,103-107", text, field)
		}
		if to >= bands {
			return nil, cli.Usagef("--bad-bands %s: band %d: the bands are 0 to %d", text, to, bands-1)
		}
		for b := from; b <= to; b++ {
			list = append(list, b)
		}
	}
	return list, nil
}
