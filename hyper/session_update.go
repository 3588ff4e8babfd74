package hyper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/stats"
	"drx/nd"
)

// update is Update for a caller that holds the lock.
func (s *Session) update(ctx context.Context, sections []nd.Section) (*Report, error) {
	c, err := s.survey(sections)
	if err != nil {
		return nil, err
	}
	if c.none(s.head) && s.cube != nil && s.unsearched() == 0 && s.report != nil {
		r := *s.report
		r.Changed, r.Read = nil, 0
		return &r, nil
	}
	if c.Now.Pixels() == 0 {
		return s.empty(c)
	}
	if c.Anew && s.head.Update > 0 {
		s.forget()
	}
	src := &countingSource{element: int64(s.a.DType().Size())}
	cube, err := s.scene(src, c)
	if err := s.agree("scene of "+s.a.Name(), err); err != nil {
		return nil, err
	}
	totals, changed, err := s.blocks().Update(ctx, cube, stats.Extents{Old: s.head.Bounds, Kept: c.Kept}, c.Suspects)
	if err != nil {
		return nil, err
	}
	moments := &Moments{Spectra: totals[0]}
	if s.o.Noise {
		moments.Differences = totals[1]
	}
	if err := s.reached("after the moments"); err != nil {
		return nil, err
	}
	parts := c.parts(changed)
	shrunk := s.head.Bounds.Intersect(c.Kept) != s.head.Bounds
	if err := s.searchAll(ctx, cube, src, moments, parts, shrunk); err != nil {
		return nil, err
	}
	next := s.head
	next.Update++
	next.Commits, next.History, next.Bands = c.Commits, c.History, c.Bands
	next.Masked = s.maskedNow(c)
	next.Bounds = c.Now
	r := &Report{Update: next.Update, Lines: [2]int{c.Now.Lo.Line, c.Now.Hi.Line}, Samples: [2]int{c.Now.Lo.Sample, c.Now.Hi.Sample}, Bands: cube.SourceBands(), Pixels: moments.Spectra.Count(), Changed: parts}
	if err := s.unmix(ctx, cube, &next, parts, r); err != nil {
		return nil, err
	}
	s.head = next
	if err := s.commit(c.versions); err != nil {
		return nil, err
	}
	s.cube, s.moments = cube, moments
	r.Read = src.read.Load()
	r.Results = append(s.results(), r.Results...)
	s.report = r
	return r, nil
}

// unsearched returns the number of searches that are not in the state.
func (s *Session) unsearched() int {
	n := 0
	for _, f := range s.found {
		if f.method == nil && f.problem == "" {
			n++
		}
	}
	return n
}

// empty updates a session whose cube has no pixels.
func (s *Session) empty(c *changes) (*Report, error) {
	if s.head.Update > 0 && s.head.Bounds.Pixels() > 0 {
		s.forget()
		s.head.Update, s.head.Commits, s.head.History, s.head.Bands, s.head.Bounds, s.head.Masked = s.head.Update+1, c.Commits, c.History, c.Bands, c.Now, 0
		if err := s.commit(nil); err != nil {
			return nil, err
		}
	}
	s.cube, s.moments, s.report = nil, nil, nil
	return &Report{Update: s.head.Update}, nil
}

// forget discards all results; that becomes durable at the next commit.
func (s *Session) forget() {
	if s.store != nil {
		s.store.Clear()
	}
	s.head.Bounds, s.head.Masked, s.head.Key = scene.Block{}, 0, ""
	s.found = make([]keptSearch, len(s.o.Searches))
}

// blocks returns the moments by block, as kept in the state.
func (s *Session) blocks() *stats.Blocks {
	b := &stats.Blocks{Kinds: s.kinds(), Lines: s.o.blockTiles, Samples: s.o.blockTiles}
	if s.store != nil {
		b.Store = s.store
	}
	return b
}

// scene returns the present cube, with the bad bands of the options converted to positions.
func (s *Session) scene(src *countingSource, c *changes) (*scene.Cube, error) {
	a, err := array.New(s.a, s.dims)
	if err != nil {
		return nil, err
	}
	src.Source = scene.Within(a, c.Now)
	o := s.o.Scene
	o.Comm, o.BadBands, o.Wavelengths = s.o.Comm, nil, s.wavelengths(c.Bands)
	for _, b := range s.o.Scene.BadBands {
		if c.Bands[0] <= b && b < c.Bands[1] {
			o.BadBands = append(o.BadBands, b-c.Bands[0])
		}
	}
	cube, err := scene.New(src, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.a.Name(), err)
	}
	return cube, nil
}

// wavelengths returns the wavelengths of the bands within bounds, or nil unless all are known.
func (s *Session) wavelengths(bands [2]int) []float64 {
	if s.named == nil {
		s.named = &bands
	}
	all, known := s.o.Scene.Wavelengths, *s.named
	if len(all) != known[1]-known[0] || bands[0] < known[0] || bands[1] > known[1] {
		return nil
	}
	return all[bands[0]-known[0] : bands[1]-known[0]]
}

// maskedNow returns the checksum of the mask within the present bounds.
func (s *Session) maskedNow(c *changes) uint64 {
	if c.Kept != s.head.Bounds {
		return s.masked(c.Now)
	}
	sum := s.head.Masked
	for _, b := range stats.Without(c.Now, c.Kept) {
		sum += s.masked(b)
	}
	return sum
}

// A countingSource counts the bytes that are read from an array, and keeps the first error.
type countingSource struct {
	scene.Source
	element int64
	read    atomic.Int64
	mu      sync.Mutex
	err     error
}

// Read reads a block.
func (c *countingSource) Read(ctx context.Context, b scene.Block, dst []float64) error {
	c.read.Add(int64(len(dst)) * c.element)
	err := c.Source.Read(ctx, b, dst)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err == nil {
			c.err = err
		}
	}
	return err
}

// failed returns the first error of reading.
func (c *countingSource) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// searchAll updates all searches. If one has no result, the others are still updated, unless
// reading has failed.
func (s *Session) searchAll(ctx context.Context, cube *scene.Cube, src *countingSource, m *Moments, parts []scene.Block, shrunk bool) error {
	for i, x := range s.o.Searches {
		f := s.found[i]
		if shrunk {
			f = keptSearch{}
		}
		found, err := s.searchOne(ctx, x, f, cube, m, parts)
		if err == nil {
			err = found.encode(s.head.Update + 1)
		}
		if err != nil {
			if err := s.agree("reading for a search", errors.Join(ctx.Err(), src.failed())); err != nil {
				return err
			}
			found = keptSearch{problem: err.Error()}
			if err := found.encode(s.head.Update + 1); err != nil {
				return err
			}
		}
		s.found[i] = found
		if err := s.reached("after a search"); err != nil {
			return err
		}
	}
	return nil
}

// searchOne updates a search. If that fails it searches from the start, so that it finds a result
// whenever a new search would.
func (s *Session) searchOne(ctx context.Context, x Search, f keptSearch, cube *scene.Cube, m *Moments, parts []scene.Block) (keptSearch, error) {
	if f.method != nil && len(parts) == 0 {
		return f, nil
	}
	if x.beginsAnew() {
		f = keptSearch{}
	}
	t, err := s.transform(ctx, x, cube, m)
	if err != nil {
		return keptSearch{}, err
	}
	space, projection, err := x.spaceOf(t, cube)
	if err != nil {
		return keptSearch{}, err
	}
	if f.method != nil {
		now, err := x.copyOf(f)
		for _, b := range parts {
			if err == nil {
				err = now.method.Update(ctx, space, b.Grow(max(1, x.Mean)/2).Intersect(cube.Bounds()))
			}
		}
		if err == nil {
			return now, nil
		}
	}
	fresh := keptSearch{method: x.fresh(projection), projection: projection}
	return fresh, fresh.method.Update(ctx, space, space.Bounds())
}

// copyOf returns a copy of a search that has a result. Update changes only the copy, so a method
// that a caller has obtained does not change.
func (x Search) copyOf(f keptSearch) (keptSearch, error) {
	if m, ok := f.method.(interface{ Clone() endmember.Method }); ok {
		f.method = m.Clone()
		return f, nil
	}
	c, _, err := x.decode(f.text)
	return c, err
}

// transform returns the reduction of a search for the present cube, or nil for no reduction.
func (s *Session) transform(ctx context.Context, x Search, cube *scene.Cube, m *Moments) (*reduce.Transform, error) {
	if r := x.Reduce.Method; r != nil && r.Noise && m.Differences == nil {
		var err error
		if m, err = Measure(ctx, cube, true); err != nil {
			return nil, err
		}
	}
	return m.Transform(x.Reduce, x.Ridge)
}

// results returns the results of the statistics and the searches.
func (s *Session) results() []Result {
	list := []Result{{Name: "statistics", Standing: EqualToBatch}}
	for i, x := range s.o.Searches {
		list = append(list, x.result(s.found[i]))
	}
	return slices.Clip(list)
}
