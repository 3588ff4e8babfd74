//go:build parquet

package parquet

import (
	"bytes"

	"drx/formats"
	"drx/formats/cformat"
	"drx/formats/lock"
)

// magic begins and ends a file.
const magic = "PAR1"

func init() {
	library := cformat.Library{Enter: enter, Read: func(in *formats.Input) (cformat.File, error) { return openFile(in) }}
	formats.Register(formats.Format{
		Name:       "parquet",
		Extensions: []string{".parquet", ".pq"},
		Recognise:  func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) },
		Open:       library.Open,
		List:       library.List,
		CreatePath: create,
	})
}

// enter locks what the variables of a file share.
func enter() (leave func()) {
	lock.Parquet.Lock()
	return lock.Parquet.Unlock
}
