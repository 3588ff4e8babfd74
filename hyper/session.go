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

// A Session keeps results for a scene that grows, shrinks and is overwritten. Update brings them up to date after a commit and reads mostly
// what has changed. What it needs for that is in an array of its own, the state, which a commit changes as a whole: a session that was
// killed goes on, from the last Update that returned, when it is opened again.
//
//	s, err := hyper.OpenSession(cube, hyper.SessionOptions{Searches: []hyper.Search{{Method: &endmember.NFINDR{Starts: 10}, Count: 4}}})
//	err = s.Follow(ctx, time.Second, func(r *hyper.Report) error { ... })
//
// What has changed is found without help, by the bounds and the versions of the chunks of the cube (drx.Array.ChunkVersions), and checked by
// checksums of the values. Further bands change every spectrum: no result is a function of results of fewer bands and of the new bands alone,
// as products of new with old bands are needed. So after bands were added or cut off, the whole scene is read again.
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
	named   *[2]int // the bands that Scene.Wavelengths are of: those of the first update
}

// SessionOptions say what a session does. They must be those of the state, but for Searches and Abundances.
type SessionOptions struct {
	// Dims are the dimensions of the cube; nil means that they are found by their names.
	Dims *array.Dims
	// Scene says what is left out. Its BadBands are indices of the dimension of the bands, which stay when bands are added on the low
	// side; those that do not exist yet count when they do. Wavelengths are those of the bands at the first update.
	Scene scene.Options
	// Noise says that the moments of differences between neighbouring pixels are kept as well, which the noise is found from.
	Noise bool
	// Searches are the endmembers to keep.
	Searches []Search
	// Abundances, if not nil, are kept in an array.
	Abundances *Abundances
	// State is the name of the array of the state; "" means that of the cube with "-session".
	State string
	// Anew throws away a state that there is, and a state that does not belong to the cube as well.
	Anew bool
	// Comm, if not nil, has the procs of a parallel program: each has its own cube and calls the same functions. They share the reading and
	// the work on the pixels, for statistics, searches and abundances (see scene.Fold). Only the first one writes. The results have the same bits
	// on any number of procs. It takes the place of Scene.Comm.
	Comm par.Comm

	blockTiles int                     // tiles of a block in each direction; 0 means the default. For tests
	step       func(what string) error // called between the steps of an update. For tests
}

// A keptSearch is the state of a Search.
type keptSearch struct {
	method     endmember.Method
	projection *derived.Projection
	problem    string // why there is no result
	text       []byte // what is kept of it
}

const aboutState = "state of a session"

// OpenSession opens a session over a cube that is open, for reading or for writing, and stays open until the session is closed. It reads
// nothing of the cube yet: before the first Update there are only the results of the state. The errors: those of the dimensions; a state that
// is open elsewhere, is of another or an older cube, or was made with other options.
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

// agree makes an error of one proc that of all.
func (s *Session) agree(what string, err error) error {
	if s.o.Comm == nil {
		return err
	}
	return s.o.Comm.Agree(what, err)
}

// writes reports whether this proc keeps the state.
func (s *Session) writes() bool { return s.o.Comm == nil || s.o.Comm.Proc() == 0 }

// open opens the state and gets the results that it has.
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

// Close closes the state; the cube stays open. The results of the last Update stay. It is not collective.
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

// Cube returns the scene as it was at the last Update, nil before the first one since the session was opened, and without pixels. It has the procs
// of the session.
func (s *Session) Cube() *scene.Cube {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cube
}

// Moments returns what statistics, components, counts of materials and detectors are computed from, as of the last Update: all of these are equal
// to those of a batch run. They are nil before the first Update.
func (s *Session) Moments() *Moments {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moments
}

// Found returns the endmembers of search number i, as of the last Update. The error says why there are none.
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

// Method returns the state of search number i, nil without a result or such a search. It must not be changed.
func (s *Session) Method(i int) endmember.Method {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i < 0 || i >= len(s.found) {
		return nil
	}
	return s.found[i].method
}

// Update brings all results up to date with what the cube has, after Refresh if it is open for reading: what was committed by its
// writer. If it is open for writing, call Sync before. changed are sections that are known to have other values; they need not be given.
//
// The errors are those of reading and writing. The session then has the results of the last Update that returned without error, and the
// next one begins from there. That a search or the abundances have no result is no error: the report says it.
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
	s.o.Anew = false // the state is new now, and must not be thrown away after an error to come
	return r, nil
}

// restorer returns a function that takes the results back to those of now, which are those of the last commit, after an error.
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

// Restart searches the whole cube of the last Update from the beginning, in runs batch runs of search
// number i, whose method must be an endmember.Restarter such as NFINDR. It returns the ratio of the
// volume of the session's simplex to that of the best run: 1 if it is as large. With adopt the session
// goes on from the best run, from the next Update on, if that is larger; not if the search has a
// reduction, as then each update begins anew. All runs have the starts of the search, with seeds one
// after the other. With procs it is collective.
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
	s.report = nil // the next update computes what depends on the endmembers, even of a cube that stays as it is
	return ratio, nil
}

// kinds returns the moments that are kept.
func (s *Session) kinds() []stats.Kind {
	if s.o.Noise {
		return []stats.Kind{stats.Spectra, stats.Neighbours}
	}
	return []stats.Kind{stats.Spectra}
}

// key returns the name of the state of a search.
func (s Search) key() string {
	text, _ := json.Marshal(struct { // no error: numbers and strings
		Method  string
		Options endmember.Method
		Count   int
		Mean    int
		Reduce  string
		Ridge   float64
	}{s.name(), s.fresh(nil), s.Count, s.Mean, s.Reduce.String(), s.Ridge})
	return "search " + string(text)
}
