package relayout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx/internal/sides"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/nd"
)

// arrays makes a source that grew and shrank at random, full of random bytes, and an empty
// target for it.
func arrays(t *testing.T, r *rand.Rand) (src, dst *drx.Array, order nd.Order) {
	t.Helper()
	sg, dg, order := randomGrids(r, 3000)
	all := dtype.All()
	spec := drx.Spec{DType: all[r.IntN(len(all))], Shape: nd.Shape(sg.Lo, sg.Hi), Lo: sg.Lo, ChunkShape: sg.Chunk}
	orders := []drx.ElementOrder{drx.RowOrder, drx.ColOrder, drx.MortonOrder, drx.HilbertOrder}
	spec.Order = orders[r.IntN(len(orders))]
	src = create(t, "src", spec)
	for range r.IntN(5) {
		d, by, side := r.IntN(len(sg.Lo)), 1+r.IntN(7), axial.Side(r.IntN(2))
		var err error
		if n := src.Shape()[d]; r.IntN(4) == 0 && n > by {
			err = sides.Shrink(src, d, by, side)
		} else {
			_, err = sides.Extend(src, d, by, side)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	n, _ := nd.Product(src.Shape()...)
	data := make([]byte, n*spec.DType.Size())
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if err := src.WriteBytes(nil, data, nil); err != nil {
		t.Fatal(err)
	}
	shape := order.Apply(src.Shape())
	dst = create(t, "dst", drx.Spec{DType: spec.DType, Shape: shape, Lo: dg.Lo, ChunkShape: dg.Chunk, Order: orders[r.IntN(len(orders))]})
	return src, dst, order
}

func create(t *testing.T, name string, spec drx.Spec) *drx.Array {
	t.Helper()
	spec.Durability = drx.DurabilityNone
	a, err := drx.Create(filepath.Join(t.TempDir(), name), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil && !errors.Is(err, drx.ErrClosed) {
			t.Error(err)
		}
	})
	return a
}

func all(t *testing.T, a *drx.Array, sec nd.Section, order nd.Order) []byte {
	t.Helper()
	lo, hi := limits(a.Bounds())
	sec, err := sec.Resolve(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := sec.Len()
	buf := make([]byte, n*a.DType().Size())
	if err := a.ReadBytes(sec, buf, order); err != nil {
		t.Fatal(err)
	}
	return buf
}

func bytesOf(a *drx.Array) int64 {
	n, _ := nd.Product(a.ChunkShape()...)
	return int64(n * a.DType().Size())
}

func TestCopy(t *testing.T) {
	for seed := range trials(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		src, dst, order := arrays(t, r)
		o := Options{Order: order, Memory: bytesOf(src) + bytesOf(dst) + int64(r.IntN(3000))}
		var last, total int64
		o.Progress = func(done, of int64) {
			if done < last || done > of {
				t.Errorf("seed %d: progress %d after %d, of %d", seed, done, last, of)
			}
			last, total = done, of
		}
		stats, err := Copy(t.Context(), dst, src, o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !slices.Equal(all(t, src, nil, order), all(t, dst, nil, nil)) {
			t.Fatalf("seed %d: not the transposed source", seed)
		}
		if stats.Cost != stats.Plan.Cost() || stats.Peak != stats.Plan.Peak() || stats.Peak > o.Memory {
			t.Errorf("seed %d: counted %v and %d, planned %v and %d", seed, stats.Cost, stats.Peak, stats.Plan.Cost(), stats.Plan.Peak())
		}
		if last != total || total != stats.Cost.Bytes() {
			t.Errorf("seed %d: progress ended at %d of %d, moved %d", seed, last, total, stats.Cost.Bytes())
		}
		if Incomplete(dst) {
			t.Errorf("seed %d: still marked", seed)
		}
	}
}

// twoPasses makes arrays for which two passes are best, by little memory.
func twoPasses(t *testing.T) (src, dst *drx.Array, o Options) {
	t.Helper()
	src = create(t, "src", drx.Spec{DType: dtype.Float64, Shape: []int{128, 128}, ChunkShape: []int{1, 128}})
	dst = create(t, "dst", drx.Spec{DType: dtype.Float64, Shape: []int{128, 128}, ChunkShape: []int{128, 1}})
	data := make([]float64, 128*128)
	for i := range data {
		data[i] = float64(i)
	}
	if err := drx.Write(src, nil, data); err != nil {
		t.Fatal(err)
	}
	return src, dst, Options{Memory: 20 << 10, Dir: t.TempDir()}
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	folders, _ := filepath.Glob(filepath.Join(dir, "*"))
	return append(names, folders...)
}

func TestCopyByWayOfATemporaryArray(t *testing.T) {
	src, dst, o := twoPasses(t)
	seen := 0
	o.Progress = func(int64, int64) { seen = max(seen, len(files(t, o.Dir))) }
	stats, err := Copy(t.Context(), dst, src, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(stats.Plan.Passes) != 2 || stats.Cost != stats.Plan.Cost() || stats.Peak != stats.Plan.Peak() {
		t.Errorf("%d passes, %v, planned %v", len(stats.Plan.Passes), stats.Cost, stats.Plan.Cost())
	}
	if !slices.Equal(all(t, src, nil, nil), all(t, dst, nil, nil)) {
		t.Error("not the source")
	}
	if left := files(t, o.Dir); seen == 0 || len(left) > 0 {
		t.Errorf("%d temporary files seen, left: %v", seen, left)
	}
}

// Cancelled after every possible number of calls of Progress, a copy goes on where it was.
func TestResumeAfterCancel(t *testing.T) {
	for stop := 1; ; stop += 5 {
		src, dst, o := twoPasses(t)
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		o.Progress = func(int64, int64) {
			if calls++; calls == stop {
				cancel()
			}
		}
		first, err := Copy(ctx, dst, src, o)
		cancel()
		if err == nil {
			if stop < 20 {
				t.Errorf("only %d steps", stop)
			}
			break
		}
		if !errors.Is(err, context.Canceled) || !Incomplete(dst) {
			t.Fatalf("%v, marked: %v", err, Incomplete(dst))
		}
		if _, err := Copy(t.Context(), dst, src, o); !errors.Is(err, drx.ErrIncomplete) {
			t.Fatalf("without Resume: %v", err)
		}
		o.Progress, o.Resume = nil, true
		stats, err := Copy(t.Context(), dst, src, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := stats.Cost.plus(stats.Skipped); got != stats.Plan.Cost() {
			t.Errorf("%v done and %v skipped, planned %v", stats.Cost, stats.Skipped, stats.Plan.Cost())
		}
		again := first.Cost.plus(stats.Cost).Bytes() - stats.Plan.Cost().Bytes()
		if most := mostTemplate(stats.Plan); again > 2*most {
			t.Errorf("stop %d: %d bytes moved again, a template has %d", stop, again, most)
		}
		if !slices.Equal(all(t, src, nil, nil), all(t, dst, nil, nil)) {
			t.Fatalf("stop %d: not the source", stop)
		}
		if left := files(t, o.Dir); Incomplete(dst) || len(left) > 0 {
			t.Errorf("stop %d: marked %v, left %v", stop, Incomplete(dst), left)
		}
	}
}

// mostTemplate returns the bytes that the largest template of a plan moves.
func mostTemplate(p *Plan) (most int64) {
	for i := range p.Passes {
		pass := &p.Passes[i]
		for n := range volume(pass.templates()) {
			most = max(most, pass.costOf(n+1).Bytes()-pass.costOf(n).Bytes())
		}
	}
	return most
}

func TestCostOfTemplatesAddsUp(t *testing.T) {
	for seed := range trials(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		src, dst, order := randomGrids(r, 4000)
		src.Elem, dst.Elem = 4, 1+r.IntN(8)
		p, err := NewPlan(src, dst, order, 1<<15)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Passes {
			if got := p.Passes[i].costOf(volume(p.Passes[i].templates())); got != p.Passes[i].Cost {
				t.Errorf("seed %d: %v, want %v", seed, got, p.Passes[i].Cost)
			}
		}
	}
}

// Whatever goes wrong, nothing temporary is left; the mark stays.
func TestFailureRemovesTemporaryArrays(t *testing.T) {
	for stop := 1; stop < 30; stop += 4 {
		src, dst, o := twoPasses(t)
		calls := 0
		o.Progress = func(int64, int64) {
			if calls++; calls == stop {
				if err := src.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		_, err := Copy(t.Context(), dst, src, o)
		if calls < stop {
			break
		}
		if err != nil && !errors.Is(err, drx.ErrClosed) {
			t.Fatal(err)
		}
		if left := files(t, o.Dir); len(left) > 0 {
			t.Errorf("after %v: %v", err, left)
		}
		if Incomplete(dst) != (err != nil) {
			t.Errorf("marked: %v after %v", Incomplete(dst), err)
		}
	}
}

// Somebody removed the temporary arrays: the passes begin again, what the target has stays.
func TestResumeWithoutTemporaryArrays(t *testing.T) {
	src, dst, o := twoPasses(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Progress = func(done, total int64) {
		if done > total*3/4 {
			cancel()
		}
	}
	if _, err := Copy(ctx, dst, src, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m, err := readMark(dst)
	if err != nil || m.Pass != 1 || m.Templates == 0 {
		t.Fatalf("mark %+v, %v", m, err)
	}
	if err := os.RemoveAll(m.Temp); err != nil {
		t.Fatal(err)
	}
	o.Progress, o.Resume = nil, true
	stats, err := Copy(t.Context(), dst, src, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := stats.Plan.Passes[1].costOf(m.Templates); stats.Skipped != want {
		t.Errorf("skipped %v, want %v", stats.Skipped, want)
	}
	if !slices.Equal(all(t, src, nil, nil), all(t, dst, nil, nil)) || len(files(t, o.Dir)) > 0 {
		t.Errorf("not the source, or left: %v", files(t, o.Dir))
	}
}

func TestCopySection(t *testing.T) {
	src := create(t, "src", drx.Spec{DType: dtype.Int32, Shape: []int{20, 30}, ChunkShape: []int{7, 4}})
	if err := src.WriteBytes(nil, slices.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 300), nil); err != nil {
		t.Fatal(err)
	}
	dst := create(t, "dst", drx.Spec{DType: dtype.Int32, Shape: []int{11, 6}, Lo: []int{-3, 2}, ChunkShape: []int{4, 4}})
	sec := nd.Sec(nd.Span(5, 11), nd.Span(9, 20))
	if _, err := Copy(t.Context(), dst, src, Options{Order: nd.Order{1, 0}, Section: sec}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(all(t, src, sec, nd.Order{1, 0}), all(t, dst, nil, nil)) {
		t.Error("not the transposed section")
	}
}

func TestCopyOfNothing(t *testing.T) {
	src := create(t, "src", drx.Spec{DType: dtype.Int8, Shape: []int{0, 3}})
	dst := create(t, "dst", drx.Spec{DType: dtype.Int8, Shape: []int{3, 0}})
	stats, err := Copy(t.Context(), dst, src, Options{Order: nd.Order{1, 0}})
	if err != nil || stats.Cost != (Cost{}) || Incomplete(dst) {
		t.Errorf("%v, %v", stats, err)
	}
}

func TestCopyRefuses(t *testing.T) {
	of := func(dt dtype.DType, shape ...int) *drx.Array {
		return create(t, "a", drx.Spec{DType: dt, Shape: shape, ChunkShape: slices.Repeat([]int{2}, len(shape))})
	}
	src := of(dtype.Int16, 4, 6)
	large := of(dtype.Int16, 4, 6)
	if err := drx.Write(large, nil, slices.Repeat([]int16{256}, 24)); err != nil {
		t.Fatal(err)
	}
	marked := of(dtype.Int16, 4, 6)
	if err := marked.SetAttr(drx.IncompleteAttr, &mark{}); err != nil {
		t.Fatal(err)
	}
	damaged := of(dtype.Int16, 4, 6)
	if err := damaged.SetAttr(drx.IncompleteAttr, "what?"); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		dst, src *drx.Array
		o        Options
		want     error
	}{
		{of(dtype.Int32, 4, 6), of(dtype.Complex64, 4, 6), Options{Clip: true}, drx.ErrDType},
		{of(dtype.Uint8, 4, 6), large, Options{}, drx.ErrDType},
		{of(dtype.Int16, 4, 6, 1), src, Options{}, nd.ErrRank},
		{of(dtype.Int16, 6, 4), src, Options{}, nd.ErrBounds},
		{of(dtype.Int16, 4, 6), src, Options{Order: nd.Order{0, 0}}, nd.ErrRank},
		{of(dtype.Int16, 4, 6), src, Options{Section: nd.Sec(nd.Span(0, 9), nd.All)}, nd.ErrBounds},
		{of(dtype.Int16, 4, 3), src, Options{Section: nd.Sec(nd.All, nd.All.By(2))}, nd.ErrBounds},
		{of(dtype.Int16, 4, 6), src, Options{Memory: 7}, ErrMemory},
		{of(dtype.Int16, 4, 6), marked, Options{}, drx.ErrIncomplete},
		{marked, src, Options{}, drx.ErrIncomplete},
		{marked, src, Options{Resume: true}, ErrMismatch},
		{damaged, src, Options{Resume: true}, nil},
	} {
		_, err := Copy(t.Context(), c.dst, c.src, c.o)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dst := of(dtype.Int16, 4, 6)
	if _, err := Copy(ctx, dst, src, Options{}); !errors.Is(err, context.Canceled) || Incomplete(dst) {
		t.Errorf("cancelled before it began: %v", err)
	}
}

// A mark may have been set by anybody: no value of it makes a copy panic.
func TestMarksOfOthers(t *testing.T) {
	src, dst, o := twoPasses(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(int64, int64) { cancel() }
	if _, err := Copy(ctx, dst, src, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Progress, o.Resume = nil, true
	for i, spoil := range []func(*mark){
		func(m *mark) { m.Pass = 3 },
		func(m *mark) { m.Pass = -1 },
		func(m *mark) { m.Templates = 1 << 30 },
		func(m *mark) { m.Passes = nil },
		func(m *mark) { m.Passes[0].Chunk[0] = 0 },
		func(m *mark) { m.Passes[0].Blocks = nil },
		func(m *mark) { m.Passes[1].Works = 0 },
		func(m *mark) { m.Passes[0].Stages = 9 },
		func(m *mark) { m.Passes[0].AtLeast[1] = -1 },
		func(m *mark) { m.Passes[1].Chunk[1]++ },
		func(m *mark) { m.Order = []int{1, 0} },
		func(m *mark) { m.Source.Hi[0]-- },
		func(m *mark) { m.Templates = -1 },
		func(m *mark) { m.Steps = 1 },
		func(m *mark) { m.Steps = -1 },
	} {
		good, err := readMark(dst)
		if err != nil {
			t.Fatal(err)
		}
		bad, _ := readMark(dst)
		spoil(bad)
		if err := bad.begin(dst); err != nil {
			t.Fatal(err)
		}
		if _, err := Copy(t.Context(), dst, src, o); err == nil {
			t.Fatalf("%d: accepted %+v", i, bad)
		}
		if err := good.begin(dst); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Copy(t.Context(), dst, src, o); err != nil {
		t.Error(err)
	}
}

// Whatever the mark says, what is made of it is a plan that fits or an error.
func FuzzMark(f *testing.F) {
	src := Grid{[]int{0, -3}, []int{20, 9}, []int{1, 12}, 4}
	dst := Grid{[]int{5, 0}, []int{17, 20}, []int{12, 1}, 4}
	order := nd.Order{1, 0}
	p, err := NewPlan(src, dst, order, 200)
	if err != nil {
		f.Fatal(err)
	}
	good, err := json.Marshal(newMark(src, p))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"source":{"Lo":[0,-3],"Hi":[20,9],"Chunk":[1,12],"Elem":4},"order":[1,0],"passes":[{"chunk":[12,1],"blocks":[1,9],"at_least":[0,0],"works":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var m mark
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		p, err := m.plan(src, dst, Options{Order: order, Memory: 4096})
		if err != nil {
			return
		}
		if p.Peak() > 4096 {
			t.Errorf("buffers of %d bytes", p.Peak())
		}
		carryOut(t, p, randomFake(rand.New(rand.NewPCG(1, 1)), src), dst)
	})
}

func ExampleNewPlan() {
	shape := []int{224, 8192, 8192}
	src := Grid{Lo: []int{0, 0, 0}, Hi: shape, Chunk: []int{1, 512, 512}, Elem: 2}
	dst := Grid{Lo: []int{0, 0, 0}, Hi: shape, Chunk: []int{224, 64, 64}, Elem: 2}
	p, err := NewPlan(src, dst, nil, 256<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.Passes), "pass, template", p.Passes[0].Template, "reads", p.Cost().Reads, "writes", p.Cost().Writes)
	// Output: 1 pass, template [224 512 512] reads 57344 writes 16384
}

// A target that Create has made incomplete is never seen as complete, until a copy has been, of nothing
// too; its mark, without a plan, does not ask for Resume.
func TestCopyToIncomplete(t *testing.T) {
	for _, n := range []int{0, 10} {
		src := create(t, "src", drx.Spec{DType: dtype.Int8, Shape: []int{n}, ChunkShape: []int{3}})
		dst := create(t, "dst", drx.Spec{DType: dtype.Int8, Shape: []int{n}, ChunkShape: []int{4}, Options: drx.Options{Incomplete: true}})
		if _, err := drx.Open(dst.Name(), drx.Options{}); !errors.Is(err, drx.ErrIncomplete) {
			t.Errorf("%d elements: %v", n, err)
		}
		if _, err := Copy(t.Context(), dst, src, Options{}); err != nil || len(dst.Attrs()) > 0 {
			t.Errorf("%d elements: %v, attributes %v", n, err, dst.Attrs())
		}
		a, err := drx.Open(dst.Name(), drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
