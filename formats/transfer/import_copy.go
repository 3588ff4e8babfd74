package transfer

import (
	"context"
	"errors"
	"slices"

	"drx"
	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// commitBytes is the largest number of bytes imported between two commits. It bounds what an
// interrupted import must repeat.
const commitBytes = 256 << 20

// isSmall reports whether a variable fits into one box. A small variable of a dataset is created
// together with its elements; others are created first and filled box by box.
func (o *planner) isSmall(v varPlan) bool {
	n, _ := v.info.Bytes() // checked by the format
	return n <= o.boxBytes()
}

// copyAll copies the elements of all variables to the arrays that a creator has made, except for
// those that its progress counts as complete.
func (o *importer) copyAll(ctx context.Context, made *creator) error {
	p, progress := made.plan, made.progress
	total := 0
	for _, v := range p.vars[progress.Vars:] {
		n, _ := v.info.Bytes() // checked by the format
		total += n
	}
	bar := newMeter(o.Progress, int64(total))
	t, err := openTarget(o.dst, o.cache())
	if err != nil {
		return err
	}
	c := &copier{o.files, t, p, made.in, progress, bar, map[string]bool{}}
	if p.dataset {
		for _, v := range p.vars {
			c.small[v.name] = o.isSmall(v)
		}
		for _, name := range t.d.Variables() {
			delete(c.small, name) // created before the interruption
		}
	}
	err = nil
	for err == nil && progress.Vars < len(p.vars) {
		if c.isSmall(progress.Vars) {
			err = c.copySmall(ctx)
		} else {
			err = c.copySome(ctx)
		}
	}
	if err == nil {
		err = t.setProgress(progress.next(t))
	}
	if err != nil {
		t.discard()
		return err
	}
	return t.close() // commits
}

// A copier copies the elements of all variables of a file to arrays. It commits them together with
// its state, so that another process can continue after a kill.
type copier struct {
	files *fileReader
	t     *target
	plan  *plan
	in    *importFile
	state *importProgress
	bar   *meter
	small map[string]bool // variables that are created together with their elements
}

// isSmall reports whether variable i is created together with its elements.
func (c *copier) isSmall(i int) bool { return c.small[c.plan.vars[i].name] }

// smallAtOnce is the largest number of small variables that are created in one step.
const smallAtOnce = 1000

// copySmall creates the next small variables with their elements and stores the progress in the
// same step: after a kill either all of them are there or none. One step for many variables also
// saves a commit for each.
func (c *copier) copySmall(ctx context.Context) error {
	next, bytes := *c.state, 0
	vars, specs := map[string]varPlan{}, map[string]drx.Spec{}
	for ; next.Vars < len(c.plan.vars) && len(vars) < smallAtOnce && bytes < commitBytes && c.isSmall(next.Vars); next.Vars++ {
		v := c.plan.vars[next.Vars]
		n, _ := v.info.Bytes() // checked by the format
		vars[v.name], specs[v.name], bytes = v, v.spec, bytes+n
	}
	if err := c.t.setProgress(c.state); err != nil {
		return err
	}
	left := len(vars)
	err := c.t.d.CreateAll(nil, specs, func(name string, a *drx.Array) error {
		if err := c.copyVar(ctx, a, vars[name], &importProgress{BoxBytes: next.BoxBytes}, nil); err != nil {
			return err
		}
		if left--; left > 0 {
			return nil
		}
		return c.t.setProgress(&next) // with the last variable, in the same step
	})
	if err == nil {
		*c.state = next
	}
	return err
}

// openAtOnce is the largest number of variables that are open at the same time. Each has several
// files, and a process may open only so many.
const openAtOnce = 32

// copySome copies the elements of the next variables and commits them. It stops at openAtOnce
// variables, or when their elements exceed the cache, since elements may stay in the caches of
// their arrays until the commit. The caller commits after the last variable.
func (c *copier) copySome(ctx context.Context) error {
	for open, bytes := 0, 0; c.state.Vars < len(c.plan.vars) && open < openAtOnce && int64(bytes) < c.files.cache(); open++ {
		if c.isSmall(c.state.Vars) {
			break
		}
		v := c.plan.vars[c.state.Vars]
		n, _ := v.info.Bytes() // checked by the format
		if bytes += n; open > 0 && int64(bytes) > c.files.cache() {
			break
		}
		if err := c.copyInto(ctx, v); err != nil {
			return err
		}
	}
	if c.state.Vars == len(c.plan.vars) {
		return nil
	}
	if err := c.t.setProgress(c.state); err != nil {
		return err
	}
	return c.t.release()
}

// copyInto copies the elements of one variable to its array, which exists. It commits every
// commitBytes; the caller makes the last commit.
func (c *copier) copyInto(ctx context.Context, v varPlan) error {
	a, err := c.t.array(v.name)
	if err != nil {
		return err
	}
	commit := func() error { return errors.Join(c.t.setProgress(c.state), c.t.sync()) }
	if err := c.copyVar(ctx, a, v, c.state, commit); err != nil {
		_ = commit() // saves the complete boxes; if it fails, Resume copies them again
		return err
	}
	return nil
}

// copyVar copies the elements of one variable from the box on that state counts. It calls commit,
// unless that is nil, after each commitBytes.
func (c *copier) copyVar(ctx context.Context, a *drx.Array, v varPlan, state *importProgress, commit func() error) error {
	r, err := c.files.reader(c.in, v.info.Name)
	if err != nil {
		return readError{err}
	}
	if err := sameAsListed(c.in.name, r.Info(), v.info); err != nil {
		return errors.Join(err, r.Close())
	}
	m := &mover{a: a, info: v.info, at: make([]int, a.Rank()), file: c.in.name, sliceDim: v.sliceDim, conv: v.conv}
	var fill []byte
	if len(v.conv.steps) == 0 { // boxes left out in the file with this value need not be written
		fill = a.FillValue()
	}
	fresh := 0 // bytes since the last commit
	boxes := v.info.Boxes(whole(v.info.Shape), v.conv.boxBytes(state.BoxBytes, v.info.DType))
	state.cut(boxes)
	use := func(sec nd.Section, buf []byte) error {
		if len(buf) > 0 {
			if err := m.write(sec, buf); err != nil {
				return err
			}
		}
		n, _ := sec.Len() // of a section of the variable
		c.bar.add(n * v.info.DType.Size())
		state.Boxes++
		if fresh += len(buf); fresh < commitBytes || commit == nil {
			return nil
		}
		fresh = 0
		return commit()
	}
	if f := newFrameImport(r, a, targetAt(m.at, v.sliceDim), fill, m.write); f != nil && v.keepsFrames {
		err = f.copy(ctx, boxes, state.Boxes, func(sec nd.Section, bytes int) error {
			fresh += bytes
			return use(sec, nil)
		})
	}
	if err == nil {
		err = stream(ctx, r, boxes, state.Boxes, fill, use)
	}
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return readError{err}
	}
	state.Vars, state.Boxes, state.Box = state.Vars+1, 0, nil
	return nil
}

// sameAsListed checks that a variable has the type and shape with which it was listed: the file may
// have changed since.
func sameAsListed(name string, got, listed formats.Info) error {
	if got.DType != listed.DType || !slices.Equal(got.Shape, listed.Shape) {
		return errkind.Errorf(formats.ErrSize, "%s: %sis %v %v now and was %v %v in the list of variables",
			name, inVariable(listed), got.DType, got.Shape, listed.DType, listed.Shape)
	}
	return nil
}

// copyAppended writes the elements of a variable to an existing array: to the indices of the plan
// and, along the dimension that grows, to the new ones.
func (o *fileReader) copyAppended(ctx context.Context, a *drx.Array, f *importFile, v appendVar, added nd.Range, bar *meter) error {
	r, err := o.reader(f, v.info.Name)
	if err != nil {
		return readError{err}
	}
	if err := sameAsListed(f.name, r.Info(), v.info); err != nil {
		return errors.Join(err, r.Close())
	}
	m := &mover{a: a, file: f.name, info: v.info, sliceDim: v.sliceDim, conv: v.conv, at: slices.Clone(v.at)}
	if v.dim >= 0 {
		m.at[v.dim] = added.Lo
	}
	boxes, copied := v.info.Boxes(whole(v.info.Shape), v.conv.boxBytes(o.boxBytes(), v.info.DType)), 0
	if f := newFrameImport(r, a, targetAt(m.at, v.sliceDim), nil, m.write); f != nil && len(v.conv.steps) == 0 && hasFrames(v.info, a.DType()) {
		err = f.copy(ctx, boxes, 0, func(sec nd.Section, bytes int) error {
			copied++
			bar.add(bytes)
			return nil
		})
	}
	if err == nil {
		err = stream(ctx, r, boxes, copied, nil, func(sec nd.Section, buf []byte) error {
			bar.add(len(buf))
			return m.write(sec, buf)
		})
	}
	if closeErr := r.Close(); err == nil && closeErr != nil {
		err = readError{closeErr}
	}
	return err
}
