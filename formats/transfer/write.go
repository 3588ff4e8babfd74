package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"drx"
	"drx/dataset"
	"drx/dataset/meaning"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// WriteOptions say which variables Write writes, and where.
type WriteOptions struct {
	// Vars are names of variables of the file; nil is all.
	Vars []string
	// Sel are conditions, each of which chooses one range of a dimension, as in "time=2024-01-28";
	// Method determines how single values are matched. If the file has the coordinate of such a
	// dimension, its values must be the chosen ones.
	Sel    []string
	Method dataset.Method
	// AsStored writes numbers as they are stored, even if they have another meaning in the dataset.
	AsStored bool
	// Digits and Bits are those of ImportOptions. The variables must be rounded in the same way, by
	// their attributes.
	Digits, Bits int
	// Format and Memory are those of ImportOptions, as are Progress and Note.
	Format   string
	Memory   int64
	Progress func(done, total int64)
	Note     func(text string)
}

// A Written is the section of a dataset's variable that Write has written.
type Written struct {
	Variable string     // name in the dataset
	Section  nd.Section // the section that was written
}

// Write writes the variables of a file over those of the same names in a dataset, which keeps its
// extents and its coordinates. Along dimensions that Sel chooses, elements go to the chosen
// indices. Along other dimensions they go to the indices at which the dataset has the values of the
// file's coordinates, which must be consecutive there and in the same order. If the file covers
// only a part of some dimension, a variable without such a dimension keeps its values. Write
// commits once, at the end. Numbers keep their meaning, as in an import that appends.
func Write(ctx context.Context, dst string, o WriteOptions, file string) (done []Written, err error) {
	registerFormats()
	im := newImporter(ImportOptions{
		Vars: slices.Clone(o.Vars), AsStored: o.AsStored, Format: o.Format, Progress: o.Progress, Note: o.Note, Memory: o.Memory,
		Digits: o.Digits, Bits: o.Bits,
	}, dst)
	for i, name := range im.Vars {
		im.Vars[i] = strings.TrimPrefix(name, "/")
	}
	if im.rounding, err = meaning.RoundTo(o.Digits, o.Bits); err == nil {
		err = checkFormat(o.Format)
	}
	if err != nil {
		return nil, err
	}
	f, err := im.files.open(file)
	if err != nil {
		return nil, err
	}
	defer f.close()
	t, err := openTarget(dst, im.cache())
	if err != nil {
		return nil, err
	}
	if t.a != nil {
		return nil, errors.Join(wrongOption("%s is one array: want a dataset", wording.Printable(dst)), t.a.Discard())
	}
	w := &writer{o: im.comparer, t: t, plan: &appendPlan{file: f, covered: map[string]nd.Range{}}}
	im.comparer.into, err = t.state(dst)
	if err == nil {
		err = w.makePlan(Conditions{Method: o.Method, Sel: o.Sel})
	}
	if err == nil {
		err = t.setStrings(w.plan)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", f.name, err)
	} else {
		done, err = w.write(ctx)
	}
	if err != nil {
		t.discard()
		return nil, err
	}
	return done, t.close()
}

// A writer writes the variables of a file over those of a dataset.
type writer struct {
	o    *comparer
	t    *target
	plan *appendPlan // its covered ranges are the indices that the file covers
}

// makePlan finds the variables to write, and where each goes.
func (w *writer) makePlan(c Conditions) error {
	pairs, err := w.pairs()
	if err != nil {
		return err
	}
	vars := slices.SortedFunc(maps.Keys(pairs), func(a, b *dataset.Variable) int { return strings.Compare(a.Name(), b.Name()) })
	if err := c.Check(vars); err != nil {
		return err
	}
	for _, v := range vars {
		if err := w.choose(v, c); err != nil {
			return err
		}
	}
	parts, err := w.locate()
	if err != nil {
		return err
	}
	for _, v := range vars {
		info := pairs[v]
		if err := w.mapped(v, info); err != nil {
			return err
		}
		isAuxiliary := (len(info.Shape) > 0 || !isPeriod(info)) && namedVars(w.plan.file.content.Vars, "coordinates")[path.Base(info.Name)]
		if parts && isAuxiliary && !slices.ContainsFunc(v.Dims(), w.isPart) {
			err = w.o.sameAuxiliary(v.Array(), w.plan.file, info)
		} else if parts && !slices.ContainsFunc(v.Dims(), w.isPart) {
			err = w.o.noteDifference(v.Array(), w.plan.file, info)
		} else {
			err = w.add(v, info)
		}
		if err != nil {
			return err
		}
	}
	if len(w.plan.vars) == 0 {
		return errkind.Errorf(formats.ErrVariable, "has nothing for %s but coordinates: it has %s", wording.Printable(w.o.dst), listVars(w.plan.file.content.Vars))
	}
	return nil
}

// mapped checks the grid mapping of a variable.
func (w *writer) mapped(v *dataset.Variable, info formats.Info) error {
	var own string
	theirs, _ := info.Attrs["grid_mapping"].(string)
	if has, err := v.Array().Attr("grid_mapping", &own); !has || err != nil || theirs == "" {
		return nil //nolint:nilerr // an attribute that is no text names nothing
	}
	vars := w.plan.file.content.Vars
	i := slices.IndexFunc(vars, func(m formats.Info) bool { return m.Name == path.Join(path.Dir(info.Name), theirs) })
	m, err := w.t.d.Variable(path.Join(path.Dir(v.Name()), own))
	if i < 0 || err != nil {
		return nil //nolint:nilerr // a missing grid mapping is not compared
	}
	return w.o.sameMapping(headerOf(m.Array()), vars[i])
}

// pairs returns, for each variable of the dataset that is written, the variable of the file.
func (w *writer) pairs() (map[*dataset.Variable]formats.Info, error) {
	known := map[string]*dataset.Variable{}
	for _, have := range w.o.into.vars {
		v, err := w.t.d.Variable(have.path)
		if err != nil {
			return nil, err
		}
		source, err := w.o.nameInFile(w.o.into, have, w.plan.file)
		if err != nil {
			return nil, err
		}
		known[source] = v
	}
	pairs := map[*dataset.Variable]formats.Info{}
	mappings := namedVars(w.plan.file.content.Vars, "grid_mapping")
	for _, v := range w.plan.file.content.Vars {
		wanted := len(w.o.Vars) == 0 || slices.Contains(w.o.Vars, v.Name)
		to := known[v.Name]
		switch {
		case !wanted || mappings[path.Base(v.Name)] || v.Labels != nil && isCoordinateVar(v):
		case v.Refused != "" && len(w.o.Vars) > 0:
			return nil, fmt.Errorf("%s%w", inVariable(v), refusal(v))
		case v.Refused != "":
		case to == nil:
			return nil, errkind.Errorf(formats.ErrVariable, "has variable %s, which %s does not have; choose variables by their names", wording.Printable(v.Name), w.o.dst)
		case !to.IsCoordinate():
			pairs[to] = v
		}
	}
	for _, name := range w.o.Vars {
		if !slices.ContainsFunc(w.plan.file.content.Vars, func(v formats.Info) bool { return v.Name == name }) {
			return nil, wrongOption("variable %s: the file has no such variable: it has %s", wording.Printable(name), listVars(w.plan.file.content.Vars))
		}
	}
	return pairs, nil
}

// choose records the ranges that conditions choose of a variable's dimensions.
func (w *writer) choose(v *dataset.Variable, c Conditions) error {
	sel, err := c.Variable(v)
	if err != nil {
		return err
	}
	for d, dim := range v.Dims() {
		if !c.names(dim) {
			continue
		}
		if len(sel[d]) != 1 || sel[d][0].Stride() != 1 {
			return wrongOption("dimension %s: %d indices that are not next to each other are chosen: write them one part after the other", wording.Printable(dim), sel[d].Len())
		}
		w.plan.covered[dim] = sel[d][0]
	}
	return nil
}

// names reports whether a condition is on a dimension.
func (c Conditions) names(dim string) bool {
	return dim != "" && slices.ContainsFunc(c.Sel, func(text string) bool {
		return slices.ContainsFunc(splitConditions(text), func(one string) bool {
			of, err := conditionDim(one)
			return err == nil && (of == dim || of == path.Base(dim))
		})
	})
}

// locate compares the coordinates of the file with the chosen ranges, and finds the indices of the
// file along other dimensions. parts reports whether the file covers only a part of some dimension.
func (w *writer) locate() (parts bool, err error) {
	f := w.plan.file
	for _, dim := range w.t.d.Dims() {
		if !dim.HasCoordinate {
			continue
		}
		v, err := w.t.d.Variable(dim.Name)
		if err != nil {
			return false, err
		}
		source, err := w.o.sourceOf(dstVar{headerOf(v.Array()), v.Name(), v.Dims(), true}, w.o.dst)
		if err != nil {
			return false, err
		}
		i := slices.IndexFunc(f.content.Vars, func(v formats.Info) bool {
			return v.Name == source && v.Refused == "" && v.Labels == nil && len(v.Shape) < 2
		})
		part, chosen := w.plan.covered[dim.Name]
		switch {
		case i >= 0 && chosen:
			err = w.o.sameValues(v.Array(), part, f, f.content.Vars[i], optionerr.Text{})
		case i >= 0:
			part, err = w.o.find(v.Array(), f, f.content.Vars[i])
		case !chosen:
			continue
		}
		if err != nil {
			return false, err
		}
		w.plan.covered[dim.Name] = part
		parts = parts || w.isPart(dim.Name)
	}
	return parts, nil
}

// isPart reports whether the file covers only a part of a dimension.
func (w *writer) isPart(dim string) bool {
	part, has := w.plan.covered[dim]
	known, err := w.t.d.Dim(dim)
	return has && err == nil && (part.Lo != known.Bounds.Lo || part.Hi != known.Bounds.Hi)
}

// add checks that a variable fits its section, and adds it to the plan.
func (w *writer) add(v *dataset.Variable, info formats.Info) error {
	a, dims := v.Array(), v.Dims()
	fail := func(err error) error { return fmt.Errorf("%s%w", inVariable(info), err) }
	to := appendVar{name: v.Name(), info: info, dim: -1, sliceDim: -1}
	shape, own := slices.Clone(info.Shape), ownDims(info)
	sec := v.Bounds()
	for d, dim := range dims {
		if part, has := w.plan.covered[dim]; has {
			sec[d] = part
		}
		if len(shape) == a.Rank()-1 && sec[d].Len() == 1 && !slices.Contains(own, a.Dims()[d]) {
			to.sliceDim = d
			shape, own = slices.Insert(shape, d, 1), slices.Insert(own, d, a.Dims()[d])
		}
	}
	if len(own) != a.Rank() {
		return fail(errkind.Errorf(drx.ErrRank, "has %d dimensions, %s has %d", len(own), a.Name(), a.Rank()))
	}
	if err := sameDims(own, headerOf(a)); err != nil {
		return fail(err)
	}
	if !slices.Equal(shape, sec.Shape()) {
		return fail(errkind.Errorf(drx.ErrBounds, "has shape %s, and %s gets %v", wording.Shape(info.Shape), a.Name(), sec))
	}
	to.at, _ = sec.Bounds()
	for d := range dims {
		if err := w.o.sameLabels(a, w.plan.file, info, d, ownDim(a.Rank(), info, d, -1), sec[d]); err != nil {
			return fail(err)
		}
	}
	err := w.o.sameGridAt(headerOf(a), w.plan.file, info, -1, to.at)
	if err == nil {
		to.conv, err = w.o.conversion(headerOf(a), w.o.into, w.plan.file, info, false)
		w.o.printNote(info.Name, to.conv.note)
	}
	if err == nil {
		var note string
		note, err = w.o.roundAppended(&to.conv, headerOf(a), info, w.plan.file.content.Vars)
		w.o.printNote(info.Name, note)
	}
	if parent := parentOf(w.plan.file, info); err == nil {
		err = w.o.noteValid(headerOf(a), w.o.parentHere(w.o.into, parent), w.plan.file.name, info, parent)
	}
	if err != nil {
		return fail(err)
	}
	w.plan.vars = append(w.plan.vars, to)
	return nil
}

// write writes the elements. The caller commits.
func (w *writer) write(ctx context.Context) (done []Written, err error) {
	bar := newMeter(w.o.Progress, int64(w.plan.bytes()))
	for _, v := range w.plan.vars {
		a, err := w.t.array(v.name)
		if err != nil {
			return nil, err
		}
		if err := w.o.files.copyAppended(ctx, a, w.plan.file, v, nd.Range{}, bar); err != nil {
			return nil, err
		}
		shape := slices.Clone(v.info.Shape)
		if v.sliceDim >= 0 {
			shape = slices.Insert(shape, v.sliceDim, 1)
		}
		sec := make(nd.Section, len(shape))
		for d, n := range shape {
			sec[d] = nd.Span(v.at[d], v.at[d]+n).By(1)
		}
		done = append(done, Written{v.name, sec})
	}
	return done, nil
}
