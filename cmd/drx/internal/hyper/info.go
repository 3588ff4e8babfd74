package hyper

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/display"
	"drx/cmd/internal/result"
	hyperscene "drx/hyper/scene"
)

// A sceneResult names a scene and the part of it that was used.
type sceneResult struct {
	Name    string `json:"name"`
	Lines   [2]int `json:"lines"`   // bounds
	Samples [2]int `json:"samples"` // bounds
	Bands   int    `json:"bands"`
}

func newSceneResult(c *hyperCube) sceneResult {
	b := c.Bounds()
	return sceneResult{c.name, [2]int{b.Lo.Line, b.Hi.Line}, [2]int{b.Lo.Sample, b.Hi.Sample}, c.Bands()}
}

// A hyperInfo is the result of hyper info.
type hyperInfo struct {
	sceneResult
	*hyperscene.Survey
	Low  result.Float `json:"low"`
	High result.Float `json:"high"`

	Wavelengths []float64 `json:"wavelengths,omitempty"`
	Unit        string    `json:"unit,omitempty"`
	RGB         *[3]int   `json:"rgb,omitempty"`
}

func newHyperInfo() *cobra.Command {
	var o cubeOptions
	var draw, rgb string
	cmd := &cobra.Command{
		Use:   "info CUBE",
		Short: "Say what a scene has, and which pixels can be used",
		Long: `Read a scene once and say what it has: lines, samples, bands and wavelengths; how many pixels
can be used, and why others cannot; the range of the values; and bands with only one value,
which should be left out by --bad-bands.

--draw draws the scene in three of its bands as red, green and blue, those of --rgb. By default
they are the bands nearest to 640, 550 and 460 nm or, without wavelengths, three evenly spaced
ones.`,
		Example: `  drx hyper info jasper.hdr
  drx hyper info salinas --mask spoilt.png --draw salinas.png --rgb 29,19,9`,
		Args: cli.Exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDraw(draw); err != nil {
				return err
			}
			if rgb != "" && draw == "" {
				return cli.Usagef("hyper info: --rgb needs --draw, the file of the picture")
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error { return printHyperInfo(cmd, c, draw, rgb) })
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&draw, "draw", "", "draw the scene to a .png or .svg `file`")
	cmd.Flags().StringVar(&rgb, "rgb", "", "three `bands` for red, green and blue, as in 29,19,9")
	return cmd
}

func printHyperInfo(cmd *cobra.Command, c *hyperCube, draw, rgb string) error {
	survey, err := hyperscene.NewSurvey(cmd.Context(), c.Cube)
	if err != nil {
		return err
	}
	i := hyperInfo{sceneResult: newSceneResult(c), Survey: survey, Low: result.Float(survey.Low), High: result.Float(survey.High)}
	i.Wavelengths, i.Unit = c.Wavelengths()
	if draw != "" {
		bands, err := chooseRGB(c, rgb)
		if err != nil {
			return err
		}
		i.RGB = &bands
		if err := drawComposite(cmd, c, bands, draw); err != nil {
			return err
		}
	}
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), i)
	}
	return i.print(cmd.OutOrStdout())
}

// print prints the description as text.
func (i hyperInfo) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: lines %d:%d, samples %d:%d, %d bands", cli.Printable(i.Name), i.Lines[0], i.Lines[1], i.Samples[0], i.Samples[1], i.Bands)
	if n := len(i.Wavelengths); n > 0 {
		fmt.Fprintf(&b, ", %g to %g %s", i.Wavelengths[0], i.Wavelengths[n-1], i.Unit)
	}
	fmt.Fprintf(&b, "\n%d of %d pixels can be used, values from %g to %g\n", i.Usable, i.Pixels, float64(i.Low), float64(i.High))
	for _, reason := range []struct {
		n    int
		text string
	}{
		{i.Masked, "are masked"},
		{i.NotFinite, "have NaN or an infinity"},
		{i.Missing, "have the value for no data"},
		{i.Saturated, "are saturated"},
		{i.Zero, "have only zeros"},
		{i.Negative, "can be used and have a negative value"},
	} {
		if reason.n > 0 {
			fmt.Fprintf(&b, "%d pixels %s\n", reason.n, reason.text)
		}
	}
	if len(i.ConstantBands) > 0 {
		fmt.Fprintf(&b, "bands with only one value, to be left out by --bad-bands: %s\n", cli.FormatInts(i.ConstantBands))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// chooseRGB returns the numbers in the cube of the bands for red, green and blue, from --rgb or by
// wavelength.
func chooseRGB(c *hyperCube, text string) ([3]int, error) {
	waves, unit := c.Wavelengths()
	numbers := c.SourceBands()
	var rgb [3]int
	if text == "" {
		for i, b := range hyperscene.Composite(c.Bands(), waves, unit) {
			rgb[i] = numbers[b]
		}
		return rgb, nil
	}
	list, err := display.ParseBands(text)
	if err != nil {
		return rgb, err
	}
	for i, b := range list {
		if bandIndex(c.Cube, b) < 0 {
			return rgb, cli.Usagef("--rgb %s: band %d is bad or does not exist: the bands are %d to %d", text, b, numbers[0], numbers[len(numbers)-1])
		}
		rgb[i] = b
	}
	return rgb, nil
}

// bandIndex returns the index in the cube of a band of its source, -1 if the cube does not have it.
func bandIndex(c *hyperscene.Cube, number int) int {
	for i, b := range c.SourceBands() {
		if b == number {
			return i
		}
	}
	return -1
}
