package relayout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drx"
	"drx/dtype"
	"drx/internal/codectest"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
	"drx/relayout/internal/planner"
)

// A sharedCopy is a copy between array files, by drxmp.
type sharedCopy struct {
	dir    string
	order  nd.Order
	memory int64
	ParallelOptions
}

// newSharedIn returns a copy in a folder.
func newSharedIn(dir string) sharedCopy {
	return sharedCopy{dir: dir, order: nd.Order{1, 0}, memory: 600, ParallelOptions: ParallelOptions{Resume: true, CommitBytes: 1}}
}

// newShared makes both arrays, each in one file or in several, depending on the test.
func newShared(t *testing.T, chunk ...int) sharedCopy {
	t.Helper()
	s := newSharedIn(t.TempDir())
	forms := len(t.Name())
	src, err := drx.Create(s.name("src")+formOf(forms, 0), drx.Spec{DType: dtype.Int32, Shape: []int{40, 30}, ChunkShape: []int{6, 5}, Codec: codectest.Of(t.Name())})
	if err == nil {
		data := make([]int32, 1200)
		for i := range data {
			data[i] = int32(i)
		}
		err = errors.Join(drx.Write(src, nil, data), src.Close())
	}
	if err == nil {
		var dst *drx.Array
		dst, err = drx.Create(s.name("dst")+formOf(forms, 1), drx.Spec{DType: dtype.Float32, Shape: []int{30, 40}, Lo: []int{-5, 8}, ChunkShape: chunk, Codec: codectest.Of(t.Name() + "dst")})
		err = errors.Join(err, dst.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s sharedCopy) name(array string) string { return filepath.Join(s.dir, array) }

// program is the program of each proc.
func (s sharedCopy) program(ctx context.Context, c par.Comm) error {
	src, err := drxmp.Open(c, s.name("src"), drxmp.Options{Options: drx.Options{Cache: 1}})
	if err != nil {
		return err
	}
	dst, err := drxmp.Open(c, s.name("dst"), drxmp.Options{Options: drx.Options{
		Cache: 1, Write: true, Incomplete: true, Durability: drx.DurabilityNone,
	}})
	if err != nil {
		return err
	}
	p, err := ResumeParallelPlan(dst, GridOf(src), s.order, s.memory, c.Procs())
	if err := c.Agree("plan", err); err != nil {
		return errors.Join(err, src.Close(), dst.Discard())
	}
	cyclic := slices.Repeat([]drxmp.DimDistribution{drxmp.Cyclic()}, 2)
	if err := dst.Redistribute(drxmp.Distribution{Grid: p.Block, Dims: cyclic}); err != nil {
		return err
	}
	if err := s.checkOwners(dst, p); err != nil {
		return err
	}
	stats, err := CopyParallel(ctx, c, dst, src, p, s.ParallelOptions)
	if err == nil && sumOf(stats.Cost, stats.Skipped) != p.Pass.Cost {
		err = fmt.Errorf("counted %v, skipped %v, planned %v", stats.Cost, stats.Skipped, p.Pass.Cost)
	}
	if err != nil {
		return errors.Join(err, dst.Discard(), src.Close())
	}
	return errors.Join(dst.Close(), src.Close())
}

// checkOwners checks that every proc owns the chunks that it is to write, so that none is sent
// again.
func (s sharedCopy) checkOwners(dst *drxmp.Array, p *ParallelPlan) error {
	lo, hi := dst.Bounds().Bounds()
	all := planner.Box{Lo: make([]int, len(lo)), Hi: nd.Shape(lo, hi)}
	for chunk := range p.plan.Pass.TargetPieces(all) {
		want := p.plan.Owner(chunk.Lo)
		got, err := dst.Decomposition().Owner(chunk.Lo[0]+lo[0], chunk.Lo[1]+lo[1])
		if err != nil || got != want {
			return fmt.Errorf("chunk at %v: planned for proc %d, that of %d, %w", chunk.Lo, want, got, err)
		}
	}
	return nil
}

// on runs the program on goroutine procs.
func (s sharedCopy) on(ctx context.Context, procs int) error {
	return par.Run(procs, func(c par.Comm) error { return s.program(ctx, c) }, par.Options{Timeout: time.Minute})
}

// check checks that the target is complete and right.
func (s sharedCopy) check(t *testing.T) {
	t.Helper()
	a, err := drx.Open(s.name("dst"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := drx.Read[float32](a, nil)
	if err != nil || len(a.Attrs()) > 0 {
		t.Errorf("%v, attributes %v", err, a.Attrs())
	}
	for i, v := range got {
		if want := float32(i%40*30 + i/40); v != want {
			t.Fatalf("element %d: %v, want %v", i, v, want)
		}
	}
}

// checkpoint returns the checkpoint of the target.
func (s sharedCopy) checkpoint(t *testing.T) *checkpoint {
	t.Helper()
	a, err := drx.Open(s.name("dst"), drx.Options{Incomplete: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCheckpoint(a)
	if err := errors.Join(err, a.Close()); err != nil || c == nil {
		t.Fatalf("checkpoint %v, %v", c, err)
	}
	return c
}

// serial resumes the copy by Copy.
func (s sharedCopy) serial(t *testing.T, ctx context.Context, o Options) (Stats, error) {
	t.Helper()
	src, err := drx.Open(s.name("src"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dst, err := drx.Open(s.name("dst"), drx.Options{Write: true, Incomplete: true, Durability: drx.DurabilityNone})
	if err != nil {
		t.Fatal(err)
	}
	o.Order, o.Resume = s.order, true
	stats, err := Copy(ctx, dst, src, o)
	if e := errors.Join(src.Close(), dst.Close()); e != nil {
		t.Fatal(e)
	}
	return stats, err
}

// Procs must copy array files and convert elements. An interrupted copy must be resumed by another
// number of procs, or by Copy.
func TestCopyParallelOfArrays(t *testing.T) {
	for procs := 1; procs <= 4; procs++ {
		s := newShared(t, 4, 7)
		if err := s.on(t.Context(), procs); err != nil {
			t.Fatal(err)
		}
		s.check(t)
		for stop := 2; ; stop += 3 {
			s := newShared(t, 4, 7)
			if !s.interrupt(t, procs, stop) {
				break
			}
			s.memory = 3000
			var err error
			if stop%2 == 0 {
				err = s.on(t.Context(), 1+(procs+stop)%4)
			} else {
				_, err = s.serial(t, t.Context(), Options{})
			}
			if err != nil {
				t.Fatalf("%d procs, stop %d: %v", procs, stop, err)
			}
			s.check(t)
		}
	}
}

// interrupt interrupts a copy by procs procs after stop steps, if it has that many.
func (s sharedCopy) interrupt(t *testing.T, procs, stop int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	s.Progress = func(int64, int64) {
		if calls++; calls == stop {
			cancel()
		}
	}
	err := s.on(ctx, procs)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, e := drx.Open(s.name("dst"), drx.Options{}); errors.Is(e, drx.ErrIncomplete) != (err != nil) {
		t.Fatalf("opened with %v after %v", e, err)
	}
	return err != nil
}

// Goroutine procs may share arrays of package drx.
func TestCopyParallelOfSharedArrays(t *testing.T) {
	for procs := 1; procs <= 4; procs++ {
		src, dst, order := arrays(t, rand.New(rand.NewPCG(uint64(procs), 22)))
		p, err := NewParallelPlan(GridOf(src), GridOf(dst), order, 1<<20, procs)
		if err != nil {
			t.Fatal(err)
		}
		err = par.Run(procs, func(c par.Comm) error {
			stats, err := CopyParallel(t.Context(), c, dst, src, p, ParallelOptions{CommitBytes: 1})
			if err == nil && stats.Cost != p.Pass.Cost {
				err = fmt.Errorf("%v, planned %v", stats.Cost, p.Pass.Cost)
			}
			return err
		}, par.Options{Timeout: time.Minute})
		if err != nil || len(dst.Attrs()) > 0 || !slices.Equal(all(t, src, nil, order), all(t, dst, nil, nil)) {
			t.Errorf("%d procs: not the transposed source, or attributes %v: %v", procs, dst.Attrs(), err)
		}
	}
}

// Procs must finish what Copy began in one pass, and refuse what it began in several.
func TestCopyParallelEndsWhatCopyBegan(t *testing.T) {
	for i, memory := range []int64{600, 200} {
		s := newShared(t, 1, 40)
		ctx, cancel := context.WithCancel(t.Context())
		stats, err := s.serial(t, ctx, Options{Memory: memory, CommitBytes: 1, Progress: func(done, total int64) {
			if done > total/2 {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if passes := len(stats.Plan.Passes); (passes > 1) != (i > 0) {
			t.Fatalf("%d passes within %d bytes", passes, memory)
		}
		s.memory = 3000
		if err = s.on(t.Context(), 3); i > 0 {
			if !errors.Is(err, ErrMismatch) || !strings.Contains(err.Error(), "passes") {
				t.Errorf("%d passes: %v", len(stats.Plan.Passes), err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		s.check(t)
	}
}

// A value that does not fit must be an error on all procs; with Clip the copy must resume.
func TestCopyParallelClips(t *testing.T) {
	s := newShared(t, 4, 7)
	src, err := drx.Open(s.name("src"), drx.Options{Write: true})
	if err == nil {
		err = errors.Join(drx.Set(src, int32(math.MaxInt32), 39, 29), src.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	small, err := drx.Create(s.name("small"), drx.Spec{DType: dtype.Int16, Shape: []int{30, 40}, ChunkShape: []int{4, 7}})
	if err := errors.Join(err, small.Close(), drx.Remove(s.name("dst")), drx.Rename(s.name("small"), s.name("dst"))); err != nil {
		t.Fatal(err)
	}
	if err := s.on(t.Context(), 3); !errors.Is(err, drx.ErrDType) || !strings.Contains(err.Error(), "2147483647 does not fit int16") {
		t.Fatal(err)
	}
	s.Clip, s.memory = true, 3000
	if err := s.on(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	a, err := drx.Open(s.name("dst"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := drx.At[int16](a, 29, 39); err != nil || v != math.MaxInt16 {
		t.Errorf("%d, %v", v, err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkCopyParallel(b *testing.B) {
	shape := []int{4096, 4096}
	dir := b.TempDir()
	if err := benchSource(b, dir+"/src", shape, []int{1, 4096}).Close(); err != nil {
		b.Fatal(err)
	}
	for procs := 1; procs <= 2; procs++ {
		b.Run(fmt.Sprint(procs), func(b *testing.B) {
			b.SetBytes(16 * int64(volume(shape)))
			for b.Loop() {
				b.StopTimer()
				dst := benchArray(b, dir+"/dst", shape, []int{256, 256})
				if err := dst.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := (sharedCopy{dir: dir, memory: 64 << 20}).on(b.Context(), procs); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				removeFiles(b, dir+"/dst")
				b.StartTimer()
			}
		})
	}
}
