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
	Picture   string // a file for a picture of the last one, see Field.Draw; "" for none
	Animation string // a file for an animation of all, see Animate; "" for none
}

// CheckName returns an error if the name of the animation has the extension of no format.
func (r Report) CheckName() error {
	if ext := filepath.Ext(r.Animation); r.Animation != "" && ext != ".gif" && ext != ".png" {
		return fmt.Errorf("-animation %s: the name must end in .gif or .png", r.Animation)
	}
	return nil
}

// CheckNew returns an error if the report cannot be made when a run of steps over a new plate ends.
// A plate that grows may get the Reynolds number of a reference later.
func (r Report) CheckNew(flow Flow, steps int, grows bool) error {
	switch {
	case r == (Report{}):
		return nil
	case steps < flow.Every:
		return fmt.Errorf("-steps %d: there is nothing to draw or to compare before the first snapshot, after step %d", steps, flow.Every)
	case r.Ghia && !grows:
		_, err := (&Field{Flow: flow, Rows: flow.Size, Cols: flow.Size}).references()
		return err
	}
	return nil
}

// Make prints to w and draws. The error is that of a file, or says why there is nothing to compare
// with.
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

func (f *Field) printComparisons(w io.Writer) error {
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
