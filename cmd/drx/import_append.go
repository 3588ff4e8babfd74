package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"drx"
	"drx/cube"
	"drx/nd"
)

// createAndAppend makes DST from the first file and appends the others.
func (o *importing) createAndAppend(ctx context.Context, names []string) error {
	files, err := o.openAll(names)
	if err != nil {
		return err
	}
	defer closeFiles(files)
	made, err := o.create(ctx, files[0], files[1:]...)
	if err != nil {
		return err
	}
	if len(files) == 1 {
		return o.print(made)
	}
	return o.appendFiles(ctx, files, 1)
}

// appendAll appends files to DST, which exists.
func (o *importing) appendAll(ctx context.Context, names []string) error {
	files, err := o.openAll(names)
	if err != nil {
		return err
	}
	defer closeFiles(files)
	begin, err := o.resumeAppend(files)
	if err != nil {
		return err
	}
	if begin == 0 && o.resume { // the first file has not become DST completely
		if _, err := o.create(ctx, files[0], files[1:]...); err != nil {
			return err
		}
		begin = 1
	}
	return o.appendFiles(ctx, files, max(begin, 0))
}

func (o *importing) openAll(names []string) (files []*importFile, err error) {
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

// fromStart is what resumeAppend returns if nothing is to be resumed.
const fromStart = -1

// resumeAppend returns how many of the files DST has already. Without --resume it checks that no import was interrupted.
func (o *importing) resumeAppend(files []*importFile) (int, error) {
	if o.resume && isEmptyFolder(o.dst) {
		return 0, nil
	}
	t, err := o.openTarget(o.cache())
	if err != nil {
		return 0, err
	}
	defer t.discard()
	p, err := t.progress()
	switch {
	case err != nil:
		return 0, err
	case p == nil && o.resume:
		return 0, usagef("--resume: no import into %s was interrupted after its first commit; leave out --resume", o.dst)
	case p == nil:
		return fromStart, nil
	case !o.resume:
		return 0, fmt.Errorf("%s: an import was interrupted, of %s: continue it with --resume, or forget it with 'drx attr %s --delete %s'", o.dst, p.describe(), o.dst, progressAttr)
	}
	if err := p.checkSame(o.dst, stamps(files), o.dim); err != nil {
		return 0, err
	}
	if p.Files == 0 && p.Bounds == nil {
		return 0, nil
	}
	switch now := o.boundsOf(t); {
	case slices.Equal(now, p.Bounds):
		return p.Files, nil
	case slices.Equal(now, p.From): // a dataset commits its attributes first, and the growth was not committed
		return p.Files - 1, nil
	default:
		return 0, fmt.Errorf("%s: dimension %s has bounds %v, and had %v when the import of %s was interrupted: remove what was added since, or forget the import with 'drx attr %s --delete %s'",
			o.dst, printable(o.dim), now, p.Bounds, p.describe(), o.dst, progressAttr)
	}
}

// boundsOf returns the bounds of the dimension along which DST grows, or nil.
func (o *importing) boundsOf(t *target) []int {
	r, err := t.dim(o.dim)
	if err != nil {
		return nil
	}
	return []int{r.Lo, r.Hi}
}

// appendFiles appends the files from number begin on, each with a commit of its own.
func (o *importing) appendFiles(ctx context.Context, files []*importFile, begin int) error {
	t, err := o.openTarget(o.cache())
	if err != nil {
		return err
	}
	added, err := o.appendTo(ctx, t, files, begin)
	if err != nil {
		t.discard()
		if len(files) > 1 && !isUsage(err) && o.keepsProgress() {
			if errors.Is(err, context.Canceled) {
				fmt.Fprintln(o.cmd.ErrOrStderr(), "drx: the files that are complete are there; continue with --resume")
				return err
			}
			return fmt.Errorf("%w; the files before it are there: continue with --resume", err)
		}
		return err
	}
	made := imported{Name: o.dst, Dim: o.dim, By: &added}
	if t.a != nil {
		made.Name = t.a.Name()
		made.Vars = append(made.Vars, newImportedArray(t.a))
	} else {
		for _, name := range t.d.Variables() {
			a, err := t.array(name)
			if err != nil {
				t.discard()
				return err
			}
			made.Vars = append(made.Vars, newImportedArray(a))
		}
	}
	if err := t.close(); err != nil {
		return err
	}
	return o.print(made)
}

// keepsProgress reports whether DST says how far an import has come.
func (o *importing) keepsProgress() bool {
	t, err := o.openTarget(o.cache())
	if err != nil {
		return false
	}
	defer t.discard()
	p, err := t.progress()
	return err == nil && p != nil
}

// appendTo checks all files and appends them. It returns the number of indices that were added.
func (o *importing) appendTo(ctx context.Context, t *target, files []*importFile, begin int) (added int, err error) {
	rest := files[min(begin, len(files)):]
	seq, err := o.newSequence(t)
	if err != nil {
		return 0, err
	}
	jobs := make([]*appendJob, len(rest))
	total := 0
	for i, f := range rest {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := o.load(f); err != nil {
			return 0, err
		}
		if i == 0 || !o.widen { // otherwise where a file lies depends on those before it
			jobs[i], err = o.job(t, f)
		}
		if err == nil {
			err = seq.add(o, f)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f.name, err)
		}
		f.unload()
		total += cmp.Or(jobs[i], jobs[0]).bytes()
	}
	p := &importProgress{Sources: stamps(files), Dim: o.dim, Files: begin, Bounds: o.boundsOf(t)}
	if len(files) > 1 {
		if err := errors.Join(t.setSources(p.Sources), t.setProgress(p), t.sync()); err != nil {
			return 0, err
		}
	}
	bar := newProgress(o.cmd, int64(total))
	defer bar.end()
	for i, job := range jobs {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if job == nil {
			if job, err = o.lateJob(t, rest[i]); err != nil {
				return 0, err
			}
		}
		if err := o.appendOne(ctx, t, job, bar); err != nil {
			return 0, err
		}
		added += job.by
		p.Files, p.From, p.Bounds = p.Files+1, p.Bounds, o.boundsOf(t)
		if len(files) > 1 {
			if err := t.setProgress(p); err != nil {
				return 0, err
			}
		}
		if err := t.sync(); err != nil {
			return 0, err
		}
	}
	if len(files) > 1 { // in a commit of its own: the attributes of a dataset are committed before its growth
		return added, errors.Join(t.setProgress(nil), t.sync())
	}
	return added, nil
}

// appendOne appends one file. The caller commits.
func (o *importing) appendOne(ctx context.Context, t *target, j *appendJob, bar *progress) error {
	if j.by == 0 {
		return nil
	}
	wider, err := t.widenTo(j.places)
	if err != nil {
		return err
	}
	added, err := t.extend(o.dim, j.by, o.low)
	if err != nil {
		return err
	}
	for _, v := range j.vars {
		if v.dim < 0 && !wider { // it has these elements
			continue
		}
		a, err := t.array(v.name)
		if err != nil {
			return err
		}
		if err := o.appendVar(ctx, a, j.file, v, added, bar); err != nil {
			return err
		}
		if j.labels != nil && v.dim >= 0 {
			if err := addLabels(a, v.dim, j.labels); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendVar writes the elements of a variable to the new indices.
func (o *importing) appendVar(ctx context.Context, a *drx.Array, f *importFile, v appendVar, added nd.Range, bar *progress) error {
	r, err := o.reader(f, v.info.Name)
	if err != nil {
		return readError{err}
	}
	if err := sameAsListed(f.name, r.Info(), v.info); err != nil {
		return errors.Join(err, r.Close())
	}
	m := &mover{a: a, info: v.info, frame: v.frame, convert: v.conv, at: slices.Clone(v.at)}
	if v.dim >= 0 {
		m.at[v.dim] = added.Lo
	}
	err = stream(ctx, r, v.info.Boxes(whole(v.info.Shape), o.boxBytes()), 0, func(sec nd.Section, buf []byte) error {
		bar.add(len(buf))
		return m.write(sec, buf)
	})
	if closeErr := r.Close(); err == nil && closeErr != nil {
		err = readError{closeErr}
	}
	return err
}

// addLabels adds the labels of new indices.
func addLabels(a *drx.Array, dim int, added []string) error {
	c, err := cube.Of(a)
	if err != nil {
		return err
	}
	_, labels := c.Labels(dim)
	return c.SetLabels(dim, append(slices.Clone(labels), added...))
}
