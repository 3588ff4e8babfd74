package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/progress"
	"drx/dataset"
)

// Move renames a dataset.
func Move(cmd *cobra.Command, from, to string) error {
	if err := CheckDeclared(from, "mv"); err != nil {
		return err
	}
	if err := CheckNoArray(to); err != nil {
		return err
	}
	if err := arrays.WaitForLock(cmd, from, func() error { return dataset.Rename(from, to) }); err != nil {
		return err
	}
	return cli.PrintResult(cmd, cli.NameResult{Name: filepath.Clean(to), From: filepath.Clean(from)}, "")
}

// Rename gives a variable or a dimension of a dataset another name.
func Rename(cmd *cobra.Command, folder, from, to string) error {
	if err := CheckDeclared(folder, "mv"); err != nil {
		return err
	}
	if _, err := arrays.MarkerOf(folder); err != nil {
		return err
	}
	err := arrays.WaitForLock(cmd, folder, func() error {
		return Change(folder, func(d *dataset.Dataset) error { return d.Rename(from, to) })
	})
	if errors.Is(err, dataset.ErrVariable) || errors.Is(err, fs.ErrInvalid) {
		return cli.AsWrongUsage(err)
	}
	return err
}

// MoveVariable renames a variable within its group of a dataset. It returns false if from and to
// are not names of such a variable. It does not require an array at from: after an interrupted
// renaming there may be none, and opening the dataset completes the renaming.
func MoveVariable(cmd *cobra.Command, from, to string) (is bool, err error) {
	folder, variable, err := dataset.Find(from)
	if err != nil || folder == "" {
		return false, err
	}
	other, name, err := dataset.Find(to)
	if err != nil || other != folder || path.Dir(name) != path.Dir(variable) || path.Ext(name) != "" && path.Ext(name) != path.Ext(variable) {
		return false, err
	}
	return true, Rename(cmd, folder, variable, strings.TrimSuffix(name, drx.OneFileExt))
}

// Copy copies the files of a dataset.
func Copy(cmd *cobra.Command, from, to string) error {
	if err := CheckDeclared(from, "cp -r"); err != nil {
		return err
	}
	if err := CheckNoArray(to); err != nil {
		return err
	}
	var p *progress.Progress
	shown, current := int64(0), ""
	err := arrays.WaitForLock(cmd, from, func() error {
		return dataset.Copy(cmd.Context(), from, to, func(name string, done, total int64) {
			if name != current {
				if p != nil {
					p.End()
				}
				p, shown, current = progress.New(cmd, total), 0, name
			}
			p.Add(int(done - shown))
			shown = done
		})
	})
	if p != nil {
		p.End()
	}
	if err != nil {
		return err
	}
	return cli.PrintResult(cmd, cli.NameResult{Name: filepath.Clean(to), From: filepath.Clean(from)}, "")
}

// CheckNoArray returns an error if an array has the name of a dataset to be made: on the command
// line the name would be ambiguous. An array that a dataset hides, because whoever was creating it
// has died, does not count.
func CheckNoArray(name string) error {
	name = filepath.Clean(name)
	isArray, err := drx.Exists(name)
	if err == nil && isArray {
		isArray, err = isListed(name)
	}
	if err == nil && isArray {
		err = cli.Usagef("%s: there is an array of that name already: choose another name", cli.Printable(name))
	}
	return err
}

// isListed reports whether readers see an array: its folder is no dataset, or the dataset has it as
// a variable.
func isListed(name string) (listed bool, err error) {
	folder, variable, err := dataset.Find(name)
	if err != nil || folder == "" {
		return true, err
	}
	err = arrays.WithDataset(folder, func(d *dataset.Dataset) error {
		listed = slices.Contains(d.Variables(), strings.TrimSuffix(variable, drx.OneFileExt))
		return nil
	})
	return listed, err
}

// EachVariable calls f with the name of each variable of a dataset, and goes on after an error.
// With --json it collects the output of all calls in one object.
func EachVariable(cmd *cobra.Command, folder string, f func(name string) error) error {
	return each(cmd, folder, (*dataset.Dataset).Variables, f)
}

// EachArray is EachVariable, and also calls f with the names of the dataset's markers, the arrays
// that hold the attributes of the dataset and of its groups. Some groups have no marker.
func EachArray(cmd *cobra.Command, folder string, f func(name string) error) error {
	return each(cmd, folder, func(d *dataset.Dataset) []string {
		names := d.Variables()
		for _, group := range append([]string{""}, d.Groups()...) {
			names = append(names, path.Join(group, dataset.Marker))
		}
		return names
	}, f)
}

func each(cmd *cobra.Command, folder string, of func(*dataset.Dataset) []string, f func(name string) error) error {
	var names []string
	err := arrays.WithDataset(folder, func(d *dataset.Dataset) error {
		names = of(d)
		return nil
	})
	out := cmd.OutOrStdout()
	defer cmd.SetOut(out)
	results := datasetResults{Name: filepath.Clean(folder), Arrays: []json.RawMessage{}}
	for _, name := range names {
		var printed bytes.Buffer
		if cli.WantsJSON(cmd) {
			cmd.SetOut(&printed)
		}
		if cmd.Context().Err() != nil {
			return cmd.Context().Err()
		}
		err = errors.Join(err, f(filepath.Join(folder, filepath.FromSlash(name))))
		if printed.Len() > 0 {
			results.Arrays = append(results.Arrays, bytes.TrimSpace(printed.Bytes()))
		}
	}
	if cli.WantsJSON(cmd) {
		err = errors.Join(err, cli.PrintJSON(out, results))
	}
	return err
}

// datasetResults holds the output of a verb for each array of a dataset, as JSON.
type datasetResults struct {
	Name   string            `json:"name"`
	Arrays []json.RawMessage `json:"arrays"`
}
