package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"drx"
	"drx/dataset"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
)

// commitBytes is how much is imported between two commits, at the most.
const commitBytes = 256 << 20

// create makes DST from a file. With --resume it continues an import that was interrupted.
func (o *importer) create(ctx context.Context, in *importFile, all ...*importFile) (made Imported, err error) {
	p, err := o.planNew(in)
	if err != nil {
		return made, err
	}
	progress := &importProgress{Options: &o.ImportOptions, Dim: o.Append, BoxBytes: o.boxBytes(), Sources: []fileStamp{in.stamp}}
	for _, f := range all {
		progress.Sources = append(progress.Sources, f.stamp)
	}
	if err := checkKind(o.dst, p.dataset); err != nil {
		return made, err
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

// planNew reads what a plan depends on, and plans.
func (o *importer) planNew(in *importFile) (*plan, error) {
	c, err := o.choose(in)
	if err != nil {
		return nil, err
	}
	labels, err := o.readLabels(in, c.vars)
	if err != nil {
		return nil, err
	}
	p, err := o.plan(in, c, labels, o.Append)
	if o.Note != nil {
		for _, text := range p.notes {
			o.Note(text)
		}
	}
	return p, err
}

// begun looks for an import to continue, whose progress it stores in p. complete says that nothing
// is left to do.
func (o *importer) begun(p *importProgress) (begun, complete bool, err error) {
	if there, err := o.exists(); err != nil || !there || isEmptyFolder(o.dst) {
		return false, false, err // a folder that is empty is one whose import was killed at once
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

// isEmptyFolder reports whether there is a folder without arrays and folders. Files that an
// interrupted creation has left are no array.
func isEmptyFolder(name string) bool {
	arrays, folders, err := drx.List(name)
	return err == nil && len(folders) == 0 && !slices.ContainsFunc(arrays, func(array string) bool {
		there, err := drx.Exists(filepath.Join(name, array))
		return there || err != nil
	})
}

// afterFailure returns the error of an import. If the file is wrong, it removes what was made from
// it; otherwise the error says how to continue.
func (o *importer) afterFailure(err error, begun bool) error {
	there, existsErr := o.exists()
	switch {
	case !there || existsErr != nil:
		return err
	case !begun && (isDamage(err) || isUsage(err)):
		return errors.Join(o.explain(err), removeNew(o.dst))
	case errors.Is(err, context.Canceled):
		return &IncompleteError{err, textf("the import is not complete; continue with %v", option("resume"))}
	}
	return &IncompleteError{err, textf("%s has what was imported before: continue with %v", o.dst, option("resume"))}
}

func isUsage(err error) bool {
	return errors.Is(err, ErrOption) || errors.Is(err, drx.ErrDType) || errors.Is(err, dataset.ErrDim) || errors.Is(err, dataset.ErrVariable)
}

// make creates what DST lacks: the array, or the dataset with its groups and variables.
func (o *importer) make(p *plan, in *importFile, progress *importProgress, begun bool) error {
	if !p.dataset {
		if begun {
			return nil
		}
		spec := p.vars[0].spec
		spec.Attrs[progressAttr], spec.Attrs[sourcesAttr] = progress, progress.Sources
		a, err := drx.Create(o.dst, spec)
		if err != nil {
			return asWrongOption(err)
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
func (o *importer) makeAll(d *dataset.Dataset, p *plan, in *importFile, progress *importProgress) error {
	t := &target{d: d}
	if err := errors.Join(t.setSources(progress.Sources), t.setProgress(progress)); err != nil {
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
	groups, err := o.groups(p, in)
	if err != nil {
		return err
	}
	missing, large := missingVars(d, p.vars), map[string]drx.Spec{}
	err = d.CheckAll(groups, missing)
	for _, v := range p.vars {
		if spec, is := missing[v.name]; is && !o.isSmall(v) {
			large[v.name] = spec
		}
	}
	if err == nil {
		err = d.CreateAll(groups, large, nil)
	}
	if err != nil {
		return errorf("%w; choose variables with %v", err, option("var"))
	}
	return nil
}

// missingVars returns those of some variables that a dataset does not have.
func missingVars(d *dataset.Dataset, vars []plannedVar) map[string]drx.Spec {
	missing := map[string]drx.Spec{}
	for _, v := range vars {
		missing[v.name] = v.spec
	}
	for _, name := range d.Variables() {
		delete(missing, name)
	}
	return missing
}

// groups returns the groups to be made, with their attributes: those of the variables or, unless
// variables were chosen, all.
func (o *planner) groups(p *plan, in *importFile) (map[string]map[string]any, error) {
	groups := map[string]map[string]any{}
	for _, v := range p.vars {
		groups[path.Dir(v.name)] = nil
	}
	for group, attrs := range in.content.Groups {
		if _, used := groups[group]; !used && len(o.Vars) > 0 {
			continue
		}
		var err error
		if groups[group], err = encodeAttrs(attrs); err != nil {
			return nil, fmt.Errorf("group %s: %w", wording.Printable(group), err)
		}
	}
	delete(groups, ".") // of variables of the dataset itself
	return groups, nil
}

// isSmall reports whether a variable is made with its elements, which are read at once. Others are
// made before.
func (o *planner) isSmall(v plannedVar) bool {
	n, _ := v.info.Bytes() // checked by the format
	return n <= o.boxBytes()
}

// copyVars copies the elements of all variables. progress says which of them are there.
func (o *importer) copyVars(ctx context.Context, p *plan, in *importFile, progress *importProgress) error {
	total := 0
	for _, v := range p.vars[progress.Vars:] {
		n, _ := v.info.Bytes() // checked by the format
		total += n
	}
	bar := newMeter(o.Progress, int64(total))
	t, err := o.openTarget(o.cache())
	if err != nil {
		return err
	}
	c := &copying{o, t, p, in, progress, bar, map[string]bool{}}
	if p.dataset {
		for _, v := range p.vars {
			c.small[v.name] = o.isSmall(v)
		}
		for _, name := range t.d.Variables() {
			delete(c.small, name) // it is there already
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
		err = t.setProgress(o.next(t, progress))
	}
	if err != nil {
		t.discard()
		return err
	}
	return t.close() // commits
}

// A copying copies the elements of all variables of a file.
type copying struct {
	o     *importer
	t     *target
	p     *plan
	in    *importFile
	state *importProgress
	bar   *meter
	small map[string]bool // variables that are to be made with their elements
}

// isSmall reports whether variable i is to be made with its elements.
func (c *copying) isSmall(i int) bool { return c.small[c.p.vars[i].name] }

// smallAtOnce is how many small variables are made in one step, at the most.
const smallAtOnce = 1000

// copySmall makes the next small variables with their elements, in one step with the progress.
func (c *copying) copySmall(ctx context.Context) error {
	next, bytes := *c.state, 0
	vars, specs := map[string]plannedVar{}, map[string]drx.Spec{}
	for ; next.Vars < len(c.p.vars) && len(vars) < smallAtOnce && bytes < commitBytes && c.isSmall(next.Vars); next.Vars++ {
		v := c.p.vars[next.Vars]
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
		return c.t.setProgress(&next) // after the last one
	})
	if err == nil {
		*c.state = next
	}
	return err
}

// openAtOnce is how many variables are open at the same time, at the most: each has several files.
const openAtOnce = 32

// copySome copies the elements of the next variables and commits them: as many as may be open
// together, as their elements may stay in the caches of their arrays. The caller commits the last
// ones.
func (c *copying) copySome(ctx context.Context) error {
	for open, bytes := 0, 0; c.state.Vars < len(c.p.vars) && open < openAtOnce && int64(bytes) < c.o.cache(); open++ {
		if c.isSmall(c.state.Vars) {
			break
		}
		v := c.p.vars[c.state.Vars]
		n, _ := v.info.Bytes() // checked by the format
		if bytes += n; open > 0 && int64(bytes) > c.o.cache() {
			break
		}
		if err := c.copyInto(ctx, v); err != nil {
			return err
		}
	}
	if c.state.Vars == len(c.p.vars) {
		return nil
	}
	if err := c.t.setProgress(c.state); err != nil {
		return err
	}
	return c.t.release()
}

// next returns the progress to be stored when all variables are complete: nil if the import is.
func (o *importer) next(t *target, progress *importProgress) *importProgress {
	if len(progress.Sources) > 1 {
		return &importProgress{Sources: progress.Sources, Options: progress.Options, Dim: progress.Dim, Files: 1, Bounds: o.boundsOf(t)}
	}
	return nil
}

// copyInto copies the elements of one variable to its array, which exists. It commits now and then;
// the caller makes the last commit.
func (c *copying) copyInto(ctx context.Context, v plannedVar) error {
	a, err := c.t.array(v.name)
	if err != nil {
		return err
	}
	commit := func() error { return errors.Join(c.t.setProgress(c.state), c.t.sync()) }
	if err := c.copyVar(ctx, a, v, c.state, commit); err != nil {
		_ = commit() // without it the next import copies more again
		return err
	}
	return nil
}

// copyVar copies the elements of one variable. It calls commit, unless that is nil, after each
// commitBytes.
func (c *copying) copyVar(ctx context.Context, a *drx.Array, v plannedVar, state *importProgress, commit func() error) error {
	r, err := c.o.reader(c.in, v.info.Name)
	if err != nil {
		return readError{err}
	}
	if err := sameAsListed(c.in.name, r.Info(), v.info); err != nil {
		return errors.Join(err, r.Close())
	}
	m := &mover{a: a, info: v.info, at: make([]int, a.Rank()), file: c.in.name, frame: v.frame, conv: v.conv}
	var fill []byte
	if len(v.conv.steps) == 0 { // what the array has anyway need not be written
		fill = a.FillValue()
	}
	fresh := 0 // bytes since the last commit
	boxes := v.info.Boxes(whole(v.info.Shape), v.conv.boxBytes(state.BoxBytes, v.info.DType))
	state.cut(boxes)
	err = stream(ctx, r, boxes, state.Boxes, fill, func(sec nd.Section, buf []byte) error {
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
	})
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return readError{err}
	}
	state.Vars, state.Boxes, state.Box = state.Vars+1, 0, nil
	return nil
}

// sameAsListed checks that a variable is what the list of variables said.
func sameAsListed(name string, got, listed formats.Info) error {
	if got.DType != listed.DType || !slices.Equal(got.Shape, listed.Shape) {
		return errkind.Errorf(formats.ErrSize, "%s: %sis %v %v now and was %v %v in the list of variables",
			name, inVariable(listed), got.DType, got.Shape, listed.DType, listed.Shape)
	}
	return nil
}

// made describes what there is now.
func (o *importer) made(p *plan) (made Imported, err error) {
	made = Imported{Name: o.dst, Refused: p.refused}
	isArray, err := drx.Exists(o.dst)
	if err != nil {
		return made, err
	}
	if isArray {
		a, err := drx.Open(o.dst, drx.Options{})
		if err != nil {
			return made, err
		}
		made.Name, made.Vars = a.Name(), []Array{newArray(a)}
		return made, a.Close()
	}
	d, err := dataset.Open(o.dst, drx.Options{})
	if err != nil {
		return made, err
	}
	for i, v := range p.vars {
		variable, err := d.Variable(v.name)
		if err == nil {
			made.Vars = append(made.Vars, newArray(variable.Array()))
			if i%openAtOnce == openAtOnce-1 {
				err = d.Release()
			}
		}
		if err != nil {
			return made, errors.Join(err, d.Close())
		}
	}
	return made, d.Close()
}

// checkKind returns an error if an array is to be made where there is a dataset, or the other way
// round: both would have the same name on a command line.
func checkKind(dst string, isDataset bool) error {
	if isDataset {
		isArray, err := drx.Exists(filepath.Clean(dst))
		if err == nil && isArray {
			err = wrongOption("%s: there is an array of that name: choose another name", wording.Printable(filepath.Clean(dst)))
		}
		return err
	}
	folder := drx.BaseName(dst)
	declared, err := drx.Exists(filepath.Join(folder, dataset.Marker))
	if err == nil && declared {
		err = wrongOption("%s: create: there is a dataset of that name, the folder %s: choose another name",
			wording.Printable(folder), wording.Printable(folder+string(filepath.Separator)))
	}
	return err
}
