package storage

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
)

// noteHoles notes that chunks of what was copied or unpacked take more space than there, if they
// are compressed and the file system has no holes.
func noteHoles(cmd *cobra.Command, name string) {
	cli.NoteHoles(cmd, name, codecOf(name))
}

// codecOf returns the codec of an array, or of a compressed variable of a dataset; empty if there
// is none. What cannot be opened is not worth an error.
func codecOf(name string) (codec string) {
	if !arrays.IsDataset(name) {
		if a, err := drx.Open(name, drx.Options{}); err == nil {
			codec = a.Layout().Codec
			_ = a.Close() // it was only read
		}
		return codec
	}
	_ = arrays.WithDataset(name, func(d *dataset.Dataset) error {
		for _, path := range d.Variables() {
			v, err := d.Variable(path)
			if err != nil {
				return err
			}
			if codec = v.Array().Layout().Codec; codec != "" && codec != "none" {
				return nil
			}
		}
		return nil
	})
	return codec
}
