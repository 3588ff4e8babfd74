package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"drx/formats/transfer"
	"drx/optionerr"
)

// An option becomes a flag of the command line, with its value as a user types it.
func TestFlag(t *testing.T) {
	for want, o := range map[string]optionerr.Option{
		"--as-stored":        {Name: "as-stored"},
		"--low":              {Name: "low", Value: true},
		"--memory -1":        {Name: "memory", Value: int64(-1)},
		"--as float32":       {Name: "as", Value: "float32"},
		`--sel "time = 3"`:   {Name: "sel", Value: "time = 3"},
		`--format ""`:        {Name: "format", Value: ""},
		`--append "\x1b[2J"`: {Name: "append", Value: "\x1b[2J"},
		"--chunk 1,512":      {Name: "chunk", Value: []int{1, 512}},
		"--var v --var w":    {Name: "var", Value: []string{"v", "w"}},
		"--section 0,:,:":    {Name: "section", Value: "0,:,:"},
		"--at or --section":  {Name: "section"},
	} {
		if got := Flag(o); got != want {
			t.Errorf("%+v: %s, want %s", o, got, want)
		}
	}
}

// Errors of imports must name flags, also after text was added to them, and keep their kinds.
func TestWithFlags(t *testing.T) {
	dir := t.TempDir()
	_, err := transfer.Import(t.Context(), filepath.Join(dir, "A"), transfer.ImportOptions{Memory: -1}, "in.npy")
	got := WithFlags(fmt.Errorf("day 1: %w; ask again", err))
	if want := "day 1: --memory -1: want bytes, or 0 for the default; ask again"; got.Error() != want {
		t.Errorf("%v, want %s", got, want)
	}
	var wrong *optionerr.Error
	if !errors.Is(got, optionerr.ErrOption) || !errors.As(got, &wrong) || wrong.Option != "memory" || wrong.Value != int64(-1) {
		t.Errorf("the kind is lost: %+v", wrong)
	}
	_, err = transfer.Export(t.Context(), dir, dir, transfer.ExportOptions{Format: "npy"})
	got = WithFlags(err)
	if want := dir + ": file already exists; remove it first, choose another name, or bring it up to date with --append"; got == nil || got.Error() != want {
		t.Errorf("%v, want %s", got, want)
	}
	if !errors.Is(got, fs.ErrExist) {
		t.Errorf("%v is no fs.ErrExist", got)
	}
	if other := errors.New("other"); WithFlags(other) != other || WithFlags(nil) != nil {
		t.Error("an error that speaks of no options is another one")
	}
}
