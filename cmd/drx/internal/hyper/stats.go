package hyper

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/internal/result"
	"drx/hyper"
	"drx/hyper/library"
	"drx/internal/plot"
)

// A bandStatsResult has the statistics of a band.
type bandStatsResult struct {
	hyper.Band
	SNR result.Float `json:"snr"`
}

// A hyperStats is the result of hyper stats.
type hyperStats struct {
	sceneResult
	Pixels      int64             `json:"pixels"` // used
	Statistics  []bandStatsResult `json:"statistics"`
	Covariance  [][]float64       `json:"covariance,omitempty"`
	Correlation [][]float64       `json:"correlation,omitempty"`
}

func newHyperStats(team cli.Team) *cobra.Command {
	o := cubeOptions{team: team}
	var draw string
	var matrices bool
	cmd := &cobra.Command{
		Use:   "stats CUBE",
		Short: "Compute mean, deviation, noise and signal-to-noise ratio of each band",
		Long: `Compute for each band, over the usable pixels, the mean, the standard deviation, the standard
deviation of the noise, and the ratio of the mean to the noise. The noise is found from the
differences between neighbouring pixels, so edges in the scene count as noise.

For integers of at most 16 bits all sums are exact. The results do not depend on --workers and
--memory, and are those of a scene that has grown step by step.`,
		Example: `  drx hyper stats jasper.hdr
  drx hyper stats jasper.hdr --draw mean.png --json`,
		Args: cli.Exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkDraw(draw); err != nil {
				return err
			}
			if matrices && !cli.WantsJSON(cmd) {
				return cli.Usagef("hyper stats: --matrices needs --json")
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error {
				m, err := hyper.Measure(cmd.Context(), c.Cube, true)
				if err != nil || !team.First() {
					return err
				}
				return printHyperStats(cmd, c, m, draw, matrices)
			})
		},
	}
	o.flags(cmd)
	drawFlag(cmd, &draw, "the mean spectrum with its deviation and noise")
	cmd.Flags().BoolVar(&matrices, "matrices", false, "with --json, print covariances and correlations of the bands as well")
	return cmd
}

func printHyperStats(cmd *cobra.Command, c *hyperCube, m *hyper.Moments, draw string, matrices bool) error {
	bands, err := m.Bands(c.Cube)
	if err != nil {
		return err
	}
	noteLeftOut(cmd, c, m.Spectra.Count())
	if draw != "" {
		if err := drawStats(c, bands, draw); err != nil {
			return err
		}
	}
	if cli.WantsJSON(cmd) {
		r := hyperStats{sceneResult: newSceneResult(c), Pixels: m.Spectra.Count()}
		for _, b := range bands {
			r.Statistics = append(r.Statistics, bandStatsResult{b, result.Float(b.SNR)})
		}
		if matrices {
			if r.Covariance, r.Correlation, err = m.Matrices(); err != nil {
				return err
			}
		}
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "band\twavelength\tmean\tdeviation\tnoise\tSNR\t")
	for _, b := range bands {
		wave := "-"
		if b.Wavelength != nil {
			wave = fmt.Sprintf("%g", *b.Wavelength)
		}
		fmt.Fprintf(w, "%d\t%s\t%.6g\t%.6g\t%.4g\t%.4g\t\n", b.Band, wave, b.Mean, b.Deviation, b.Noise, b.SNR)
	}
	return w.Flush()
}

// drawStats draws the mean spectrum, one standard deviation above and below it, and the noise.
func drawStats(c *hyperCube, bands []hyper.Band, file string) error {
	lines := make([][]float64, 4)
	for _, b := range bands {
		for i, v := range []float64{b.Mean, b.Mean + b.Deviation, b.Mean - b.Deviation, b.Noise} {
			lines[i] = append(lines[i], v)
		}
	}
	s := &hyper.Spectra{Library: library.Library{Names: []string{"mean", "mean + deviation", "mean - deviation", "noise"}, Spectra: lines}, Bands: c.SourceBands()}
	s.Wavelengths, s.Unit = c.Wavelengths()
	return drawSpectra("Mean spectrum of "+plot.Printable(c.name), s, file)
}
