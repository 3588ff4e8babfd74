package hyper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/dataset"
	"drx/hyper"
	"drx/hyper/count"
	"drx/hyper/endmember"
	"drx/hyper/option"
	hyperscene "drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/unmix"
	"drx/internal/picture"
)

// watchSceneOptions are the flags of hyper watch.
type watchSceneOptions struct {
	cubeOptions
	search                       searchOptions
	state, endmembers, abundance string
	out, draw, animate           string
	anew, once                   bool
	updates, compare             int
	every, delay                 time.Duration
}

func newHyperWatch() *cobra.Command {
	var o watchSceneOptions
	cmd := &cobra.Command{
		Use:   "watch CUBE",
		Short: "Keep results up to date while a scene grows",
		Long: `Follow a scene that another program extends or overwrites, and keep results up to date: statistics,
endmembers (--method) and abundances (-o). An update reads mostly what has changed. It prints a line that
says how each result stands to a batch run over the scene as it is: equal bit for bit, or, for nfindr,
a simplex that no pixel of the scene enlarges. --json prints a line of JSON with the results instead.

Interrupt the command to end it; the exit code is then 0. --updates ends it after a number of
updates, --once after the first one. What it needs to go on is in an array, CUBE-session or that of
--state: the next run reads only what has changed since, also if this one was killed. A state that
was made with other options, or for another cube, is refused; --anew throws it away.

-o keeps the abundances in an array that grows with the scene: those of --endmembers, or of the
endmembers that --method finds, all anew whenever it finds other ones. --draw redraws a picture after each
update: maps of the abundances, or the scene. --animate writes an animation of these maps at the
end, one picture per update.

--bad-bands are indices of the dimension. Pixels beyond --mask are used. CUBE is an array; other bands
mean that the whole scene is read again.`,
		Example: `  drx hyper watch scene
  drx hyper watch scene --method nfindr --count 4 -o abundance --draw maps.png --animate growth.png
  drx hyper watch scene --endmembers E.json -o parts --once --json`,
		Args: cli.Exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			memory, err := cli.ParseBytes("--memory", o.memory)
			if err != nil {
				return err
			}
			return arrays.WithOptions(args[0], drx.Options{Cache: int64(memory)}, func(a *drx.Array) error {
				return o.watch(cmd, a)
			})
		},
	}
	o.flags(cmd)
	o.search.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.state, "state", "", "`array` of what is kept for the next update (default: CUBE-session)")
	f.BoolVar(&o.anew, "anew", false, "throw the state away, and begin from nothing")
	f.StringVar(&o.endmembers, "endmembers", "", "`file` of spectra whose abundances are kept (default: those that --method finds)")
	methodFlag(cmd, &o.abundance, "abundance", unmix.FCLS.Name, "`method` of the abundances", option.Names(unmix.Methods()))
	f.StringVarP(&o.out, "output", "o", "", "`array` of the abundances, made if it does not exist")
	drawFlag(cmd, &o.draw, "the abundances, or the scene, after each update,")
	f.StringVar(&o.animate, "animate", "", "at the end, write an animation of the abundances to a .gif, .png or .apng `file`")
	f.DurationVar(&o.delay, "delay", 500*time.Millisecond, "with --animate: how long each picture is shown, 20ms to 1m")
	f.BoolVar(&o.once, "once", false, "end after one update")
	f.IntVar(&o.updates, "updates", 0, "end after this `number` of updates, 0 for never")
	f.IntVar(&o.compare, "compare", 0, strings.Join(restarters(), ", ")+": after each update, print the ratio of the volume to that of the best of this `number` of batch runs, which read the whole scene")
	f.DurationVar(&o.every, "every", 250*time.Millisecond, "how often to look for changes")
	return cmd
}

// restarters returns the names of the methods whose result depends on where they start, and which
// --compare can restart.
func restarters() []string {
	var list []string
	for _, kind := range endmember.Kinds() {
		if _, ok := kind.New().(endmember.Restarter); ok {
			list = append(list, kind.Name)
		}
	}
	return list
}

// check checks the flags.
func (o *watchSceneOptions) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("method") || cmd.Flags().Changed("count") {
		if err := o.search.check(cmd); err != nil {
			return err
		}
	}
	if err := checkWord(cmd, "abundance", o.abundance, option.Names(unmix.Methods())); err != nil {
		return err
	}
	if o.once {
		o.updates = 1
	}
	switch {
	case o.scaled:
		return cli.Usagef("hyper watch: --scaled is for ENVI images, which do not grow")
	case o.updates < 0:
		return cli.Usagef("hyper watch: --updates %d: want 0 or more", o.updates)
	case o.compare < 0 || o.compare > 0 && !slices.Contains(restarters(), o.search.method):
		return cli.Usagef("hyper watch: --compare %d: want 0 or more, with --method %s", o.compare, strings.Join(restarters(), " or "))
	case o.every <= 0:
		return cli.Usagef("hyper watch: --every %s: want more than 0", o.every)
	case o.out == "" && o.endmembers != "":
		return cli.Usagef("hyper watch: --endmembers needs -o, the array of their abundances")
	case o.out == "" && o.animate != "":
		return cli.Usagef("hyper watch: --animate needs -o, the array of the abundances that it shows")
	case o.out != "" && o.endmembers == "" && o.search.Method == nil:
		return cli.Usagef("hyper watch: -o needs --endmembers, or --method to find them")
	}
	if o.animate != "" {
		if err := cli.CheckExtension(o.animate, ".gif", ".png", ".apng"); err != nil {
			return err
		}
		if err := picture.CheckDelay(o.delay); err != nil {
			return cli.Usagef("--%w", err)
		}
	}
	return checkDraw(o.draw)
}

// session opens the session over an array.
func (o *watchSceneOptions) session(cmd *cobra.Command, a *drx.Array) (*hyper.Session, []string, error) {
	so := hyper.SessionOptions{Noise: true, State: o.state, Anew: o.anew}
	memory, err := cli.ParseBytes("--memory", o.memory)
	if err != nil {
		return nil, nil, err
	}
	dims, err := o.findDims(a)
	if err != nil {
		return nil, nil, err
	}
	so.Dims = &dims
	so.Scene = hyperscene.Options{Saturated: o.saturated, KeepZero: o.keepZero, Memory: int64(memory), Workers: o.workers}
	bands := a.Bounds()[dims.Band]
	if so.Scene.BadBands, err = parseBadBands(o.badBands, bands.Hi); err != nil {
		return nil, nil, err
	}
	elements, err := array.NewElements(a.DType(), a.FillValue(), a.Attrs())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", a.Name(), err)
	}
	so.Scene.NoData = o.noDataOr(cmd, noDataOf(elements.Number, a.FillValue()))
	found, err := bandAttrsOf(a.Name(), a.Attrs(), bands.Len())
	if err != nil {
		return nil, nil, err
	}
	if found.gains != nil {
		return nil, nil, fmt.Errorf("%s: its bands have an offset or scales of their own (attributes scale_factor, add_offset), which are not "+
			"applied to a scene that grows: store the scaled values in another array", a.Name())
	}
	for _, b := range found.bad {
		so.Scene.BadBands = append(so.Scene.BadBands, bands.Lo+b)
	}
	axes, err := dataset.AxesOf(a)
	if err != nil {
		return nil, nil, err
	}
	if so.Scene.Wavelengths, so.Scene.Unit, err = wavelengthsOf(a, axes, dims.Band); err != nil {
		return nil, nil, err
	}
	if so.Scene.Masked, err = o.masked(); err != nil {
		return nil, nil, err
	}
	if o.search.Method != nil {
		so.Searches = []hyper.Search{o.search.Search}
	}
	names, err := o.abundances(cmd, &so, bands.Lo, bands.Hi)
	if err != nil {
		return nil, nil, err
	}
	s, err := hyper.OpenSession(a, so)
	return s, names, o.search.hint(err)
}

// masked returns the function of --mask, nil without one.
func (o *watchSceneOptions) masked() (func(hyperscene.Pixel) bool, error) {
	if o.mask == "" {
		return nil, nil
	}
	memory, err := cli.ParseBytes("--memory", o.memory)
	if err != nil {
		return nil, err
	}
	values, lo, shape, err := readValues(o.mask, 2, 0, int64(memory))
	if err != nil {
		return nil, otherFile{err}
	}
	if len(shape) != 2 {
		return nil, otherFile{fmt.Errorf("%s: a map of %s: want one value per line and sample", cli.Printable(o.mask), times(shape))}
	}
	if lo == nil {
		lo = []int{0, 0}
	}
	b := hyperscene.Block{Lo: hyperscene.Pixel{Line: lo[0], Sample: lo[1]}, Hi: hyperscene.Pixel{Line: lo[0] + shape[0], Sample: lo[1] + shape[1]}}
	return func(p hyperscene.Pixel) bool { return b.Contains(p) && values[b.Index(p)] != 0 }, nil
}

// abundances sets the session's options for abundances, and returns the names of the spectra in
// --endmembers. lo and hi are the bounds of the bands.
func (o *watchSceneOptions) abundances(cmd *cobra.Command, so *hyper.SessionOptions, lo, hi int) ([]string, error) {
	if o.out == "" {
		return nil, nil
	}
	method, err := option.Find("method", unmix.Methods(), o.abundance)
	if err != nil {
		return nil, cli.AsWrongUsage(err)
	}
	so.Abundances = &hyper.Abundances{Name: o.out, Method: method}
	if o.endmembers == "" {
		return nil, nil
	}
	grid := hyper.Grid{All: hi - lo, Unit: so.Scene.Unit}
	bad := map[int]bool{}
	for _, b := range so.Scene.BadBands {
		bad[b] = true
	}
	for b := lo; b < hi; b++ {
		if bad[b] {
			continue
		}
		grid.Bands = append(grid.Bands, b-lo)
		if so.Scene.Wavelengths != nil {
			grid.Wavelengths = append(grid.Wavelengths, so.Scene.Wavelengths[b-lo])
		}
	}
	grid.Count = len(grid.Bands)
	set, spectra, err := fitSpectra(cmd, grid, o.endmembers)
	if err != nil {
		return nil, err
	}
	so.Abundances.Spectra, so.Abundances.Names = spectra, set.Names
	return set.Names, nil
}

// watch follows an array until the context is done or the number of updates is reached.
func (o *watchSceneOptions) watch(cmd *cobra.Command, a *drx.Array) (err error) {
	s, names, err := o.session(cmd, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w := &sceneWatch{watchSceneOptions: o, cmd: cmd, name: a.Name(), session: s, names: names}
	done := 0
	err = s.Follow(cmd.Context(), o.every, func(r *hyper.Report) error {
		if err := w.show(r); err != nil {
			return err
		}
		if done++; done == o.updates {
			return cli.ErrCountReached
		}
		return nil
	})
	if errors.Is(err, context.Canceled) || errors.Is(err, cli.ErrCountReached) {
		err = nil
	}
	if err != nil || o.animate == "" {
		return err
	}
	return w.writeAnimation()
}

// A sceneWatch shows the results of a session.
type sceneWatch struct {
	*watchSceneOptions
	cmd      *cobra.Command
	name     string
	session  *hyper.Session
	names    []string // of the spectra in --endmembers
	pictures []*hyperscene.Plane
	labels   [][]string // names of the maps of each picture
	bytes    int64      // of the pictures
}

// A hyperWatch is a line of hyper watch.
type hyperWatch struct {
	sceneResult
	Update     int               `json:"update"`
	Pixels     int64             `json:"pixels"`  // used
	Changed    int64             `json:"changed"` // pixels that this update read
	Read       int64             `json:"read"`    // bytes of the cube
	Results    []hyper.Result    `json:"results"`
	Statistics []bandStatsResult `json:"statistics,omitempty"`
	materialCounts
	Found *hyper.Found `json:"found,omitempty"`
	Ratio *float64     `json:"ratio,omitempty"` // see --compare
}

// show draws and prints what an update has found.
func (w *sceneWatch) show(r *hyper.Report) error {
	if err := w.picture(r); err != nil {
		return err
	}
	ratio, err := w.ratio()
	if err != nil {
		return err
	}
	if cli.WantsJSON(w.cmd) {
		return w.printLine(r, ratio)
	}
	var said []string
	for _, x := range r.Results {
		text := x.Name + " " + string(x.Standing)
		if x.Edge > 0 {
			text += fmt.Sprintf(", provisional within %d of an edge", x.Edge)
		}
		if x.Problem != "" {
			text += ": " + x.Problem
		}
		said = append(said, text)
	}
	if len(r.Bands) == 0 {
		said = append(said, "no pixels yet")
	}
	if ratio != nil {
		said = append(said, fmt.Sprintf("volume %.4f of the best of %d batch runs", *ratio, w.compare))
	}
	_, err = fmt.Fprintf(w.cmd.OutOrStdout(), "update %d: lines %d:%d, samples %d:%d, %d pixels, %s read; %s\n",
		r.Update, r.Lines[0], r.Lines[1], r.Samples[0], r.Samples[1], r.Pixels, cli.ByteSize(r.Read), cli.Printable(strings.Join(said, "; ")))
	return err
}

// ratio returns the ratio that --compare asks for; nil without the flag or before there is a
// simplex.
func (w *sceneWatch) ratio() (*float64, error) {
	if w.compare == 0 || w.session.Cube() == nil {
		return nil, nil
	}
	if _, err := w.session.Found(0); err != nil {
		return nil, nil // the report has said why
	}
	ratio, err := w.session.Restart(w.cmd.Context(), 0, w.compare, false)
	return &ratio, err
}

// printLine prints an update as a line of JSON.
func (w *sceneWatch) printLine(r *hyper.Report, ratio *float64) error {
	line := hyperWatch{
		sceneResult: sceneResult{w.name, r.Lines, r.Samples, len(r.Bands)},
		Update:      r.Update, Pixels: r.Pixels, Read: r.Read, Results: r.Results, Ratio: ratio,
	}
	if line.Results == nil {
		line.Results = []hyper.Result{}
	}
	for _, b := range r.Changed {
		line.Changed += int64(b.Pixels())
	}
	if m := w.session.Moments(); m != nil {
		// Statistics that need more pixels than there are yet are left out.
		if bands, err := m.Bands(w.session.Cube()); err == nil {
			for _, b := range bands {
				line.Statistics = append(line.Statistics, bandStatsResult{b, result.Float(b.SNR)})
			}
		}
		if c, err := countMaterials(m.Spectra, count.Methods(), 1e-3); err == nil {
			line.materialCounts = c.materialCounts
		}
	}
	if w.search.Method != nil {
		if found, err := w.session.Found(0); err == nil {
			line.Found = found
		}
	}
	return cli.PrintJSON(w.cmd.OutOrStdout(), line)
}
