package capi

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// A Group is the group of processes that use an array together. Fail makes pending calls of the
// other processes fail when this process cannot take part; Close ends one use of the group.
type Group struct {
	par.Comm
	Fail func(error)
}

// An mpArray is an array that a group has open.
type mpArray struct {
	*drxmp.Array
	group Group
	mode  Mode
}

var mpArrays = table[*mpArray]{kind: mpArrayKind}

// mpOpen lists the handles of all open arrays and global arrays of groups, in the order of opening.
// So a global array comes after its array.
var mpOpen struct {
	sync.Mutex
	groups  []Group // one per array
	handles []Handle
}

func noteOpen(h Handle) {
	mpOpen.Lock()
	defer mpOpen.Unlock()
	mpOpen.handles = append(mpOpen.handles, h)
}

func noteClosed(h Handle) {
	mpOpen.Lock()
	defer mpOpen.Unlock()
	mpOpen.handles = slices.DeleteFunc(mpOpen.handles, func(o Handle) bool { return o == h })
}

func noteGroup(g Group) {
	mpOpen.Lock()
	defer mpOpen.Unlock()
	mpOpen.groups = append(mpOpen.groups, g)
}

func forgetGroup(g Group) {
	mpOpen.Lock()
	defer mpOpen.Unlock()
	i := slices.IndexFunc(mpOpen.groups, func(o Group) bool { return o.Comm == g.Comm })
	mpOpen.groups = slices.Delete(mpOpen.groups, i, i+1)
}

// onlyGroup returns the group in use if there is only one.
func onlyGroup() (g Group, ok bool) {
	mpOpen.Lock()
	defer mpOpen.Unlock()
	for i, o := range mpOpen.groups {
		if i > 0 && o.Comm != g.Comm {
			return Group{}, false
		}
		g = o
	}
	return g, len(mpOpen.groups) > 0
}

// init makes the sentinels of this package known to other processes.
func init() { par.Register(ErrHandle, ErrInvalid, ErrNoAttr, ErrMemory) }

// refused returns the error of a collective call with an invalid handle. The handle does not say
// which group waits in the call. If only one group is in use, its other processes get an error with
// the text of this one instead of waiting for ever.
func refused(what string, err error) error {
	if g, ok := onlyGroup(); ok {
		_ = together(g, func() error { return drxmp.Refuse(g.Comm, what+" with "+err.Error(), err) })
	}
	return err
}

// together makes a call of a group. If it panics, it fails in the other processes, too, which would
// otherwise wait for this one.
func together(g Group, f func() error) error {
	err := Do(f)
	if p := (*panicError)(nil); errors.As(err, &p) {
		g.Fail(err)
	}
	return err
}

// collective makes a collective call on an array; what names the call in errors.
func collective(h Handle, what string, f func(a *mpArray) error) error {
	a, err := mpArrays.get(h)
	if err != nil {
		return refused(what, err)
	}
	return together(a.group, func() error { return f(a) })
}

// distributionOptions are options that say which process owns which chunks.
type distributionOptions struct {
	Grid []int    `json:"grid"`
	Dist []string `json:"distribution"`
}

// mpOptions are the options that drxmp_open has besides the options of drx_open.
type mpOptions struct {
	distributionOptions
	Engine string            `json:"engine"`
	Hints  map[string]string `json:"hints"`
}

type mpOpenOptions struct {
	openOptions
	mpOptions
}

type mpCreateOptions struct {
	createOptions
	mpOptions
}

// distribution returns the distribution that options name.
func (o distributionOptions) distribution() (d drxmp.Distribution, err error) {
	d.Grid = o.Grid
	for _, text := range o.Dist {
		one, err := drxmp.ParseDimDistribution(text)
		if err != nil {
			return d, invalidf("option distribution: %v", err)
		}
		d.Dims = append(d.Dims, one)
	}
	return d, nil
}

// options returns the options for drxmp.Open.
func (o mpOptions) options(open drx.Options) (r drxmp.Options, err error) {
	r = drxmp.Options{Options: open, Hints: o.Hints}
	if o.Engine != "" {
		if r.Engine, err = drxmp.ParseEngine(o.Engine); err != nil {
			return r, invalidf("option engine: %v", err)
		}
	}
	r.Distribution, err = o.distribution()
	return r, err
}

// MPOpen opens an array, collective, and returns its handle. join returns the group, which is
// closed together with the array.
func MPOpen(join func() (Group, error), name string, mode Mode, options string) (Handle, error) {
	var o mpOpenOptions
	err := parseOptions(options, &o)
	var r drxmp.Options
	if err == nil && mode == ModeShared {
		err = invalidf("%s: processes of a group share an array that is open with DRX_WRITE; DRX_SHARED is for drx_open", name)
	}
	if err == nil {
		var own drx.Options
		if own, err = o.openOptions.options(mode); err == nil {
			r, err = o.mpOptions.options(own)
		}
	}
	return mpStart(join, "open of "+name, mode, err, func(c par.Comm) (*drxmp.Array, error) { return drxmp.Open(c, name, r) })
}

// MPCreate makes an array and opens it for writing, collective, and returns its handle, see MPOpen.
func MPCreate(join func() (Group, error), name string, t dtype.DType, shape []int, options string) (Handle, error) {
	var o mpCreateOptions
	err := parseOptions(options, &o)
	var r drxmp.Options
	var spec drx.Spec
	if err == nil {
		spec, err = o.spec(t, shape)
	}
	if err == nil {
		spec.Options, err = o.openOptions.options(ModeWrite)
	}
	if err == nil {
		r, err = o.mpOptions.options(spec.Options)
	}
	return mpStart(join, "create of "+name, ModeWrite, err, func(c par.Comm) (*drxmp.Array, error) {
		return drxmp.Create(c, name, spec, r)
	})
}

// mpStart opens an array by calling open. If err is not nil, it shares that error with the other
// processes instead, so that all of them fail.
func mpStart(join func() (Group, error), what string, mode Mode, err error, open func(par.Comm) (*drxmp.Array, error)) (h Handle, _ error) {
	g, joinErr := join()
	if joinErr != nil {
		return 0, joinErr
	}
	noteGroup(g)
	err = together(g, func() error {
		if err != nil {
			return drxmp.Refuse(g.Comm, what, err)
		}
		a, err := open(g.Comm)
		if err == nil {
			h, err = mpArrays.add(&mpArray{a, g, mode})
		}
		return err
	})
	if err != nil {
		forgetGroup(g)
		_ = g.Close()
		return 0, err
	}
	noteOpen(h)
	return h, nil
}

// MPClose commits, unless the array is open for reading, and closes it, collective.
func MPClose(h Handle) error { return mpClose(h, "close", (*drxmp.Array).Close) }

// MPDiscard closes an array without a commit, collective.
func MPDiscard(h Handle) error { return mpClose(h, "discard", (*drxmp.Array).Discard) }

func mpClose(h Handle, what string, closing func(*drxmp.Array) error) error {
	a, err := mpArrays.get(h)
	if err != nil {
		return refused(what, err)
	}
	err = together(a.group, func() error { return closing(a.Array) })
	if _, removed := mpArrays.remove(h); removed != nil {
		return removed // another thread has closed it meanwhile
	}
	noteClosed(h)
	forgetGroup(a.group)
	return firstError(err, a.group.Close())
}

// firstError returns the first error of several calls, all of which were made.
func firstError(errs ...error) error {
	i := slices.IndexFunc(errs, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return errs[i]
}

// MPTerminate closes everything that groups have open, collective: global arrays first, then arrays
// in the order of opening. It returns the first error.
func MPTerminate() error {
	mpOpen.Lock()
	handles := slices.Clone(mpOpen.handles)
	mpOpen.Unlock()
	var first error
	for _, k := range []kind{mpGlobalKind, mpArrayKind} {
		for _, h := range handles {
			var err error
			switch {
			case h.kind() != k:
			case k == mpGlobalKind:
				err = MPGlobalClose(h)
			default:
				err = MPClose(h)
			}
			first = firstError(first, err)
		}
	}
	return first
}

// MPRefuse joins the next collective call of the other processes, "read", "write" or another, for
// one that cannot make it. All get an error that wraps ErrInvalid, or par.ErrDisagree for others.
func MPRefuse(h Handle, what, why string) error {
	return collective(h, what, func(a *mpArray) error {
		return a.Refuse(what, errkind.Errorf(ErrInvalid, "%s", why))
	})
}

// MPSync commits the changes of all processes, collective.
func MPSync(h Handle) error {
	return collective(h, "sync", func(a *mpArray) error { return a.Sync() })
}

// MPRefresh updates an array to the latest commit of other programs, collective, and reports
// whether the bounds have changed.
func MPRefresh(h Handle) (changed bool, err error) {
	err = collective(h, "refresh", func(a *mpArray) (err error) {
		changed, err = a.Refresh()
		return err
	})
	return changed, err
}

// MPRedistribute gives chunks other owners, collective. options is JSON with "grid" and
// "distribution".
func MPRedistribute(h Handle, options string) error {
	return collective(h, "redistribute", func(a *mpArray) error {
		var o distributionOptions
		err := parseOptions(options, &o)
		var d drxmp.Distribution
		if err == nil {
			d, err = o.distribution()
		}
		if err != nil {
			return a.Refuse("redistribute", err)
		}
		return a.Redistribute(d)
	})
}

// MPExtend grows a dimension, collective. lo and hi, which may be nil, get the new section.
func MPExtend(h Handle, dim, by, side, rank int, lo, hi []int64) error {
	return collective(h, "extend", func(a *mpArray) error {
		s, err := ToSide(side)
		if err == nil && (lo != nil || hi != nil) {
			err = nd.CheckRank("places for bounds", rank, len(a.Shape()))
		}
		if err != nil {
			return a.Refuse("extend", err)
		}
		extend := a.Extend
		if s == axial.Low {
			extend = a.ExtendLow
		}
		sec, err := extend(dim, by)
		if err != nil {
			return err
		}
		return storeSection(sec, rank, lo, hi)
	})
}

// MPShrink removes indices of a dimension, collective.
func MPShrink(h Handle, dim, by, side int) error {
	return collective(h, "shrink", func(a *mpArray) error {
		s, err := ToSide(side)
		if err != nil {
			return a.Refuse("shrink", err)
		}
		if s == axial.Low {
			return a.ShrinkLow(dim, by)
		}
		return a.Shrink(dim, by)
	})
}

// MPAddDim adds a dimension, collective, and returns its number.
func MPAddDim(h Handle, name string) (dim int, err error) {
	err = collective(h, "add dimension", func(a *mpArray) (err error) {
		dim, err = a.AddDim(name)
		return err
	})
	return dim, err
}

// MPSetAttr sets an attribute to a JSON value, collective.
func MPSetAttr(h Handle, name, value string) error {
	return collective(h, "set attribute", func(a *mpArray) error {
		raw, err := rawJSON(name, value)
		if err != nil {
			return a.Refuse("set attribute", err)
		}
		return a.SetAttr(name, raw)
	})
}

// MPDeleteAttr removes an attribute, collective.
func MPDeleteAttr(h Handle, name string) error {
	return collective(h, "delete attribute", func(a *mpArray) error { return a.DeleteAttr(name) })
}

// MPAttrs returns the attributes as a JSON object.
func MPAttrs(h Handle) (string, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		return "", err
	}
	return toJSON(a.Attrs())
}

// MPAttr returns one attribute as JSON. The error wraps ErrNoAttr.
func MPAttr(h Handle, name string) (string, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		return "", err
	}
	return oneAttr(a, name)
}

// mpInfo is the result of drxmp_info.
type mpInfo struct {
	Name  string                     `json:"name"`
	DType string                     `json:"dtype"`
	Shape []int                      `json:"shape"`
	Lo    []int                      `json:"lo"`
	Hi    []int                      `json:"hi"`
	Chunk []int                      `json:"chunk"`
	Dims  []string                   `json:"dims"`
	Fill  json.RawMessage            `json:"fill"`
	Attrs map[string]json.RawMessage `json:"attrs"`
	Proc  int                        `json:"proc"`
	Procs int                        `json:"procs"`
	Grid  []int                      `json:"grid"`
	Dist  []string                   `json:"distribution"`
	Zone  [][2][]int                 `json:"zone"`
}

// MPInfo returns the description of an array, its distribution, and the zone of this process, as
// JSON.
func MPInfo(h Handle) (string, error) {
	a, err := mpArrays.get(h)
	if err != nil {
		return "", err
	}
	lo, hi := a.Bounds().Bounds()
	m := a.Decomposition()
	d := m.Distribution()
	i := mpInfo{
		Name: a.Name(), DType: a.DType().String(), Shape: a.Shape(), Lo: lo, Hi: hi, Chunk: a.ChunkShape(), Dims: a.Dims(),
		Fill: a.DType().ToJSON(a.FillValue()), Attrs: a.Attrs(), Proc: a.Proc(), Procs: m.Procs(), Grid: d.Grid, Zone: [][2][]int{},
	}
	for _, one := range d.Dims {
		i.Dist = append(i.Dist, one.String())
	}
	for _, sec := range a.Zone().Sections() {
		lo, hi := sec.Bounds()
		i.Zone = append(i.Zone, [2][]int{lo, hi})
	}
	return toJSON(i)
}
