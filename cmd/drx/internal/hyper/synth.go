package hyper

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	hyperscene "drx/hyper/scene"
	"drx/hyper/synth"
)

// synthOptions are the flags of hyper synth.
type synthOptions struct {
	spec                  synth.Spec
	spectra, classes      string
	lines, samples, patch int
	enlarge               int
}

// A synthResult is the result of hyper synth.
type synthResult struct {
	Name    string   `json:"name"`
	Lines   int      `json:"lines"`
	Samples int      `json:"samples"`
	Bands   int      `json:"bands"`
	Classes []string `json:"classes"`
}

func newHyperSynth() *cobra.Command {
	var o synthOptions
	cmd := &cobra.Command{
		Use:   "synth FOLDER --spectra L.csv",
		Short: "Make a scene of which the truth is known exactly",
		Long: `Make a scene from the spectra of materials, with noise, mixing at the borders and uneven light,
and the truth that belongs to it, as arrays in a folder: FOLDER/scene, FOLDER/classes with the
number of the material of each pixel, from 1, and FOLDER/abundances with its parts.

Each spectrum of the file is a material. Their places are patches of about --patch pixels, or those of
--classes, a map with numbers from 0. The same --seed makes the same scene.`,
		Example: `  drx hyper synth made --spectra minerals.csv --lines 60 --samples 80 --snr 40 --mixing 3
  drx hyper synth fields --spectra crops.csv --classes salinas_gt.npy --snr 30 --correlation 0.5`,
		Args: cli.Exactly("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireValues(cmd, "spectra"); err != nil {
				return err
			}
			return o.run(cmd, filepath.Clean(args[0]))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.spectra, "spectra", "", "`file` of the spectra of materials: .csv, .json or an ENVI library")
	f.StringVar(&o.classes, "classes", "", "`map` of the numbers of materials: an array, .npy or PNG")
	f.IntVar(&o.enlarge, "enlarge", 1, "with --classes, make each of its pixels `N` x N pixels")
	f.IntVar(&o.lines, "lines", 100, "`number` of lines, without --classes")
	f.IntVar(&o.samples, "samples", 100, "`number` of samples, without --classes")
	f.IntVar(&o.patch, "patch", 16, "`extent` of the patches in pixels, without --classes")
	f.IntVar(&o.spec.Mixing, "mixing", 1, "mix pixels over a square of `K` x K pixels; odd")
	f.Float64Var(&o.spec.Illumination, "light", 0, "largest relative `change` of the light, below 1")
	f.Float64Var(&o.spec.SNR, "snr", 0, "`ratio` of signal to noise in decibels (default: no noise)")
	f.Float64Var(&o.spec.Correlation, "correlation", 0, "`correlation` of the noise of neighbouring bands, below 1")
	f.Float64Var(&o.spec.Scale, "scale", 0, "store integers, the nearest to `S` times the values (default: float32)")
	f.Uint64Var(&o.spec.Seed, "seed", 1, "`number` that chooses what is random")
	return cmd
}

func (o *synthOptions) run(cmd *cobra.Command, folder string) error {
	set, err := readSpectra(o.spectra)
	if err != nil {
		return err
	}
	o.spec.Spectra = set.Spectra
	if err := o.setBounds(cmd); err != nil {
		return err
	}
	src, err := synth.New(o.spec)
	if err != nil {
		return cli.Usagef("hyper synth: %w", err)
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	attrs := map[string]any{}
	if set.Wavelengths != nil {
		attrs = map[string]any{"wavelengths": set.Wavelengths, "wavelength_unit": set.Unit}
	}
	elements := dtype.Float32
	if o.spec.Scale != 0 {
		elements = dtype.Uint16
	}
	for _, part := range []struct {
		src  hyperscene.Source
		spec resultSpec
	}{
		{src, resultSpec{out: "scene", dtype: elements, values: src.Bands(), name: "band", attrs: attrs}},
		{src.Classes(), resultSpec{out: "classes", dtype: dtype.Int32, values: 1}},
		{src.Abundances(), resultSpec{out: "abundances", dtype: dtype.Float32, values: len(set.Spectra), name: "class"}},
	} {
		part.spec.out = filepath.Join(folder, part.spec.out)
		if err := copySource(cmd, part.src, part.spec); err != nil {
			return err
		}
	}
	b := o.spec.Bounds
	r := synthResult{folder, b.Lines(), b.Samples(), src.Bands(), set.Names}
	return cli.Confirm(cmd, r, "%s: %d lines, %d samples, %d bands, %d materials\n", cli.Printable(folder), r.Lines, r.Samples, r.Bands, len(r.Classes))
}

// setBounds sets the bounds and the map of the scene.
func (o *synthOptions) setBounds(cmd *cobra.Command) (err error) {
	given := cmd.Flags().Changed
	if o.classes == "" {
		if given("enlarge") {
			return cli.Usagef("hyper synth: --enlarge needs --classes")
		}
		if o.lines < 1 || o.samples < 1 {
			return cli.Usagef("hyper synth: a scene of %d lines x %d samples: want at least 1 of each", o.lines, o.samples)
		}
		o.spec.Bounds = hyperscene.Block{Hi: hyperscene.Pixel{Line: o.lines, Sample: o.samples}}
		if o.spec.Map, err = synth.Patches(len(o.spec.Spectra), o.patch, o.spec.Seed); err != nil {
			err = cli.Usagef("hyper synth: %w", err)
		}
		return err
	}
	if given("lines") || given("samples") || given("patch") {
		return cli.Usagef("hyper synth: --lines, --samples and --patch exclude --classes, which has the places")
	}
	values, _, shape, err := readValues(o.classes, 2, 0, hyperscene.DefaultMemory)
	if err != nil {
		return err
	}
	if len(shape) != 2 {
		return fmt.Errorf("%s: a map has lines and samples; this has the extents %s", cli.Printable(o.classes), times(shape))
	}
	numbers := make([]int, len(values))
	for i, v := range values {
		if numbers[i] = int(v); float64(numbers[i]) != v || v < 0 || numbers[i] > len(o.spec.Spectra) {
			return fmt.Errorf("%s: class %g at line %d, sample %d: there are %d spectra", cli.Printable(o.classes), v, i/shape[1], i%shape[1], len(o.spec.Spectra))
		}
	}
	if o.spec.Map, err = synth.FromClasses(numbers, shape[0], shape[1], o.enlarge); err != nil {
		return cli.Usagef("%s: %w", cli.Printable(o.classes), err)
	}
	o.spec.Bounds = hyperscene.Block{Hi: hyperscene.Pixel{Line: shape[0] * o.enlarge, Sample: shape[1] * o.enlarge}}
	return nil
}

// copySource writes a source to an array.
func copySource(cmd *cobra.Command, src hyperscene.Source, spec resultSpec) error {
	cube, err := hyperscene.New(src, hyperscene.Options{KeepZero: true})
	if err != nil {
		return err
	}
	_, err = writeResult(&hyperCube{cube, spec.out, hyperscene.DefaultMemory}, spec, func(to *hyperscene.Tee) error {
		return hyperscene.Copy(cmd.Context(), cube, to)
	})
	return err
}
