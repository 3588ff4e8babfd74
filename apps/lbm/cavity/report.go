package cavity

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Report says what to print and to draw of the snapshots in an array.
type Report struct {
	Ghia      bool   // print a comparison of the last one with the references
	Picture   string // a file for a picture of the last one, see Frame.Draw; "" for none
	Animation string // a file for an animation of all, see Animate; "" for none
}

// Make prints to w and draws. The error is that of a file, or says why there is nothing to compare with.
func (r Report) Make(w io.Writer, snapshots string) error {
	if r == (Report{}) {
		return nil
	}
	f, err := Read(snapshots, -1)
	if err == nil && r.Ghia {
		err = f.printComparisons(w)
	}
	if err == nil && r.Picture != "" {
		err = toFile(r.Picture, f.Draw)
	}
	if err == nil && r.Animation != "" {
		err = toFile(r.Animation, func(w io.Writer) error { return Animate(w, snapshots, filepath.Ext(r.Animation)) })
	}
	return err
}

func (f *Frame) printComparisons(w io.Writer) error {
	all, err := f.Compare()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "Re %.0f, %d x %d nodes, %s, lid %v nodes per step\n", f.Reynolds(), f.Cols, f.Rows, f.Collision, f.Lid)
	for _, c := range all {
		c.Print(w)
	}
	return nil
}

func toFile(name string, f func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(f(file), file.Close())
}
