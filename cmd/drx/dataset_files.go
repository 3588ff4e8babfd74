package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"drx"
	"drx/dataset"
)

// moveDataset renames a dataset.
func moveDataset(cmd *cobra.Command, from, to string) error {
	if err := checkDeclared(from, "mv"); err != nil {
		return err
	}
	if err := checkNoArray(to); err != nil {
		return err
	}
	if err := waitForLock(cmd, from, func() error { return dataset.Rename(from, to) }); err != nil {
		return err
	}
	return printResult(cmd, nameResult{filepath.Clean(to), filepath.Clean(from)}, "")
}

// copyDataset copies the files of a dataset.
func copyDataset(cmd *cobra.Command, from, to string) error {
	if err := checkDeclared(from, "cp -r"); err != nil {
		return err
	}
	if err := checkNoArray(to); err != nil {
		return err
	}
	var p *progress
	shown, current := int64(0), ""
	err := waitForLock(cmd, from, func() error {
		return dataset.Copy(cmd.Context(), from, to, func(name string, done, total int64) {
			if name != current {
				if p != nil {
					p.end()
				}
				p, shown, current = newProgress(cmd, total), 0, name
			}
			p.add(int(done - shown))
			shown = done
		})
	})
	if p != nil {
		p.end()
	}
	if err != nil {
		return err
	}
	return printResult(cmd, nameResult{filepath.Clean(to), filepath.Clean(from)}, "")
}

// checkNoArray returns an error if there is an array where a dataset is to be: both would have the same name on the command line.
func checkNoArray(name string) error {
	name = filepath.Clean(name)
	isArray, err := drx.Exists(name)
	if err == nil && isArray {
		err = usagef("%s: there is an array of that name: choose another name", printable(name))
	}
	return err
}

// eachVariable calls f with the name of each array of a dataset, also after an error. With --json it prints one object with what f
// has printed.
func eachVariable(cmd *cobra.Command, folder string, f func(name string) error) error {
	var names []string
	err := withDataset(folder, func(d *dataset.Dataset) error {
		names = d.Variables()
		return nil
	})
	out := cmd.OutOrStdout()
	defer cmd.SetOut(out)
	results := datasetResults{Name: filepath.Clean(folder), Arrays: []json.RawMessage{}}
	for _, name := range names {
		var printed bytes.Buffer
		if wantsJSON(cmd) {
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
	if wantsJSON(cmd) {
		err = errors.Join(err, printJSON(out, results))
	}
	return err
}

// datasetResults is what a verb prints of the arrays of a dataset, as JSON.
type datasetResults struct {
	Name   string            `json:"name"`
	Arrays []json.RawMessage `json:"arrays"`
}
