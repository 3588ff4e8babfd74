package hyper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"drx"
	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/internal/keep"
	"drx/hyper/scene"
	"drx/hyper/scene/array"
	"drx/hyper/stats"
	"drx/nd"
	"drx/parallel/par"
)

// A Session keeps results for a scene that grows, shrinks and is overwritten. Update updates them
// after a commit and reads mostly the changed pixels. The session keeps its state in an array of
// its own, which each commit changes as a whole: after a kill, a session that is opened again
// continues from the last Update that returned.
//
//	s, err := hyper.OpenSession(cube, hyper.SessionOptions{Searches: []hyper.Search{{Method: &endmember.NFINDR{Starts: 10}, Count: 4}}})
//	err = s.Follow(ctx, time.Second, func(r *hyper.Report) error { ... })
//
// The session detects changes by the bounds and the versions of the chunks of the cube
// (drx.Array.ChunkVersions), and verifies them by checksums of the values. If bands are added or
// removed, the session reads the whole scene again, because every spectrum changes: products of old
// and new bands are needed, which neither the old results nor the new bands contain.
//
// The methods may be called by several goroutines.
type Session struct {
	a    *drx.Array
	dims array.Dims
	o    SessionOptions

	mu      sync.Mutex
	store   *keep.Store // nil after Close, and on procs other than the first
	closed  bool
	head    head
	cube    *scene.Cube // at the last update
	moments *Moments
	found   []keptSearch // by Searches
	report  *Report
	named   *[2]int // bounds of the bands at the first update, to which Scene.Wavelengths refer
}

// SessionOptions has the settings of a session. All except Searches and Abundances must agree with
// the state.
type SessionOptions struct {
	// Dims are the dimensions of the cube; nil means that they are found by their names.
	Dims *array.Dims
	// Scene has the options of the scene. Its BadBands are indices of the band dimension, so they
	// do not change when bands are added on the low side; indices beyond the bounds apply once such
	// bands exist. Wavelengths has one value for each band at the first update.
	Scene scene.Options
	// Noise keeps the moments of differences between neighbouring pixels as well, from which the
	// noise is computed.
	Noise bool
	// Searches has the searches whose endmembers are kept.
	Searches []Search
	// Abundances, if not nil, are kept in an array.
	Abundances *Abundances
	// State is the name of the array of the state; "" means the name of the cube with "-session"
	// appended.
	State string
	// Anew discards an existing state, even the state of another cube.
	Anew bool
	// Comm, if not nil, has the procs of a parallel program. Each has its own cube and calls the
	// same functions. They share the reading and the work on the pixels, for statistics, searches
	// and abundances (see scene.Fold). Only proc 0 writes. The results have the same bits for any
	// number of procs. Scene.Comm is ignored.
	Comm par.Comm

	// blockTiles is the number of tiles of a block in each direction; 0 means the default. For
	// tests.
	blockTiles int
	step       func(what string) error // called between the steps of an update, for tests
}

// A keptSearch is the state of a Search.
type keptSearch struct {
	method     endmember.Method
	projection *derived.Projection
	problem    string // the reason why there is no result
	text       []byte // the stored form
}

const aboutState = "state of a session"

// OpenSession opens a session for an open cube, which may be open for reading or writing and must
// stay open until the session is closed. It does not read the cube: before the first Update the
// session has the results of its state. It is an error if the dimensions are unknown, or if the
// state is open elsewhere, belongs to another or an older cube, or was made with other options.
func OpenSession(cube *drx.Array, o SessionOptions) (*Session, error) {
	s := &Session{a: cube, o: o}
	for _, x := range o.Searches {
		if err := x.check(); err != nil {
			return nil, err
		}
	}
	var err error
	if o.Dims != nil {
		s.dims = *o.Dims
	} else if s.dims, err = array.FindDims(cube); err != nil {
		return nil, err
	}
	if s.o.State == "" {
		s.o.State = cube.Name() + "-session"
	}
	if err := s.agree("session of "+cube.Name(), s.open()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// agree makes the error of one proc the error of all procs.
func (s *Session) agree(what string, err error) error {
	if s.o.Comm == nil {
		return err
	}
	return s.o.Comm.Agree(what, err)
}

// writes reports whether this proc writes the state.
func (s *Session) writes() bool { return s.o.Comm == nil || s.o.Comm.Proc() == 0 }

// open opens the state and loads its results.
func (s *Session) open() error {
	var err error
	if s.writes() {
		s.store, err = keep.Open(s.o.State, aboutState, drx.Options{})
		if err == nil && s.o.Anew {
			s.store.Clear()
		}
	}
	if err := s.agree("state "+s.o.State, err); err != nil {
		return err
	}
	return s.load()
}

// Close closes the state; the cube stays open. The results of the last Update remain available.
// Close is not collective.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.closeStore()
}

func (s *Session) closeStore() error {
	if s.store == nil {
		return nil
	}
	err := s.store.Close()
	s.store = nil
	return err
}

// Cube returns the scene as of the last Update, with the procs of the session. It is nil before the
// first Update after opening the session, and for a cube without pixels.
func (s *Session) Cube() *scene.Cube {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cube
}

// Moments returns the sums as of the last Update, from which statistics, components, numbers of
// materials and detectors are computed, with the same bits as in a batch run. It returns nil before
// the first Update.
func (s *Session) Moments() *Moments {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moments
}

// Found returns the endmembers of search i as of the last Update. If there are none, the error is
// the reason.
func (s *Session) Found(i int) (*Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case i < 0 || i >= len(s.found):
		return nil, fmt.Errorf("search %d: there are %d", i, len(s.found))
	case s.found[i].problem != "":
		return nil, errors.New(s.found[i].problem)
	case s.found[i].method == nil || s.cube == nil:
		return nil, fmt.Errorf("search %d has no result before the first update", i)
	}
	return s.o.Searches[i].found(s.cube, s.found[i].method, s.found[i].projection), nil
}

// Update updates all results to the present cube. If the cube is open for reading, it refreshes it
// and so sees the commits of the writer; if it is open for writing, call Sync before. changed may
// name sections with new values; the session also detects them itself.
//
// The errors are those of reading and writing. After an error the session still has the results of
// the last successful Update, and the next Update starts from there. A search or abundances without
// a result are no error: the report has the reason.
func (s *Session) Update(ctx context.Context, changed ...nd.Section) (*Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, fmt.Errorf("%s: the session is closed", s.o.State)
	}
	restore := s.restorer()
	r, err := s.update(ctx, changed)
	if err := s.agree("update of "+s.o.State, err); err != nil {
		return nil, errors.Join(err, restore())
	}
	s.o.Anew = false // the state is new: a later error must not discard it
	return r, nil
}

// restorer returns a function that restores the present results, which are those of the last
// commit, after an error.
func (s *Session) restorer() func() error {
	cube, moments, report := s.cube, s.moments, s.report
	return func() error {
		err := s.closeStore()
		err = s.agree("session of "+s.a.Name(), errors.Join(err, s.open()))
		s.cube, s.moments, s.report = cube, moments, report
		s.closed = err != nil
		return err
	}
}

// Restart searches the whole cube of the last Update from the beginning, in the given number of
// batch runs of search i, whose method must be an endmember.Restarter such as NFINDR. It returns
// the volume of the session's simplex divided by that of the best run: 1 if they are equal. With
// adopt, the next Update continues from the best run if its simplex is larger. That does not apply
// to searches with a reduction, which begin anew at each update. All runs have the starts of the
// search, with consecutive seeds. With procs it is collective.
func (s *Session) Restart(ctx context.Context, i, runs int, adopt bool) (ratio float64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, fmt.Errorf("%s: the session is closed", s.o.State)
	}
	if i < 0 || i >= len(s.found) || s.cube == nil {
		return 0, fmt.Errorf("search %d of %d: no result yet", i, len(s.found))
	}
	x := s.o.Searches[i]
	own, ok := s.found[i].method.(endmember.Restarter)
	if !ok {
		return 0, fmt.Errorf("search %d, %s: its result does not depend on where it began", i, x.name())
	}
	if reduction := x.Reduce; adopt && reduction.Method != nil {
		return 0, fmt.Errorf("search %d: each update begins anew, as the components of %v change; ask for more starts instead", i, reduction)
	}
	space, err := derived.Mean(s.cube, max(1, x.Mean))
	if err != nil {
		return 0, err
	}
	best, ratio, err := own.Restart(ctx, space, runs)
	if err != nil || !adopt || best == nil {
		return ratio, err
	}
	restore := s.restorer()
	s.found[i].method = best
	if err = s.found[i].encode(s.head.Update); err == nil {
		err = s.commitSearches()
	}
	if err := s.agree("commit of "+s.o.State, err); err != nil {
		return ratio, errors.Join(err, restore())
	}
	// The next update must compute abundances again, even if the cube has not changed.
	s.report = nil
	return ratio, nil
}

// kinds returns the kinds of moments that are kept.
func (s *Session) kinds() []stats.Kind {
	if s.o.Noise {
		return []stats.Kind{stats.Spectra, stats.Neighbours}
	}
	return []stats.Kind{stats.Spectra}
}

// key returns the name of the state of a search.
func (s Search) key() string {
	text, _ := json.Marshal(struct { // no error: only numbers and strings
		Method  string
		Options endmember.Method
		Count   int
		Mean    int
		Reduce  string
		Ridge   float64
	}{s.name(), s.fresh(nil), s.Count, s.Mean, s.Reduce.String(), s.Ridge})
	return "search " + string(text)
}
