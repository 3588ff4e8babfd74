package hyper

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/hyper/endmember"
	"drx/hyper/reduce"
	"drx/hyper/scene"
	"drx/hyper/unmix"
	"drx/nd"
	"drx/parallel/par"
)

// over opens a session for a cube of plainCube, and returns it with a history that checks it.
func over(t *testing.T, a *drx.Array, o SessionOptions) (*Session, *history) {
	t.Helper()
	s, err := OpenSession(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, &history{world: &world{a: a, order: nd.Order{0, 1, 2}, dims: s.dims}, o: o}
}

// TestAbundancesOfAnUpdateThatDied: abundances that an update wrote before it was killed are not
// taken for those of another update with the same number, of a session with other abundances or
// none.
func TestAbundancesOfAnUpdateThatDied(t *testing.T) {
	keeping := func(name string) SessionOptions {
		return SessionOptions{Abundances: &Abundances{Name: name, Method: unmix.FCLS, DType: dtype.Float64, Spectra: [][]float64{{900, 20, 30}, {20, 900, 40}}}}
	}
	for _, between := range []SessionOptions{{}, keeping("others")} {
		inMemory(t)
		a := plainCube(t, "cube", 6, 9, 3, 1)
		change := func(v float32) {
			if err := errors.Join(drx.Set(a, v, 2, 3, 0), a.Sync()); err != nil {
				t.Fatal(err)
			}
		}
		update := func(o SessionOptions, dies bool) {
			s, h := over(t, a, o)
			s.o.step = func(what string) error {
				if dies && what == "after the abundances" {
					return errDied
				}
				return nil
			}
			r, err := s.Update(t.Context())
			if dies != errors.Is(err, errDied) {
				t.Fatal(err)
			}
			if err == nil {
				err = h.checkAbundances(t, s, r, h.cube(t, o.Scene))
			}
			if err := errors.Join(err, s.Close()); err != nil && !dies {
				t.Error(err)
			}
		}
		update(keeping("abundances"), false)
		change(3000)
		update(keeping("abundances"), true)
		change(70)
		update(between, false)
		update(keeping("abundances"), false)
	}
}

// TestWavelengthsOfBandsThatMove: a wavelength stays with its band when bands are cut off and
// added.
func TestWavelengthsOfBandsThatMove(t *testing.T) {
	inMemory(t)
	a := plainCube(t, "cube", 4, 4, 3, 1)
	o := SessionOptions{Scene: scene.Options{Wavelengths: []float64{500, 600, 700}, Unit: "nm"}}
	s, _ := over(t, a, o)
	for _, c := range []struct {
		f    func() error
		want []float64
	}{
		{func() error { return nil }, []float64{500, 600, 700}},
		{func() error { return a.Shrink(2, 1) }, []float64{500, 600}},
		// As many bands as at first, one of them with an unknown wavelength.
		{func() error { _, err := a.ExtendLow(2, 1); return err }, nil},
		{func() error { return a.ShrinkLow(2, 2) }, []float64{600}},
	} {
		if err := errors.Join(c.f(), a.Sync()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, _ := s.Cube().Wavelengths(); !slices.Equal(got, c.want) {
			t.Errorf("bands %v have the wavelengths %v, want %v", a.Bounds()[2], got, c.want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLimitsThatAreNoNumbers: a state can be opened again with options for which JSON has no
// numbers.
func TestLimitsThatAreNoNumbers(t *testing.T) {
	inMemory(t)
	a := plainCube(t, "cube", 4, 4, 3, 1)
	nan := math.NaN()
	o := SessionOptions{Scene: scene.Options{NoData: &nan, Saturated: math.Inf(1)}}
	for range 2 {
		s, _ := over(t, a, o)
		if _, err := s.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRestartWithAReduction: a search with a reduction can be compared with batch runs, but adopts
// none of them.
func TestRestartWithAReduction(t *testing.T) {
	inMemory(t)
	s, _ := over(t, plainCube(t, "cube", 6, 12, 5, 4), SessionOptions{Searches: []Search{{Method: &endmember.NFINDR{}, Count: 3, Reduce: Reduction{Method: reduce.ByPCT, Components: 2}}}})
	if _, err := s.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restart(t.Context(), 0, 2, false); err != nil {
		t.Error(err)
	}
	if _, err := s.Restart(t.Context(), 0, 2, true); err == nil || !strings.Contains(err.Error(), "each update begins anew") {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFailuresOfOneProc: an update that fails on one of three procs fails on all. They keep the
// earlier results and can continue together.
func TestFailuresOfOneProc(t *testing.T) {
	for _, c := range []struct {
		name string
		at   int // the proc that fails
		// spoil makes the next update fail, mend undoes that. Both are called on the proc that
		// fails; proc 0 also has the writer of the cube.
		spoil func(s *Session, cancel func()) error
		mend  func(s *Session) error
		want  string
	}{
		{
			"commit", 0,
			func(s *Session, _ func()) error {
				s.o.step = func(what string) error {
					if what == "before the commit" {
						return errDied
					}
					return nil
				}
				return nil
			},
			func(s *Session) error { s.o.step = nil; return nil },
			"proc 0: died",
		},
		{
			"bounds that others do not see", 0,
			func(s *Session, _ func()) error { _, err := s.a.Extend(0, 1); return err },
			func(s *Session) error { return s.a.Sync() },
			"proc 1: cube: this proc sees lines 0:6",
		},
		{
			"reading", 2,
			func(s *Session, cancel func()) error {
				s.o.step = func(what string) error {
					if what == "after the moments" {
						cancel()
					}
					return nil
				}
				return nil
			},
			func(s *Session) error { s.o.step = nil; return nil },
			"proc 2: context canceled",
		},
	} {
		inMemory(t)
		writer := plainCube(t, "cube", 5, 9, 3, 1)
		err := par.Run(3, func(comm par.Comm) error {
			a := writer
			var err error
			if comm.Proc() > 0 {
				if a, err = drx.Open("cube", drx.Options{}); err != nil {
					return err
				}
			}
			s, h := over(t, a, SessionOptions{Comm: comm, Noise: true, Searches: []Search{{Method: &endmember.ATGP{}, Count: 2}}})
			if _, err := s.Update(t.Context()); err != nil {
				return err
			}
			if comm.Proc() == 0 {
				if _, err := a.Extend(0, 1); err != nil {
					return err
				}
				err = a.Sync()
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if comm.Proc() == c.at {
				err = errors.Join(err, c.spoil(s, cancel))
			}
			if err := comm.Agree("change", err); err != nil {
				return err
			}
			if _, err := s.Update(ctx); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, proc %d: error %v", c.name, comm.Proc(), err)
			}
			if b := s.Cube().Bounds(); b.Lines() != 5 {
				t.Errorf("%s, proc %d: the session has %s after an error", c.name, comm.Proc(), b)
			}
			if comm.Proc() == c.at {
				err = c.mend(s)
			}
			if err := comm.Agree("mended", err); err != nil {
				return err
			}
			r, err := s.Update(t.Context())
			if err == nil {
				err = h.check(t, s, r)
			}
			return errors.Join(err, s.Close())
		})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
