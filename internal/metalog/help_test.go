package metalog

import (
	"errors"
	"io/fs"
	"testing"

	"drx/internal/state"

	"drx/internal/state/statetest"
	"drx/internal/vfs"
)

// Records, and checks of states and errors.
var (
	header, high, low, addDim = statetest.Header, statetest.High, statetest.Low, statetest.AddDim
	setAttr, delAttr          = statetest.SetAttr, statetest.DelAttr
	format, journal           = statetest.Format, statetest.Journal
	apply, applyTo            = statetest.Apply, statetest.ApplyTo
	wantState, wantError      = statetest.Want, statetest.WantError
)

// write appends commits to a new file and returns the file and the log.
func write(t testing.TB, commits ...[]state.Record) (vfs.File, *Log) {
	t.Helper()
	file := newFile(t, nil)
	log := NewLog(file)
	for _, records := range commits {
		if err := log.Append(records, true); err != nil {
			t.Fatal(err)
		}
	}
	return file, log
}

// newFile returns a file in memory, called a.xmd, that holds text.
func newFile(t testing.TB, text []byte) vfs.File {
	t.Helper()
	file, err := vfs.NewMem().Create("a.xmd")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(text, 0); err != nil {
		t.Fatal(err)
	}
	return file
}

func bytesOf(t testing.TB, file vfs.File) []byte {
	t.Helper()
	size, err := file.Size()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil {
		t.Fatal(err)
	}
	return text
}

// line makes a line of the log by hand.
func line(before []byte, text string) []byte {
	digits := linkDigits(before, []byte(text))
	return append(append(append(digits[:], ' '), text...), '\n')
}

var errFault = &fs.PathError{Op: "fault", Path: "a.xmd", Err: errors.New("injected")}
