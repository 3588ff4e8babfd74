package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drx/hyper"
	"drx/hyper/count"
	"drx/hyper/stats"
	"drx/internal/plot"
)

// A countResult is the result of hyper count.
type countResult struct {
	sceneResult
	FalseAlarm float64 `json:"false_alarm"`
	HFC        *int    `json:"hfc,omitempty"`
	NWHFC      *int    `json:"nwhfc,omitempty"`
	HySime     *int    `json:"hysime,omitempty"`
	// Correlation and Covariance are the eigenvalues of these matrices.
	Correlation []float64 `json:"correlation_eigenvalues"`
	Covariance  []float64 `json:"covariance_eigenvalues"`
}

func newHyperCount() *cobra.Command {
	var o cubeOptions
	var method, draw string
	var alarm float64
	cmd := &cobra.Command{
		Use:   "count CUBE",
		Short: "Estimate how many materials a scene has",
		Long: `Estimate how many spectrally distinct materials a scene has. hfc compares the eigenvalues of the
correlation with those of the covariance, which differ where there is a signal; nwhfc does so
after the noise was made white, which the test supposes; hysime looks for the dimensions that have
more signal than noise, without a parameter. They often disagree: real scenes have variation that
is neither noise nor another material, and all three count it.`,
		Example: `  drx hyper count jasper.hdr
  drx hyper count jasper.hdr --method nwhfc --false-alarm 1e-5 --draw eigenvalues.png`,
		Args: exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkWord(cmd, "method", method, countMethods); err != nil {
				return err
			}
			if !(alarm > 0 && alarm < 0.5) {
				return usagef("hyper count: --false-alarm %g: want a probability above 0 and below 0.5", alarm)
			}
			if err := checkDraw(draw); err != nil {
				return err
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error { return printCount(cmd, c, method, alarm, draw) })
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&method, "method", "all", "`method`: hfc, nwhfc, hysime or all")
	f.Float64Var(&alarm, "false-alarm", 1e-3, "`probability` that hfc and nwhfc take noise for a material")
	drawFlag(cmd, &draw, "the eigenvalues")
	completeFlag(cmd, "method", fixedWords(countMethods...))
	return cmd
}

var countMethods = []string{"all", "hfc", "nwhfc", "hysime"}

func printCount(cmd *cobra.Command, c *hyperCube, method string, alarm float64, draw string) error {
	m, err := hyper.Measure(cmd.Context(), c.Cube, false)
	if err != nil {
		return err
	}
	tellLeftOut(cmd, c, m.Spectra.Count())
	r, err := countMaterials(m.Spectra, method, alarm)
	if err != nil {
		return err
	}
	if draw != "" {
		lines := []plot.Line{{Name: "correlation", Y: r.Correlation}, {Name: "covariance", Y: r.Covariance}}
		if err := drawScree("Eigenvalues of "+plot.Printable(c.name), "eigenvalue", lines, draw); err != nil {
			return err
		}
	}
	if wantsJSON(cmd) {
		r.sceneResult = newSceneResult(c)
		return printJSON(cmd.OutOrStdout(), r)
	}
	var said []string
	for _, line := range []struct {
		name string
		n    *int
	}{{"hfc", r.HFC}, {"nwhfc", r.NWHFC}, {"hysime", r.HySime}} {
		if line.n != nil {
			said = append(said, fmt.Sprintf("%s: %d\n", line.name, *line.n))
		}
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), strings.Join(said, ""))
	return err
}

// countMaterials counts by one method, or by all.
func countMaterials(m *stats.Moments, method string, alarm float64) (*countResult, error) {
	all := method == "all"
	r := &countResult{FalseAlarm: alarm}
	t, err := count.HFC(m, alarm) // its eigenvalues are always wanted
	if err != nil {
		return nil, err
	}
	r.Correlation, r.Covariance = t.Autocorrelation, t.Covariance
	if all || method == "hfc" {
		r.HFC = &t.Count
	}
	if all || method == "nwhfc" {
		noise, err := stats.Residual(m)
		if err != nil {
			return nil, err
		}
		white, err := count.NWHFC(m, noise, alarm)
		if err != nil {
			return nil, err
		}
		r.NWHFC = &white.Count
	}
	if all || method == "hysime" {
		s, err := count.HySime(m)
		if err != nil {
			return nil, err
		}
		r.HySime = &s.Count
	}
	return r, nil
}
