package hyper

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"drx/cmd/drx/internal/cli"
	"drx/hyper"
	"drx/hyper/count"
	"drx/hyper/option"
	"drx/hyper/stats"
	"drx/internal/plot"
)

// A countResult is the result of hyper count.
type countResult struct {
	sceneResult
	FalseAlarm float64 `json:"false_alarm"`
	materialCounts
	// Correlation and Covariance are the eigenvalues of these matrices.
	Correlation []float64 `json:"correlation_eigenvalues"`
	Covariance  []float64 `json:"covariance_eigenvalues"`
}

// materialCounts has the count of each method of package count, nil if it was not asked for.
type materialCounts struct {
	HFC    *int `json:"hfc,omitempty"`
	NWHFC  *int `json:"nwhfc,omitempty"`
	HySime *int `json:"hysime,omitempty"`
}

// byName returns the field of each method.
func (c *materialCounts) byName() map[string]**int {
	return map[string]**int{"hfc": &c.HFC, "nwhfc": &c.NWHFC, "hysime": &c.HySime}
}

func newHyperCount(team cli.Team) *cobra.Command {
	o := cubeOptions{team: team}
	var method, draw string
	var alarm float64
	cmd := &cobra.Command{
		Use:   "count CUBE",
		Short: "Estimate how many materials a scene has",
		Long: `Estimate how many spectrally distinct materials a scene has.

` + methodHelp(option.Choices(count.Methods())) + `
They often disagree: real scenes have variation that is neither noise nor another material, and all
three count it.`,
		Example: `  drx hyper count jasper.hdr
  drx hyper count jasper.hdr --method nwhfc --false-alarm 1e-5 --draw eigenvalues.png`,
		Args: cli.Exactly("CUBE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			methods := count.Methods()
			if method != allMethods {
				if err := checkWord(cmd, "method", method, append(option.Names(methods), allMethods)); err != nil {
					return err
				}
				methods = slices.DeleteFunc(methods, func(m *count.Method) bool { return m.Name != method })
			}
			if !(alarm > 0 && alarm < 0.5) {
				return cli.Usagef("hyper count: --false-alarm %g: want a probability above 0 and below 0.5", alarm)
			}
			if err := checkDraw(draw); err != nil {
				return err
			}
			return o.withCube(cmd, args[0], func(c *hyperCube) error {
				m, err := hyper.Measure(cmd.Context(), c.Cube, false)
				if err != nil || !team.First() {
					return err
				}
				return printCount(cmd, c, m, methods, alarm, draw)
			})
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	methodFlag(cmd, &method, "method", allMethods, "`method`", append(option.Names(count.Methods()), allMethods))
	f.Float64Var(&alarm, "false-alarm", 1e-3, "`probability` that hfc and nwhfc take noise for a material")
	drawFlag(cmd, &draw, "the eigenvalues")
	return cmd
}

// allMethods is the value of --method that runs every method.
const allMethods = "all"

func printCount(cmd *cobra.Command, c *hyperCube, m *hyper.Moments, methods []*count.Method, alarm float64, draw string) error {
	noteLeftOut(cmd, c, m.Spectra.Count())
	r, err := countMaterials(m.Spectra, methods, alarm)
	if err != nil {
		return err
	}
	if draw != "" {
		lines := []plot.Line{{Name: "correlation", Y: r.Correlation}, {Name: "covariance", Y: r.Covariance}}
		if err := drawScree("Eigenvalues of "+plot.Printable(c.name), "eigenvalue", lines, draw); err != nil {
			return err
		}
	}
	if cli.WantsJSON(cmd) {
		r.sceneResult = newSceneResult(c)
		return cli.PrintJSON(cmd.OutOrStdout(), r)
	}
	for _, method := range methods {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d\n", method.Name, **r.byName()[method.Name]); err != nil {
			return err
		}
	}
	return nil
}

// countMaterials counts by some methods.
func countMaterials(m *stats.Moments, methods []*count.Method, alarm float64) (*countResult, error) {
	r := &countResult{FalseAlarm: alarm}
	t, err := count.HFC(m, alarm) // its eigenvalues are always wanted
	if err != nil {
		return nil, err
	}
	r.Correlation, r.Covariance = t.Autocorrelation, t.Covariance
	for _, method := range methods {
		n, err := method.Count(m, alarm)
		if err != nil {
			return nil, err
		}
		*r.byName()[method.Name] = &n
	}
	return r, nil
}
