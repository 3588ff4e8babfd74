// Package demo has the verb demo, a tour with rain radar pictures.
package demo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/internal/fileset"
)

// New returns the verb demo.
func New() *cobra.Command {
	var dir string
	var keep bool
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "Take the tour: a rain radar sequence that grows in time and space",
		GroupID: cli.GroupInspect,
		Long: `Take the tour. In a few seconds it shows what no row-major file can do: an array of real
radar pictures grows in time, then on all four sides in space, then in time again, and not
one stored byte moves. Afterwards every value is compared with the pictures.

The array and four pictures stay in a folder for you to try other verbs on. A second tour
replaces the files of the first. It never replaces files that no tour has made.`,
		Example: `  drx demo
  drx demo --dir /tmp/tour`,
		Args:              cli.Exactly(),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ClearTour(dir, keep); err != nil {
				return err
			}
			start := time.Now()
			out := cmd.OutOrStdout()
			if cli.WantsJSON(cmd) {
				out = io.Discard
			}
			t, err := newTour(out, dir)
			if err != nil {
				return err
			}
			if err := t.run(cmd.Context()); err != nil {
				return fmt.Errorf("demo: %w", err)
			}
			if cli.WantsJSON(cmd) {
				return cli.PrintJSON(cmd.OutOrStdout(), t.result())
			}
			t.heading("Done in %.1f s. Try this next:", time.Since(start).Seconds())
			for _, line := range t.suggestions() {
				fmt.Fprintf(t.out, "   %s\n", line)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "dir", "demo", "`folder` for the array and the pictures")
	f.BoolVar(&keep, "keep", false, "fail rather than replace the files of an earlier tour")
	return cmd
}

// The tour sets attribute tourAttr of its array to tourMark, so that a later tour recognises the
// array and may replace it.
const (
	TourArray = "radar"
	tourAttr  = "made_by"
	tourMark  = "drx demo"
)

// tourFiles are the names of everything the tour writes.
var tourFiles = []string{
	"first.png", "last.png", "sum.png", "map.png",
	fileset.Presence(TourArray), fileset.Table(TourArray), fileset.Data(TourArray), fileset.Log(TourArray), fileset.Journal(TourArray),
}

// TourRemoved is the name to which ClearTour renames the log of an earlier tour before it removes
// the other files. If the removal is interrupted, the renamed log shows the next tour that the
// remaining files belong to a tour.
const TourRemoved = "." + TourArray + ".removed"

// ClearTour creates the folder, or removes the files of an earlier tour from it. It returns an
// error if files of the same names exist that no tour has made. With keep it also returns one if an
// earlier tour has left files.
func ClearTour(dir string, keep bool) error {
	var present []string
	for _, name := range tourFiles {
		name = filepath.Join(dir, name)
		switch _, err := os.Lstat(name); {
		case err == nil:
			present = append(present, name)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if len(present) == 0 {
		return os.MkdirAll(dir, 0o777)
	}
	if keep {
		return fmt.Errorf("demo: %s exists; omit --keep, or choose another folder with --dir", present[0])
	}
	array, removed := filepath.Join(dir, TourArray), filepath.Join(dir, TourRemoved)
	if _, err := os.Lstat(removed); err != nil {
		if err := checkTour(array); err != nil && !(errors.Is(err, fs.ErrNotExist) && onlyEmpty(present)) {
			return fmt.Errorf("demo: %s does not belong to an earlier tour (%w); choose another folder with --dir", present[0], err)
		}
	}
	if err := os.Rename(fileset.Log(array), removed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range append(present, removed) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// onlyEmpty reports whether all files are empty, as an interrupted creation leaves them.
func onlyEmpty(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Lstat(name)
		return err != nil || !info.Mode().IsRegular() || info.Size() > 0
	})
}

// checkTour returns an error unless the array was made by a tour and no other process is writing
// it.
func checkTour(name string) error {
	return arrays.With(name, true, func(a *drx.Array) error {
		if mark := string(a.Attrs()[tourAttr]); mark != `"`+tourMark+`"` {
			return fmt.Errorf("attribute %s is %q", tourAttr, mark)
		}
		return nil
	})
}

// A tourResult describes what the tour has made, as JSON.
type tourResult struct {
	Name  string   `json:"name"`
	Files []string `json:"files"`
}

func (t *tour) result() tourResult {
	r := tourResult{Name: t.path(TourArray), Files: []string{}}
	for _, name := range tourFiles {
		if _, err := os.Lstat(t.path(name)); err == nil {
			r.Files = append(r.Files, t.path(name))
		}
	}
	return r
}

// suggestions returns command lines that work on the files of the tour.
func (t *tour) suggestions() []string {
	return []string{
		t.command("info %s"),
		t.command("view %s --at time=12 --robust"),
		t.command("map %s --at time=0"),
		t.command("view %s --dims time,x --at y=100,x=0:256 --zoom 4 -o " + shellWord(t.path("crossing.png"))),
		t.command("extend %s --dim y --by 128 --low"),
	}
}

// command returns a command line with the name of the array in place of %s.
func (t *tour) command(format string) string {
	return "drx " + strings.Replace(format, "%s", shellWord(t.path(TourArray)), 1)
}

// shellWord quotes a file name for the shell if necessary.
func shellWord(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+,:", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
