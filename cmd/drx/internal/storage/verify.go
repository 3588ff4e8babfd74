package storage

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/progress"
	"drx/cmd/internal/result"
	"drx/dataset"
	"drx/internal/errkind"
)

// NewVerify returns the verb verify.
func NewVerify() *cobra.Command {
	return &cobra.Command{
		Use:     "verify ARRAY | FOLDER",
		Short:   "Check every chunk against its checksum",
		GroupID: cli.GroupInspect,
		Long: `Read every chunk that was ever written and check it against its checksum. (The history is
checked whenever the array is opened.) The exit code is 0 if there is no damage. Otherwise it
is 1, and there is one line for each damaged chunk. In a folder, which is a dataset, all arrays
and what holds its attributes are checked.`,
		Example: `  drx verify radar
  drx verify radar --json
  drx verify weather`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cli.CompleteArrays,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !arrays.IsDataset(args[0]) {
				return examine(args[0], func(a *drx.Array) error { return verify(cmd, a) })
			}
			return datasets.EachArray(cmd, args[0], func(name string) error {
				if filepath.Base(name) == dataset.Marker {
					return verifyMarker(cmd, name)
				}
				return examine(name, func(a *drx.Array) error { return verify(cmd, a) })
			})
		},
	}
}

// examine opens an array, even if its log has lost its end, and calls f with it.
func examine(name string, f func(*drx.Array) error) error {
	return arrays.WithOptions(name, drx.Options{Examine: true}, f)
}

// verifyMarker is verify for the array with the attributes of a dataset or a group, which need not
// exist. It prints nothing if the array is intact, because the user has not made it.
func verifyMarker(cmd *cobra.Command, name string) error {
	err := examine(name, func(a *drx.Array) error {
		if report, err := a.Verify(cmd.Context(), nil); err != nil || report.Good() {
			return err
		}
		return verify(cmd, a)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func verify(cmd *cobra.Command, a *drx.Array) error {
	// The number is only for the progress bar, so the error is ignored: Verify reports all damage.
	usage, _ := a.Usage()
	p := progress.NewCount(cmd, usage.Written)
	var done int64
	report, err := a.Verify(cmd.Context(), func(n int64) {
		p.Add(int(n - done))
		done = n
	})
	p.End()
	if err != nil {
		return err
	}
	print := printReport
	if cli.WantsJSON(cmd) {
		print = printReportJSON
	}
	if err := print(cmd.OutOrStdout(), a, report); err != nil {
		return err
	}
	if n := len(report.Damaged); n > 0 {
		return errkind.Errorf(drx.ErrCorrupt, "%s: %d of %d chunks written are damaged", a.Name(), n, report.Written)
	}
	if !report.Good() {
		return errkind.Errorf(drx.ErrCorrupt, "%s: the end of its log is lost", a.Name())
	}
	return nil
}

func printReport(w io.Writer, a *drx.Array, r drx.VerifyReport) error {
	var all error
	for _, d := range r.Damaged {
		_, err := fmt.Fprintf(w, "chunk %d [%s]: %s\n", d.Number, cli.FormatInts(d.ChunkIndex), cli.OneLine(d.Err))
		all = errors.Join(all, err)
	}
	if r.LogDamage != nil {
		_, err := fmt.Fprintln(w, cli.OneLine(r.LogDamage))
		all = errors.Join(all, err)
	}
	if r.Good() {
		_, all = fmt.Fprintf(w, "%s: %d of %d chunks written, all good\n", cli.Printable(a.Name()), r.Written, r.Chunks)
	}
	return all
}

func printReportJSON(w io.Writer, a *drx.Array, r drx.VerifyReport) error {
	return cli.PrintJSON(w, result.NewVerify(a.Name(), r))
}
