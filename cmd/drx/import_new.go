package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"drx"
	"drx/convert"
	"drx/dataset"
	"drx/nd"
)

// commitBytes is how much is imported between two commits, at the most.
const commitBytes = 256 << 20

// create makes DST of a file. With --resume it continues an import that was interrupted.
func (o *importing) create(ctx context.Context, in *importFile, all ...*importFile) (made imported, err error) {
	p, err := o.plan(in, o.dim)
	if err != nil {
		return made, err
	}
	progress := &importProgress{Dim: o.dim, BoxBytes: o.boxBytes(), Sources: []fileStamp{in.stamp}}
	for _, f := range all {
		progress.Sources = append(progress.Sources, f.stamp)
	}
	begun, complete, err := o.begun(progress)
	if err != nil {
		return made, err
	}
	if !complete {
		if err = o.make(p, in, progress, begun); err == nil {
			err = o.copyVars(ctx, p, in, progress)
		}
		if err != nil {
			return made, o.afterFailure(err, begun)
		}
	}
	return o.made(p)
}

// begun looks for an import to continue, whose progress it stores in p. complete says that nothing is left to do.
func (o *importing) begun(p *importProgress) (begun, complete bool, err error) {
	if there, err := o.exists(); err != nil || !there {
		return false, false, err
	}
	t, err := o.openTarget(o.cache())
	if err != nil {
		return false, false, err
	}
	defer t.discard()
	was, err := t.progress()
	if err != nil {
		return false, false, err
	}
	if was == nil {
		// A dataset without variables is one that was killed at once.
		return true, t.a != nil || len(t.d.Variables()) > 0, nil
	}
	if err := was.checkSame(o.dst, p.Sources, p.Dim); err != nil {
		return false, false, err
	}
	*p = *was
	return true, was.Files > 0, nil
}

// afterFailure returns the error of an import, after it has removed what a file that is wrong has left. Otherwise the
// error says how to continue.
func (o *importing) afterFailure(err error, begun bool) error {
	there, existsErr := o.exists()
	switch {
	case !there || existsErr != nil:
		return err
	case !begun && (isDamage(err) || isUsage(err)):
		return errors.Join(o.explain(err), removeNew(o.dst))
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(o.cmd.ErrOrStderr(), "drx: the import is not complete; continue with --resume")
		return err
	}
	return fmt.Errorf("%w; %s has what was imported before: continue with --resume", err, o.dst)
}

func isUsage(err error) bool {
	var wrong usageError
	return errors.As(err, &wrong) || errors.Is(err, drx.ErrDType) || errors.Is(err, dataset.ErrDim) || errors.Is(err, dataset.ErrVariable)
}

// make makes what is not there yet of DST: the array, or the dataset with its groups and variables.
func (o *importing) make(p *plan, in *importFile, progress *importProgress, begun bool) error {
	if !p.dataset {
		if begun {
			return nil
		}
		spec := p.vars[0].spec
		spec.Attrs[progressAttr] = progress
		a, err := drx.Create(o.dst, spec)
		if err != nil {
			return asUsageError(err)
		}
		return a.Close()
	}
	var d *dataset.Dataset
	var err error
	if begun {
		d, err = dataset.Open(o.dst, drx.Options{Write: true, Cache: o.cache()})
	} else {
		d, err = dataset.Create(o.dst, drx.Options{Cache: o.cache()})
	}
	if err != nil {
		return err
	}
	if err := o.makeAll(d, p, in, progress); err != nil {
		_ = d.Discard() // the first error is what the caller needs
		return err
	}
	return d.Close()
}

// makeAll makes the groups and variables of a dataset.
func (o *importing) makeAll(d *dataset.Dataset, p *plan, in *importFile, progress *importProgress) error {
	if err := d.SetAttr("", progressAttr, progress); err != nil {
		return err
	}
	attrs, err := encodeAttrs(in.content.Attrs)
	for name, v := range attrs {
		if err == nil {
			err = d.SetAttr("", name, v)
		}
	}
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		return err
	}
	groups, vars := map[string]map[string]any{}, map[string]drx.Spec{}
	there := map[string]bool{}
	for _, name := range d.Variables() {
		there[name] = true
	}
	for _, v := range p.vars {
		groups[path.Dir(v.info.Name)] = nil
		if !there[v.info.Name] {
			vars[v.info.Name] = v.spec
		}
	}
	for group, attrs := range in.content.Groups {
		if _, used := groups[group]; !used && len(o.vars) > 0 {
			continue
		}
		var err error
		if groups[group], err = encodeAttrs(attrs); err != nil {
			return fmt.Errorf("group %s: %w", printable(group), err)
		}
	}
	delete(groups, ".") // variables of the dataset itself
	if err := d.CreateAll(groups, vars); err != nil {
		return fmt.Errorf("%w; choose variables with --var", err)
	}
	return nil
}

// copyVars copies the elements of all variables. progress says which of them are there.
func (o *importing) copyVars(ctx context.Context, p *plan, in *importFile, progress *importProgress) error {
	total := 0
	for _, v := range p.vars[progress.Vars:] {
		n, _ := v.info.Bytes() // checked by the format
		total += n
	}
	bar := newProgress(o.cmd, int64(total))
	defer bar.end()
	t, err := o.openTarget(o.cache())
	if err != nil {
		return err
	}
	for progress.Vars < len(p.vars) {
		if err := o.copySome(ctx, t, p, in, progress, bar); err != nil {
			t.discard()
			return err
		}
	}
	return t.close()
}

// openAtOnce is how many variables are open at the same time, at the most: each has several files.
const openAtOnce = 32

// copySome copies the elements of the next variables and commits them: as many as may be open together, as their elements may
// stay in the caches of their arrays.
func (o *importing) copySome(ctx context.Context, t *target, p *plan, in *importFile, state *importProgress, bar *progress) error {
	for open, bytes := 0, 0; state.Vars < len(p.vars) && open < openAtOnce && int64(bytes) < o.cache(); open++ {
		v := p.vars[state.Vars]
		n, _ := v.info.Bytes() // checked by the format
		if bytes += n; open > 0 && int64(bytes) > o.cache() {
			break
		}
		if err := o.copyVar(ctx, t, in, v, state, bar); err != nil {
			return err
		}
	}
	if err := t.setProgress(o.next(p, t, state)); err != nil {
		return err
	}
	return t.release()
}

// next returns the progress to be stored: nil if the import is complete.
func (o *importing) next(p *plan, t *target, progress *importProgress) *importProgress {
	switch {
	case progress.Vars < len(p.vars):
		return progress
	case len(progress.Sources) > 1:
		return &importProgress{Sources: progress.Sources, Dim: progress.Dim, Files: 1, Bounds: o.boundsOf(t)}
	}
	return nil
}

// copyVar copies the elements of one variable. The caller commits.
func (o *importing) copyVar(ctx context.Context, t *target, in *importFile, v plannedVar, state *importProgress, bar *progress) error {
	a, err := t.array(v.info.Name)
	if err != nil {
		return err
	}
	r, err := o.reader(in, v.info.Name)
	if err != nil {
		return readError{err}
	}
	if err := sameAsListed(in.name, r.Info(), v.info); err != nil {
		return errors.Join(err, r.Close())
	}
	m := &mover{a: a, info: v.info, at: make([]int, a.Rank()), frame: v.frame, convert: v.scale.convert()}
	fresh := 0 // bytes since the last commit
	err = stream(ctx, r, v.info.Boxes(whole(v.info.Shape), state.BoxBytes), state.Boxes, func(sec nd.Section, buf []byte) error {
		if err := m.write(sec, buf); err != nil {
			return err
		}
		bar.add(len(buf))
		state.Boxes++
		if fresh += len(buf); fresh < commitBytes {
			return nil
		}
		fresh = 0
		return errors.Join(t.setProgress(state), t.sync())
	})
	if err != nil {
		_ = errors.Join(t.setProgress(state), t.sync()) // without it the next import copies more again
		return err
	}
	if err := r.Close(); err != nil {
		return readError{err}
	}
	state.Vars, state.Boxes = state.Vars+1, 0
	return nil
}

// sameAsListed checks that a variable is what the list of variables said.
func sameAsListed(name string, got, listed convert.Info) error {
	if got.DType != listed.DType || !slices.Equal(got.Shape, listed.Shape) {
		return fmt.Errorf("%s: variable %s: is %v %v now and was %v %v in the list of variables: %w",
			name, printable(listed.Name), got.DType, got.Shape, listed.DType, listed.Shape, convert.ErrSize)
	}
	return nil
}

// convert returns what mover.convert needs, nil for nothing.
func (s *scaling) convert() func([]byte) ([]byte, error) {
	if s == nil {
		return nil
	}
	return func(stored []byte) ([]byte, error) { return s.elements(stored), nil }
}

// made describes what there is now.
func (o *importing) made(p *plan) (made imported, err error) {
	made = imported{Name: o.dst, Refused: p.refused}
	isArray, err := drx.Exists(o.dst)
	if err != nil {
		return made, err
	}
	if isArray {
		return made, withArray(o.dst, false, func(a *drx.Array) error {
			made.Name, made.Vars = a.Name(), []importedArray{newImportedArray(a)}
			return nil
		})
	}
	d, err := dataset.Open(o.dst, drx.Options{})
	if err != nil {
		return made, err
	}
	for i, v := range p.vars {
		variable, err := d.Variable(v.info.Name)
		if err == nil {
			made.Vars = append(made.Vars, newImportedArray(variable.Array()))
			err = releaseSome(d, i+1)
		}
		if err != nil {
			return made, errors.Join(err, d.Close())
		}
	}
	return made, d.Close()
}
