package transfer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"drx"
	"drx/dataset"
	"drx/internal/wording"
	"drx/optionerr"
)

// A creator makes DST from a file, according to a plan: the array, or the groups and large
// variables of a dataset, all without elements. copyAll then fills them and adds the small
// variables.
type creator struct {
	*planner
	dst      string
	plan     *plan
	in       *importFile
	progress *importProgress
	begun    bool // an import that was interrupted has begun to make DST
}

// create makes DST from a file, or continues an import that was interrupted. all are the other
// files of the import, which will be appended.
func (o *importer) create(ctx context.Context, in *importFile, all ...*importFile) (made ImportReport, err error) {
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
	c := &creator{planner: o.planner, dst: o.dst, plan: p, in: in, progress: progress}
	complete, err := c.resume()
	if err != nil {
		return made, err
	}
	if !complete {
		if err := o.chooseCodecs(in, p); err != nil {
			return made, o.files.explain(err)
		}
		if err = c.make(); err == nil {
			err = o.copyAll(ctx, c)
		}
		if err != nil {
			return made, o.afterFailure(err, c.begun)
		}
	}
	return describeMade(o.dst, p)
}

// planNew reads the labels that a plan depends on, makes the plan and prints its notes.
func (o *importer) planNew(in *importFile) (*plan, error) {
	c, err := o.choose(in)
	if err != nil {
		return nil, err
	}
	labels, err := o.files.readLabels(in, c.vars)
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

// afterFailure returns the error of an import. If the file is wrong, it removes DST, unless an
// earlier import had begun it; otherwise the error says how to continue.
func (o *importer) afterFailure(err error, begun bool) error {
	there, existsErr := exists(o.dst)
	switch {
	case !there || existsErr != nil:
		return err
	case !begun && (isDamage(err) || isUsage(err)):
		return errors.Join(o.files.explain(err), removeNew(o.dst))
	case errors.Is(err, context.Canceled):
		return &IncompleteError{err, textf("the import is not complete; continue with %v", option("resume"))}
	}
	return &IncompleteError{err, textf("%s has what was imported before: continue with %v", o.dst, option("resume"))}
}

func isUsage(err error) bool {
	return errors.Is(err, optionerr.ErrOption) || errors.Is(err, drx.ErrDType) || errors.Is(err, dataset.ErrDim) || errors.Is(err, dataset.ErrVariable)
}

// resume adopts the progress of an interrupted import, if DST has one. complete reports that no
// element of the first file remains to be copied.
func (c *creator) resume() (complete bool, err error) {
	if there, err := exists(c.dst); err != nil || !there || isEmptyFolder(c.dst) {
		return false, err // an import that was killed at once leaves an empty folder
	}
	t, err := openTarget(c.dst, c.cache())
	if err != nil {
		return false, err
	}
	defer t.discard()
	was, err := t.progress()
	if err != nil {
		return false, err
	}
	c.begun = true
	if was == nil {
		// An import that was killed at once leaves a dataset without variables.
		return t.a != nil || len(t.d.Variables()) > 0, nil
	}
	if err := was.checkSame(c.dst, c.progress.Sources, c.progress.Dim); err != nil {
		return false, err
	}
	*c.progress = *was
	return was.Files > 0, nil
}

// make creates what DST lacks: the array, or the dataset with its groups and variables.
func (c *creator) make() error {
	if !c.plan.dataset {
		if c.begun {
			return nil
		}
		spec := c.plan.vars[0].spec
		spec.Attrs[progressAttr], spec.Attrs[sourcesAttr] = c.progress, c.progress.Sources
		a, err := drx.Create(c.dst, spec)
		if err != nil {
			return asWrongOption(err)
		}
		return a.Close()
	}
	var d *dataset.Dataset
	var err error
	if c.begun {
		d, err = dataset.Open(c.dst, drx.Options{Write: true, Cache: c.cache()})
	} else {
		d, err = dataset.Create(c.dst, drx.Options{Cache: c.cache()})
	}
	if err != nil {
		return err
	}
	if err := c.makeAll(d); err != nil {
		_ = d.Discard() // the first error is what the caller needs
		return err
	}
	return d.Close()
}

// makeAll makes the groups and variables of a dataset.
func (c *creator) makeAll(d *dataset.Dataset) error {
	t := &target{d: d}
	if err := errors.Join(t.setSources(c.progress.Sources), t.setProgress(c.progress)); err != nil {
		return err
	}
	attrs, err := encodeAttrs(c.in.content.Attrs)
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
	groups, err := c.groups()
	if err != nil {
		return err
	}
	missing, large := missingVars(d, c.plan.vars), map[string]drx.Spec{}
	err = d.CheckAll(groups, missing)
	for _, v := range c.plan.vars {
		if spec, is := missing[v.name]; is && !c.isSmall(v) {
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

// missingVars returns the specifications of those variables that a dataset does not have yet.
func missingVars(d *dataset.Dataset, vars []varPlan) map[string]drx.Spec {
	missing := map[string]drx.Spec{}
	for _, v := range vars {
		missing[v.name] = v.spec
	}
	for _, name := range d.Variables() {
		delete(missing, name)
	}
	return missing
}

// groups returns the groups to be made, with their attributes: all groups of the file or, if
// variables were chosen, only theirs.
func (c *creator) groups() (map[string]map[string]any, error) {
	groups := map[string]map[string]any{}
	for _, v := range c.plan.vars {
		groups[path.Dir(v.name)] = nil
	}
	for group, attrs := range c.in.content.Groups {
		if _, used := groups[group]; !used && len(c.Vars) > 0 {
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

// describeMade describes the array or dataset after the import.
func describeMade(dst string, p *plan) (made ImportReport, err error) {
	made = ImportReport{Name: dst, Refused: p.refused}
	isArray, err := drx.Exists(dst)
	if err != nil {
		return made, err
	}
	if isArray {
		a, err := drx.Open(dst, drx.Options{})
		if err != nil {
			return made, err
		}
		made.Name, made.Vars = a.Name(), []Array{newArray(a)}
		return made, a.Close()
	}
	d, err := dataset.Open(dst, drx.Options{})
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

// checkKind returns an error if an array is to get the name of a dataset, or the reverse: on a
// command line the name would be ambiguous.
func checkKind(dst string, isDataset bool) error {
	if isDataset {
		isArray, err := drx.Exists(filepath.Clean(dst))
		if err == nil && isArray {
			err = wrongOption("%s: there is an array of that name already: choose another name", wording.Printable(filepath.Clean(dst)))
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
