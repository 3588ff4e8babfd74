package storage

import (
	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
)

// noteHoles prints a note if a copied or unpacked array has compressed chunks and the file system
// has no holes, so that it takes more space than the original.
func noteHoles(cmd *cobra.Command, name string) {
	cli.NoteHoles(cmd, name, codecOf(name))
}

// codecOf returns the codec of an array, or of a compressed variable of a dataset, empty if there
// is none. Errors count as none: the codec serves only a note.
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
