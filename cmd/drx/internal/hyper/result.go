package hyper

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/cmd/drx/internal/outfile"
	"drx/cmd/internal/result"
	"drx/dtype"
	hyperscene "drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/relayout"
)

// A resultSpec describes the result of a verb of hyper, one or several values per pixel.
type resultSpec struct {
	out    string // the array to make, "" for none
	dtype  dtype.DType
	values int
	name   string // of the dimension of the values; "" for one value per pixel
	attrs  map[string]any
	keep   bool            // also return the result in memory
	also   hyperscene.Sink // another sink for the result, or nil
}

// writeResult calls f with a sink for the result of a scene. The result goes to a new array if the
// spec names one, and is returned in memory if the spec keeps it. The array is marked as incomplete
// until all values are written, so that a killed verb leaves nothing that looks like a result;
// after an error it is removed.
func writeResult(c *hyperCube, spec resultSpec, f func(t *hyperscene.Tee) error) (plane *hyperscene.Plane, err error) {
	var sinks []hyperscene.Sink
	if spec.keep {
		if want := 8 * int64(spec.values) * int64(c.Bounds().Pixels()); want > c.memory {
			return nil, fmt.Errorf("the result needs %s of memory, --memory is %s", cli.ByteSize(want), cli.ByteSize(c.memory))
		}
		if plane, err = hyperscene.NewPlane(c.Bounds(), spec.values); err != nil {
			return nil, err
		}
		sinks = append(sinks, plane)
	}
	if spec.also != nil {
		sinks = append(sinks, spec.also)
	}
	if spec.out == "" {
		t, err := hyperscene.NewTee(spec.values, sinks...)
		if err != nil {
			return nil, err
		}
		return plane, f(t)
	}
	a, sink, err := array.Create(spec.out, c.Bounds(), spec.dtype, spec.values, spec.name, drx.Options{Incomplete: true})
	if err != nil {
		return nil, cli.AsUsageError(err)
	}
	outfile.Temporary.AddArray(a.Name())
	defer outfile.Temporary.DoneArray(a.Name())
	if err := fillResult(a, append(sinks, resultSink{sink}), spec, f); err != nil {
		return nil, errors.Join(err, a.Discard(), drx.Remove(a.Name()))
	}
	return plane, a.Close()
}

// fillResult calls f with a sink for all values, sets the attributes and removes the mark of an
// incomplete array. The next commit makes the array complete.
func fillResult(a *drx.Array, sinks []hyperscene.Sink, spec resultSpec, f func(t *hyperscene.Tee) error) error {
	t, err := hyperscene.NewTee(spec.values, sinks...)
	if err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	for name, value := range spec.attrs {
		if err := a.SetAttr(name, value); err != nil {
			return otherFile{err}
		}
	}
	if err := a.DeleteAttr(relayout.IncompleteAttr); err != nil {
		return otherFile{err}
	}
	return nil
}

// A resultSink writes to the array of a result and marks errors, which name that array, as errors
// of another file than the scene.
type resultSink struct{ hyperscene.Sink }

// Write writes the values of a block.
func (s resultSink) Write(ctx context.Context, b hyperscene.Block, values []float64) error {
	if err := s.Sink.Write(ctx, b, values); err != nil {
		return otherFile{err}
	}
	return nil
}

// floats returns numbers in the form that JSON can represent.
func floats(list []float64) []result.Float {
	out := make([]result.Float, len(list))
	for i, v := range list {
		out[i] = result.Float(v)
	}
	return out
}

// checkOut returns an error if the array that a verb is to create exists.
func checkOut(name string) error {
	if name == "" {
		return nil
	}
	return datasets.CheckNoArray(name)
}

// noteLeftOut says how many pixels of a scene a verb has left out.
func noteLeftOut(cmd *cobra.Command, c *hyperCube, used int64) {
	if n := int64(c.Bounds().Pixels()) - used; n > 0 {
		printNote(cmd, c.name, fmt.Sprintf("%d of %d pixels are left out, see drx hyper info", n, c.Bounds().Pixels()))
	}
}
