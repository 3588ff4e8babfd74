package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/cube"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// createAndAppend makes DST from the first file and appends the others.
func (o *importer) createAndAppend(ctx context.Context, names []string) (made ImportReport, err error) {
	files, err := o.files.openAll(names)
	if err != nil {
		return made, err
	}
	defer closeFiles(files)
	o.comparer.noteLow(files[0])
	if made, err = o.create(ctx, files[0], files[1:]...); err != nil {
		return made, err
	}
	if len(files) == 1 {
		by := made.extent(o.Append)
		made.Dim, made.By = o.Append, &by
		return made, nil
	}
	made, err = o.appendFiles(ctx, files, 1, made.extent(o.Append))
	if refused := (checkError{}); errors.As(err, &refused) { // nothing was appended
		return made, errors.Join(refused.error, removeNew(o.dst))
	}
	return made, err
}

// A checkError says that a file does not fit DST. It is returned before any file is appended.
type checkError struct{ error }

// Unwrap returns the underlying error.
func (e checkError) Unwrap() error { return e.error }

// isRefused reports whether the file itself does not fit, so that another attempt would fail as
// well.
func isRefused(err error) bool {
	return isUsage(err) || isDamage(err) || errors.Is(err, drx.ErrBounds) || errors.Is(err, drx.ErrRank) || errors.Is(err, formats.ErrVariable)
}

// appendAll appends files to DST, which exists.
func (o *importer) appendAll(ctx context.Context, names []string) (made ImportReport, err error) {
	files, err := o.files.openAll(names)
	if err != nil {
		return made, err
	}
	defer closeFiles(files)
	begin, making, err := o.resumeAppend(files)
	if err != nil {
		return made, err
	}
	before := 0
	if making {
		if made, err = o.create(ctx, files[0], files[1:]...); err != nil {
			return made, err
		}
		begin, before = 1, made.extent(o.Append)
	}
	return o.appendFiles(ctx, files, begin, before)
}

func (o *fileReader) openAll(names []string) (files []*importFile, err error) {
	for i, name := range names {
		f, err := o.open(name)
		if err != nil {
			closeFiles(files)
			return nil, err
		}
		if files = append(files, f); i > 0 {
			f.unload()
		}
	}
	return files, nil
}

func closeFiles(files []*importFile) {
	for _, f := range files {
		f.close()
	}
}

func stamps(files []*importFile) (all []fileStamp) {
	for _, f := range files {
		all = append(all, f.stamp)
	}
	return all
}

// resumeAppend returns the number of files that DST already contains. making reports that the
// import was interrupted while it made DST from the first file. Without the option Resume it
// returns an error if an import was interrupted.
func (o *importer) resumeAppend(files []*importFile) (begin int, making bool, err error) {
	if o.Resume && isEmptyFolder(o.dst) {
		return 0, true, nil
	}
	t, err := openTarget(o.dst, o.cache())
	if err != nil {
		return 0, false, err
	}
	defer t.discard()
	p, err := t.progress()
	switch {
	case err != nil:
		return 0, false, err
	case p == nil && o.Resume:
		return 0, false, optionerr.Wrong("resume", nil, "no import into %s was interrupted after its first commit; leave out %v", o.dst, option("resume"))
	case p == nil:
		return 0, false, nil
	case !o.Resume:
		return 0, false, errorf("%s: an import was interrupted, of %s: continue it with %v, or delete the attribute %s to forget it", o.dst, p.describe(), option("resume"), progressAttr)
	}
	if err := p.checkSame(o.dst, stamps(files), o.Append); err != nil {
		return 0, false, err
	}
	if p.Files == 0 && p.Bounds == nil {
		return 0, true, nil
	}
	if now := t.boundsOf(o.Append); !slices.Equal(now, p.Bounds) {
		return 0, false, fmt.Errorf("%s: dimension %s has bounds %v, and had %v when the import of %s was interrupted: remove what was added since, or delete the attribute %s to forget the import",
			o.dst, wording.Printable(o.Append), now, p.Bounds, p.describe(), progressAttr)
	}
	return p.Files, false, nil
}

// appendFiles appends the files from number begin on, each with a commit of its own. before is the
// number of indices that this import has made from earlier files; the result counts them, too.
func (o *importer) appendFiles(ctx context.Context, files []*importFile, begin, before int) (made ImportReport, err error) {
	t, err := openTarget(o.dst, o.cache())
	if err != nil {
		return made, err
	}
	added, err := (&appender{o, t}).appendTo(ctx, files, begin)
	if err != nil {
		t.discard()
		if refused := (checkError{}); errors.As(err, &refused) && !o.Resume {
			return made, err
		}
		if len(files) > 1 && (!isUsage(err) || isDamage(err)) && keepsProgress(o.dst, o.cache()) {
			hint := textf("the files before it are there: continue with %v", option("resume"))
			if errors.Is(err, context.Canceled) {
				hint = textf("the files that are complete are there; continue with %v", option("resume"))
			}
			return made, &IncompleteError{err, hint}
		}
		return made, err
	}
	added += before
	if made, err = t.describe(o.dst); err != nil {
		t.discard()
		return made, err
	}
	made.Dim, made.By = o.Append, &added
	return made, t.close()
}

// keepsProgress reports whether DST holds the progress of an import, so that Resume can continue
// it.
func keepsProgress(dst string, cache int64) bool {
	t, err := openTarget(dst, cache)
	if err != nil {
		return false
	}
	defer t.discard()
	p, err := t.progress()
	return err == nil && p != nil
}

// An appender appends files to DST, which is open.
type appender struct {
	*importer
	t *target
}

// planAll plans the growth of all files, and checks that each follows the ones before, before the
// first one is appended: a wrong file must not leave half of the files in DST. With the option
// Widen the plans of all but the first file are nil, as they depend on the files before. total is
// the size of all elements, in bytes.
func (o *appender) planAll(ctx context.Context, files []*importFile) (plans []*appendPlan, total int, err error) {
	seq, err := o.comparer.newSequence(o.t)
	if err != nil {
		return nil, 0, err
	}
	plans = make([]*appendPlan, len(files))
	for i, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if err := errors.Join(o.files.load(f), checkNotItself(o.dst, f)); err != nil {
			return nil, 0, err
		}
		if i == 0 || !o.Widen { // with Widen a file's indices depend on the files before it
			plans[i], err = o.planFile(f)
		}
		if err == nil {
			err = seq.add(o.comparer, f)
		}
		if err != nil {
			if err = fmt.Errorf("%s: %w", f.name, err); isRefused(err) {
				err = checkError{err}
			}
			return nil, 0, err
		}
		f.unload()
		total += cmp.Or(plans[i], plans[0]).bytes()
	}
	return plans, total, nil
}

// appendTo plans all files, and appends those from number begin on. It returns the number of
// indices that were added.
func (o *appender) appendTo(ctx context.Context, files []*importFile, begin int) (added int, err error) {
	rest := files[min(begin, len(files)):]
	plans, total, err := o.planAll(ctx, rest)
	if err != nil {
		return 0, err
	}
	state := &importProgress{Sources: stamps(files), Options: &o.ImportOptions, Dim: o.Append, Files: begin, Bounds: o.t.boundsOf(o.Append)}
	if len(files) > 1 {
		if err := errors.Join(o.t.setSources(state.Sources), o.t.setProgress(state.unlessComplete()), o.t.sync()); err != nil {
			return 0, err
		}
	}
	bar := newMeter(o.Progress, int64(total))
	for i, p := range plans {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if p == nil {
			if p, err = o.planLate(rest[i]); err != nil {
				return 0, err
			}
		}
		if err := o.appendOne(ctx, p, bar); err != nil {
			return 0, err
		}
		rest[i].closeArrays()
		added += p.by
		if state.Files, state.Bounds = state.Files+1, o.t.boundsOf(o.Append); len(files) > 1 {
			err = o.t.setProgress(state.unlessComplete())
		}
		if err = errors.Join(err, o.t.sync()); err != nil {
			return 0, err
		}
	}
	return added, nil
}

// planFile plans the growth by one file, and makes the comparisons of the plan. It makes them even
// if planning fails, because their errors explain more.
func (o *appender) planFile(f *importFile) (p *appendPlan, err error) {
	if o.comparer.into, err = o.t.state(o.dst); err != nil {
		return nil, err
	}
	if _, err := o.t.dim(o.Append); err != nil {
		return nil, o.noDim(o.comparer.into, f)
	}
	covered, err := o.comparer.covered(o.t, f)
	if err != nil {
		return nil, err
	}
	p, planErr := o.planAppend(o.comparer.into, f, covered)
	if err := o.comparer.compare(o.t, p); err != nil {
		return nil, err
	}
	if planErr != nil {
		return nil, planErr
	}
	if p.labelled != nil {
		if p.labels, err = o.files.readStrings(f, *p.labelled); err != nil {
			return nil, err
		}
	}
	return p, o.t.setStrings(p)
}

// planLate is planFile for a file whose plan depends on the files before it.
func (o *appender) planLate(f *importFile) (*appendPlan, error) {
	if err := o.files.load(f); err != nil {
		return nil, err
	}
	defer f.unload()
	p, err := o.planFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return p, nil
}

// appendOne appends one file. The caller commits.
func (o *appender) appendOne(ctx context.Context, p *appendPlan, bar *meter) error {
	if p.by == 0 {
		return nil
	}
	wider, err := o.t.widenTo(p.covered)
	if err != nil {
		return err
	}
	added, err := o.t.extend(o.Append, p.by, o.Low)
	if err != nil {
		return err
	}
	for _, v := range p.vars {
		if v.dim < 0 && !wider { // it was compared, and has these elements already
			continue
		}
		a, err := o.t.array(v.name)
		if err != nil {
			return err
		}
		if err := o.files.copyAppended(ctx, a, p.file, v, added, bar); err != nil {
			return err
		}
		if p.labels != nil && v.dim >= 0 {
			if err := addLabels(a, v.dim, added, p.labels); err != nil {
				return err
			}
		}
	}
	return nil
}

// addLabels adds the labels of new indices, at either end. All other indices must have labels,
// since labels have no gaps.
func addLabels(a *drx.Array, dim int, part nd.Range, added []string) error {
	have, err := labelsOf(a, dim)
	if err != nil {
		return err
	}
	for i, label := range added {
		have[part.Lo+i] = label
	}
	var all []string
	for i := a.Bounds()[dim].Lo; len(all) < len(have); i++ {
		label, has := have[i]
		if !has {
			return errkind.Errorf(cube.ErrLabel, "dimension %s of %s: index %d has no label, and %s would follow: label it first",
				headerOf(a).dimNames()[dim], a.Name(), i, wording.Printable(added[0]))
		}
		all = append(all, label)
	}
	c, err := cube.Of(a)
	if err != nil {
		return err
	}
	return c.SetLabels(dim, all)
}
