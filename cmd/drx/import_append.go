package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"drx"
	"drx/convert"
	"drx/cube"
	"drx/dataset"
	"drx/nd"
)

// createAndAppend makes DST of the first file and appends the others.
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
		return 0, fmt.Errorf("%s: an import was interrupted, of %s: continue it with --resume, or forget it with 'drx attr --delete %s'", o.dst, p.describe(), progressAttr)
	}
	if err := p.checkSame(o.dst, stamps(files), o.dim); err != nil {
		return 0, err
	}
	if p.Files == 0 && p.Bounds == nil {
		return 0, nil
	}
	if now := o.boundsOf(t); p.Files < len(files) && !slices.Equal(now, p.Bounds) {
		p.Files++ // the file was committed, the progress was not
	}
	return p.Files, nil
}

// boundsOf returns the bounds of the dimension along which DST grows, or nil.
func (o *importing) boundsOf(t *target) []int {
	if t.d != nil {
		dim, err := t.d.Dim(o.dim)
		if err != nil {
			return nil
		}
		return []int{dim.Bounds.Lo, dim.Bounds.Hi}
	}
	d, err := t.a.Dim(o.dim)
	if err != nil {
		return nil
	}
	r := t.a.Bounds()[d]
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
	var jobs []*appendJob
	total := 0
	for _, f := range files[min(begin, len(files)):] {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := o.load(f); err != nil {
			return 0, err
		}
		job, err := o.job(t, f)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f.name, err)
		}
		f.unload()
		jobs = append(jobs, job)
		total += job.bytes()
	}
	p := &importProgress{Sources: stamps(files), Dim: o.dim, Files: begin, Bounds: o.boundsOf(t)}
	if len(jobs) > 1 {
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
		if err := o.appendOne(ctx, t, job, bar); err != nil {
			return 0, err
		}
		added += job.by
		p.Files, p.Bounds = p.Files+1, o.boundsOf(t)
		next := p
		if i == len(jobs)-1 {
			next = nil
		}
		if len(jobs) > 1 || next == nil {
			if err := t.setProgress(next); err != nil {
				return 0, err
			}
		}
		if err := t.sync(); err != nil {
			return 0, err
		}
	}
	if len(jobs) == 0 { // resumed after the last file
		return 0, errors.Join(t.setProgress(nil), t.sync())
	}
	return added, nil
}

// An appendJob is what one file adds.
type appendJob struct {
	file   *importFile
	by     int // indices along the dimension
	vars   []appendVar
	labels []string // of the new indices, nil for none
}

// An appendVar is a variable that grows.
type appendVar struct {
	name  string // in DST
	info  convert.Info
	dim   int // the dimension that grows
	frame int // the same, if the variable of the file does not have it, or -1
	conv  func([]byte) ([]byte, error)
}

// bytes returns the size of all elements of a file.
func (j *appendJob) bytes() (sum int) {
	for _, v := range j.vars {
		n, _ := v.info.Bytes() // checked by the format
		sum += n
	}
	return sum
}

// job finds out what a file adds, and checks that it fits DST.
func (o *importing) job(t *target, f *importFile) (*appendJob, error) {
	j := &appendJob{file: f, by: -1}
	if t.a != nil {
		v, err := o.onlyVar(t.a, f)
		if err != nil {
			return nil, err
		}
		return j, o.addVar(j, t.a, "", v)
	}
	if _, err := t.d.Dim(o.dim); err != nil {
		return nil, usageError{err}
	}
	mappings, sources, inFile := namedVars(f.content.Vars, "grid_mapping"), map[string]bool{}, map[string]int{}
	for i, v := range f.content.Vars {
		if v.Refused == "" {
			inFile[v.Name] = i
		}
	}
	for _, name := range t.d.Variables() {
		variable, err := t.d.Variable(name)
		if err != nil {
			return nil, err
		}
		source, err := o.nameInFile(variable)
		if err != nil {
			return nil, err
		}
		sources[source] = true
		i, found := inFile[source]
		grows := slices.Contains(variable.Dims(), o.dim)
		switch {
		case !found && grows:
			return nil, fmt.Errorf("has no variable %s, which grows along %s: it has %s: %w", source, o.dim, listVars(f.content.Vars), convert.ErrVariable)
		case !found:
		case grows:
			err = o.addVar(j, variable.Array(), name, f.content.Vars[i])
		case variable.IsCoordinate():
			err = o.sameCoordinate(variable.Array(), f, f.content.Vars[i])
		case !mappings[path.Base(source)]: // the value of a grid mapping means nothing
			err = o.noteDifference(variable.Array(), f, f.content.Vars[i])
		}
		if err != nil {
			return nil, err
		}
	}
	for _, v := range f.content.Vars {
		known := sources[v.Name] || v.Refused != ""
		if l := v.Labels != nil && isCoordinateVar(v); l && path.Base(v.Name) == o.dim && !known {
			labels, err := o.readStrings(f, v)
			if err != nil {
				return nil, err
			}
			j.labels = labels
		} else if !known && !l && len(o.vars) == 0 {
			return nil, fmt.Errorf("has variable %s, which %s does not have; choose variables with --var: %w", printable(v.Name), o.dst, convert.ErrVariable)
		}
	}
	if j.by < 0 {
		return nil, usagef("--append %s: no variable of %s has the dimension", o.dim, o.dst)
	}
	return j, nil
}

// nameInFile returns the name that a variable of DST has in the files.
func (o *importing) nameInFile(v *dataset.Variable) (string, error) {
	source := v.Name()
	if _, err := v.Array().Attr(variableAttr, &source); err != nil {
		return "", err
	}
	if o.coordinate != "" && v.IsCoordinate() && path.Base(v.Name()) == o.dim && source != o.coordinate {
		return "", usagef("--coordinate %s: the coordinate %s of %s was made of the variable %s", o.coordinate, v.Name(), o.dst, source)
	}
	return source, nil
}

// onlyVar returns the variable of a file for an array: that of --var, the only one that is no coordinate, or the one with
// the array's name.
func (o *importing) onlyVar(a *drx.Array, f *importFile) (convert.Info, error) {
	if len(o.vars) > 1 {
		return convert.Info{}, usagef("--var is given %d times, but %s is one array", len(o.vars), a.Name())
	}
	var found []convert.Info
	for _, v := range f.content.Vars {
		switch {
		case len(o.vars) == 1 && v.Name == o.vars[0], len(o.vars) == 0 && v.Name == path.Base(a.Name()):
			if v.Refused != "" {
				return v, fmt.Errorf("variable %s: %s: %w", printable(v.Name), v.Refused, convert.ErrType)
			}
			return v, nil
		case v.Refused == "" && !isCoordinateVar(v) && len(v.Shape) > 0:
			found = append(found, v)
		}
	}
	if len(o.vars) == 1 || len(found) != 1 {
		return convert.Info{}, fmt.Errorf("choose the variable for %s with --var: there are %s: %w", a.Name(), listVars(f.content.Vars), convert.ErrVariable)
	}
	return found[0], nil
}

// addVar adds a variable to a job, after checking that it fits the array.
func (o *importing) addVar(j *appendJob, a *drx.Array, name string, info convert.Info) error {
	d, err := parseDim(a, o.dim)
	if err != nil {
		return err
	}
	v := appendVar{name: name, info: info, dim: d, frame: -1}
	shape, dims := slices.Clone(info.Shape), ownDims(info)
	if len(shape) == a.Rank()-1 {
		v.frame = d
		shape, dims = slices.Insert(shape, d, 1), slices.Insert(dims, d, a.Dims()[d])
	}
	want := a.Shape()
	if len(shape) == len(want) {
		want[d] = shape[d]
	}
	if !slices.Equal(shape, want) {
		return fmt.Errorf("variable %s: has shape %s, which does not fit %s of shape %s along %s: %w",
			printable(info.Name), formatShape(info.Shape), a.Name(), formatShape(a.Shape()), printable(o.dim), drx.ErrBounds)
	}
	for k, dim := range a.Dims() {
		if dim != "" && dims[k] != "" && dims[k] != dim {
			return fmt.Errorf("variable %s: dimension %d is %s, that of %s is %s: %w", printable(info.Name), k, printable(dims[k]), a.Name(), printable(dim), drx.ErrRank)
		}
	}
	if v.conv, err = o.conversion(a, info); err != nil {
		return fmt.Errorf("variable %s: %w", printable(info.Name), err)
	}
	if by := shape[d]; j.by >= 0 && by != j.by {
		return fmt.Errorf("variable %s: has %d indices along %s, others have %d: %w", printable(info.Name), by, o.dim, j.by, drx.ErrBounds)
	}
	j.by = shape[d]
	v.info.Attrs, v.info.Labels = nil, nil // not needed any more
	j.vars = append(j.vars, v)
	return nil
}

// appendOne appends one file. The caller commits.
func (o *importing) appendOne(ctx context.Context, t *target, j *appendJob, bar *progress) error {
	if j.by == 0 {
		return nil
	}
	added, err := o.grow(t, j)
	if err != nil {
		return err
	}
	for _, v := range j.vars {
		a, err := t.array(v.name)
		if err != nil {
			return err
		}
		if err := o.appendVar(ctx, a, j.file, v, added, bar); err != nil {
			return err
		}
		if j.labels != nil {
			if err := addLabels(a, v.dim, j.labels); err != nil {
				return err
			}
		}
	}
	return nil
}

// grow grows the dimension and returns the new indices.
func (o *importing) grow(t *target, j *appendJob) (nd.Range, error) {
	if t.a != nil {
		sec, err := extend(t.a, j.vars[0].dim, j.by, o.low)
		if err != nil {
			return nd.Range{}, err
		}
		sec, err = resolve(t.a, sec)
		return sec[j.vars[0].dim], err
	}
	if o.low {
		return t.d.ExtendLow(o.dim, j.by)
	}
	return t.d.Extend(o.dim, j.by)
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
	m := &mover{a: a, info: v.info, frame: v.frame, convert: v.conv}
	m.at, _ = lowHigh(a.Bounds())
	m.at[v.dim] = added.Lo
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
