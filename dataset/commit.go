package dataset

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"drx"
	"drx/internal/errkind"
	"drx/nd"
)

// intentAttr is the attribute of the dataset's Marker that announces the dimensions that grow in
// the Sync in progress or grew in the last one: it maps the name of a dimension to a growth. If a
// dimension still has the bounds From when a writer opens the dataset, the previous writer died
// before it committed the coordinate, and the dimension has not grown. Shrinking is announced in
// the same way. It commits the coordinate first, so a dimension with the bounds To has shrunk, and
// the variables must follow.
const intentAttr = "dataset.growing"

// A growth is the change of the bounds of a dimension.
type growth struct {
	From [2]int `json:"from"` // low and high bound
	To   [2]int `json:"to"`
}

func ends(r nd.Range) [2]int { return [2]int{r.Lo, r.Hi} }

// Sync makes all changes so far durable, and visible to everybody who opens or refreshes the
// dataset. First it announces in the Marker which dimensions grow and which attributes of the
// dataset change with them, then it commits the variables, and last the coordinates. The last of
// these commits makes the growth visible, and with it the attributes. If Sync returns an error, the
// changes are kept and the next Sync tries again. The error is that of drx.Array.Sync.
func (d *Dataset) Sync() error {
	if !d.closed && d.o.Shared {
		return d.syncShared()
	}
	if err := d.check(true); err != nil {
		return err
	}
	grows := len(d.grown) > 0
	if err := d.announce(); err != nil {
		return err
	}
	if err := d.syncVariables(); err != nil {
		return err
	}
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	if err := d.applyAttrs(m, d.pending); err != nil {
		return err
	}
	if err := d.show(m); err != nil {
		return err
	}
	if err := d.syncMarkers(grows && len(d.hidden) == 0); err != nil {
		return err
	}
	d.hidden = nil
	return nil
}

// show lets the arrays of CreatePending count with the next commit of the Marker. Before that it
// commits the Markers of new groups; the elements of the new variables are committed already.
func (d *Dataset) show(m *drx.Array) error {
	if len(d.hidden) == 0 {
		return nil
	}
	if err := d.syncMarkers(true); err != nil {
		return err
	}
	c, err := creationOf(m)
	if err != nil {
		return err
	}
	return m.SetAttr(creatingAttr, creation{Number: c.Number + 1})
}

// syncVariables commits the open variables, coordinates last. A dimension whose variables are all
// committed no longer counts as grown.
func (d *Dataset) syncVariables() error {
	names := slices.Sorted(maps.Keys(d.vars))
	for _, coordinates := range []bool{false, true} {
		for _, name := range names {
			v := d.vars[name]
			if v.IsCoordinate() != coordinates {
				continue
			}
			if err := v.a.Sync(); err != nil {
				return err
			}
			if coordinates {
				delete(d.grown, name)
			}
		}
		maps.DeleteFunc(d.grown, func(dim string, _ growth) bool { return !d.scan.isCoordinate(dim) })
	}
	return nil
}

// announce records, for the next writer and for readers, which dimensions are about to grow and
// which attributes change with them.
func (d *Dataset) announce() error {
	if len(d.grown) == 0 {
		return nil
	}
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	if err := m.SetAttr(intentAttr, d.grown); err != nil {
		return err
	}
	if d.pending.empty() {
		err = deleteAttrs(m, heldAttr)
	} else {
		err = m.SetAttr(heldAttr, d.pending)
	}
	if err != nil {
		return err
	}
	return m.Sync()
}

// applyAttrs sets attributes of the Marker, whose next Sync commits them. It removes them from the
// pending and the announced changes.
func (d *Dataset) applyAttrs(m *drx.Array, changes attrChanges) error {
	if err := changes.to(m); err != nil {
		return err
	}
	if err := deleteAttrs(m, heldAttr); err != nil {
		return err
	}
	d.pending.without(changes.clone())
	return nil
}

// intent returns the announcement of the last writer: the dimensions that grow and the attributes
// that change with them.
func (d *Dataset) intent() (grown map[string]growth, held attrChanges, err error) {
	m, err := d.marker("", d.write)
	if err != nil || m == nil {
		return nil, held, err
	}
	_, err = m.Attr(intentAttr, &grown)
	if err == nil {
		_, err = m.Attr(heldAttr, &held)
	}
	if err != nil {
		return nil, held, errkind.Of(drx.ErrCorrupt, err)
	}
	return grown, held, nil
}

// completed reports whether dimensions have grown as announced. An empty announcement is not
// completed.
func (c *catalogue) completed(grown map[string]growth) bool {
	for name, g := range grown {
		if !c.hasGrown(name, g) {
			return false
		}
	}
	return len(grown) > 0
}

// hasGrown reports whether a dimension has grown as announced: its bounds differ from those before,
// or it no longer exists.
func (c *catalogue) hasGrown(name string, g growth) bool {
	dim := c.dims[name]
	return dim == nil || ends(dim.Bounds) != g.From
}

// forgetIntent removes the announcement of a completed growth.
func (d *Dataset) forgetIntent() error {
	m, err := d.marker("", true)
	if err != nil || m.Attrs()[intentAttr] == nil {
		return err
	}
	if err := deleteAttrs(m, intentAttr, heldAttr); err != nil {
		return err
	}
	return m.Sync()
}

// rollBack undoes the announced but incomplete growth of a writer that died, in all variables; the
// announced attributes are dropped. An announced shrink that readers already see is completed
// instead.
func (d *Dataset) rollBack() error {
	grown, held, err := d.intent()
	if err != nil {
		return err
	}
	if d.scan.completed(grown) {
		m, err := d.marker("", true)
		if err == nil {
			err = d.applyAttrs(m, held)
		}
		if err != nil {
			return err
		}
	}
	for name, g := range grown {
		if g.shrinks() {
			if err := d.complete(name, g); err != nil {
				return err
			}
			continue
		}
		if d.scan.hasGrown(name, g) {
			continue
		}
		vars, err := d.variablesOf(name)
		if err != nil {
			return err
		}
		for _, v := range vars {
			if err := v.revert(name, g); err != nil {
				return err
			}
		}
	}
	return d.forgetIntent()
}

// revert shrinks a variable to the previous bounds of a dimension, unless it extends beyond the
// announced bounds: then somebody has grown the variable on its own.
func (v *Variable) revert(dim string, g growth) error {
	d := slices.Index(v.d.scan.vars[v.name].dims, dim)
	now, from := v.a.Bounds()[d], nd.Span(g.From[0], g.From[1])
	if overlap(now, nd.Span(g.To[0], g.To[1])) != now || overlap(now, from) == now {
		return nil
	}
	if err := shrinkTo(v.a, d, nd.Span(max(now.Lo, from.Lo), min(now.Hi, from.Hi))); err != nil {
		return err
	}
	if err := v.a.Sync(); err != nil {
		return err
	}
	v.describe()
	return nil
}

// trim cuts variables to the given bounds of a dimension and commits each, the coordinate first.
func trim(vars []*Variable, dim string, to nd.Range) error {
	slices.SortStableFunc(vars, func(v, w *Variable) int { return order(v, dim) - order(w, dim) })
	for _, v := range vars {
		err := shrinkTo(v.a, slices.Index(v.d.scan.vars[v.name].dims, dim), to)
		if err = errors.Join(err, v.a.Sync()); err != nil {
			return err
		}
		v.describe()
	}
	return nil
}

func order(v *Variable, dim string) int {
	if v.name == dim {
		return 0
	}
	return 1
}

// shrinks reports whether the change of bounds removes indices.
func (g growth) shrinks() bool { return g.To[0] >= g.From[0] && g.To[1] <= g.From[1] }

// complete finishes a shrink that a writer began before it died.
func (d *Dataset) complete(name string, g growth) error {
	dim := d.scan.dims[name]
	if dim == nil || ends(dim.Bounds) != g.To {
		return nil // the coordinate was not committed, so nothing was removed
	}
	vars, err := d.variablesOf(name)
	if err != nil {
		return err
	}
	from, to := nd.Span(g.From[0], g.From[1]), nd.Span(g.To[0], g.To[1])
	vars = slices.DeleteFunc(vars, func(v *Variable) bool { // somebody has grown those that go beyond
		now := d.scan.boundsIn(v.name, name)
		return overlap(now, from) != now || overlap(now, to) == now
	})
	return trim(vars, name, to)
}

// syncShared commits the variables of a dataset opened with Options.Shared.
func (d *Dataset) syncShared() error {
	errs := make([]error, 0, len(d.vars))
	for _, name := range slices.Sorted(maps.Keys(d.vars)) {
		errs = append(errs, d.vars[name].a.Sync())
	}
	return cmp.Or(errs...)
}

// setRenaming commits the announcement of a renaming.
func (d *Dataset) setRenaming(r renaming) error {
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	was, err := renamingOf(m)
	if err != nil {
		return err
	}
	r.Number = was.Number + 1
	if err := m.SetAttr(renamingAttr, r); err != nil {
		return err
	}
	return m.Sync()
}

// completeRenaming makes the changes of an announced renaming, if there is one. It skips changes
// that are already made, so it can be repeated after a crash.
func (d *Dataset) completeRenaming() error {
	m, err := d.marker("", true)
	if err != nil {
		return err
	}
	r, err := renamingOf(m)
	if err != nil || r.From == "" {
		return err
	}
	names := slices.Concat(slices.Collect(maps.Keys(r.Dims)), slices.Collect(maps.Keys(r.Attrs)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if err := d.renameIn(r, name); err != nil {
			return err
		}
	}
	if r.Variable {
		if err := d.moveVariable(r); err != nil {
			return err
		}
	}
	return d.setRenaming(renaming{})
}

// renameIn changes the dimensions and attributes of a variable in one commit.
func (d *Dataset) renameIn(r renaming, name string) error {
	o := d.o
	o.Write = true
	a, err := drx.Open(d.path(name), o)
	if errors.Is(err, fs.ErrNotExist) && name == r.From && r.Variable { // it was already moved
		return nil
	}
	if err != nil {
		return err
	}
	_, own := split(r.To)
	for _, i := range r.Dims[name] {
		if a.Dims()[i] != own {
			err = errors.Join(err, a.RenameDim(i, own))
		}
	}
	for attr, value := range r.Attrs[name] {
		if value == nil || string(value) == "null" {
			err = errors.Join(err, deleteAttrs(a, attr))
		} else {
			err = errors.Join(err, a.SetAttr(attr, value))
		}
	}
	if err != nil {
		return errors.Join(err, a.Discard())
	}
	return a.Close()
}

// moveVariable renames the array of a variable, unless it is already renamed.
func (d *Dataset) moveVariable(r renaming) error {
	from, to := d.path(r.From), d.path(r.To)
	a, err := drx.Open(from, drx.Options{})
	if err == nil {
		if strings.HasSuffix(a.Name(), drx.OneFileExt) {
			to += drx.OneFileExt
		}
		err = a.Close()
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) { // which completes one that was interrupted
		err = drx.Rename(from, to)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if moved, existsErr := drx.Exists(d.path(r.To)); moved && existsErr == nil {
			return nil
		}
	}
	return err
}
