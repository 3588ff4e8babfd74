package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"drx"
	"drx/apps/lbm/cavity"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// nextCommit returns the step after which to commit: the step of the next snapshot, growth, or end.
func (s *simulation) nextCommit() int {
	end := min(s.steps, (s.Step/s.Every+1)*s.Every)
	for _, g := range s.growths {
		if g.step > s.Step {
			end = min(end, g.step)
		}
	}
	return end
}

// commit writes what a restart needs, and then checks whether the plate has grown. The snapshot
// comes first: if the program is killed before the plate is written, the next run computes and
// writes the same snapshot again.
func (s *simulation) commit() error {
	for _, part := range []struct {
		name string
		do   func() error
	}{{"snapshot", s.snapshot}, {"plate", s.store}, {"growth", s.follow}} {
		err := part.do()
		if err == nil && s.duringCommit != nil {
			err = s.duringCommit(s.c, part.name, s.Step)
		}
		if err != nil {
			return err
		}
	}
	if s.c.Proc() == 0 {
		fmt.Fprintf(s.progress, "step %d of %d, nodes %s", s.Step, s.steps, s.nodes())
		if s.Nodes != "" && s.Change < math.MaxFloat64 {
			fmt.Fprintf(s.progress, ", largest change %.2g", s.Change)
		}
		fmt.Fprintln(s.progress)
	}
	return nil
}

// store writes the populations and the step, and extends the plate if that is due: all in one
// commit.
func (s *simulation) store() error {
	a, err := s.openToWrite(s.options.plate, 0)
	if err != nil {
		return err
	}
	if err = s.checkAlone(a); err == nil {
		err = errors.Join(drxmp.WriteAll(a, s.zone(), s.now.Local()), a.SetAttr(stateAttr, s.state))
	}
	for _, g := range s.growths {
		if err == nil && g.step == s.Step {
			err = errors.Join(extend(a.Extend, g.dim, g.by), extend(a.ExtendLow, g.dim, -g.by))
		}
	}
	if err != nil {
		return errors.Join(err, a.Discard())
	}
	s.committed = s.state
	return a.Close()
}

// checkAlone returns an error if another program has written the plate since this one last read or
// wrote it.
func (s *simulation) checkAlone(a *drxmp.Array) error {
	has, err := stateOf(a)
	if err == nil && has != s.committed {
		err = fmt.Errorf("%s: another program computes this plate, and has written step %d; this one is at step %d: stop one of them", a.Name(), has.Step, s.Step)
	}
	return err
}

// follow checks whether the plate was extended, by this program or by another one. If so, the rows
// go to their new owners; the new nodes are zeros: a fluid at rest.
func (s *simulation) follow() error {
	if _, err := s.plate.Refresh(); err != nil {
		return err
	}
	return errors.Join(s.now.Follow(), s.next.Follow())
}

// patience is how long this program waits while another one has an array open for writing.
const patience, pause = time.Minute, 20 * time.Millisecond

// openToWrite opens an array as soon as no other program has it open for writing.
func (s *simulation) openToWrite(name string, y int) (a *drxmp.Array, err error) {
	for waited := time.Duration(0); waited < patience; waited += pause {
		if a, err = drxmp.Open(s.c, name, distributed(s.c, y, true)); !errors.Is(err, drx.ErrLocked) {
			break
		}
		time.Sleep(pause)
	}
	return a, err
}

// snapshot writes the velocities and densities if it is time for that, in one commit.
func (s *simulation) snapshot() error {
	if s.Step%s.Every != 0 {
		return nil
	}
	if err := s.checkSnapshots(); err != nil {
		return err
	}
	a, err := s.openToWrite(s.snapshots, 1)
	if errors.Is(err, fs.ErrNotExist) {
		a, err = s.createSnapshots()
	}
	if err != nil {
		return err
	}
	if err := s.writeSnapshot(a, s.Step/s.Every-1); err != nil {
		return errors.Join(err, a.Discard())
	}
	return a.Close()
}

// checkSnapshots returns an error if -snapshots has snapshots of another plate.
func (s *simulation) checkSnapshots() error {
	return s.c.Agree("snapshots", cavity.CheckSnapshots(s.snapshots, s.Flow, s.committed.Step/s.Every))
}

func (s *simulation) createSnapshots() (*drxmp.Array, error) {
	all := s.now.Decomposition().Bounds()
	return drxmp.Create(s.c, s.snapshots, drx.Spec{
		DType: dtype.Float32, Dims: []string{"time", "y", "x", "component"}, FillValue: "NaN",
		Shape: []int{0, all[0].Len(), all[1].Len(), cavity.Components}, Lo: []int{0, all[0].Lo, all[1].Lo, 0},
		ChunkShape: []int{1, s.chunk, s.chunk, cavity.Components},
		Attrs:      map[string]any{"components": []string{"u", "v", "density"}, cavity.FlowAttr: s.Flow},
	}, distributed(s.c, 1, true))
}

// writeSnapshot extends the snapshots in time, and as the plate has grown, and writes one. It finds
// the largest change since the one before.
func (s *simulation) writeSnapshot(a *drxmp.Array, time int) error {
	all, zone, values := s.now.Decomposition().Bounds(), s.zone(), cavity.Snapshot(s.now.Local(), s.Lid)
	err := extend(a.Extend, 0, time+1-a.Shape()[0])
	for d := range 2 {
		err = errors.Join(err, extend(a.ExtendLow, d+1, a.Bounds()[d+1].Lo-all[d].Lo), extend(a.Extend, d+1, all[d].Hi-a.Bounds()[d+1].Hi))
	}
	if err != nil {
		return err
	}
	at := func(t int) nd.Section {
		return nd.Sec(nd.At(t), nd.Span(zone[0].Lo, zone[0].Hi), nd.Span(zone[1].Lo, zone[1].Hi), nd.Span(0, cavity.Components))
	}
	before, change := make([]float32, len(values)), []float64{math.MaxFloat64}
	if time > 0 {
		err = drxmp.ReadAll(a, at(time-1), before)
		change[0] = cavity.LargestChange(before, values)
	}
	err = errors.Join(err, drxmp.WriteAll(a, at(time), values), par.AllReduce(s.c, change, par.Max))
	s.Change, s.Nodes = change[0], s.nodes()
	return err
}

// extend calls Extend or ExtendLow if there is anything to extend.
func extend(call func(dim, by int) (nd.Section, error), dim, by int) (err error) {
	if by > 0 {
		_, err = call(dim, by)
	}
	return err
}
