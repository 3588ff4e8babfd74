package relayout

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drx"
	"drx/axial"
	"drx/dtype"
	"drx/internal/codectest"
	"drx/internal/growtest"
	"drx/nd"
	"drx/relayout/internal/arraytest"
)

// formOf returns the extension of an array, which is a one-file array or not according to a bit of
// a number.
func formOf(n, bit int) string { return []string{"", drx.OneFileExt}[n>>bit&1] }

// arrays makes a source that grew and shrank at random, full of random bytes, and an empty target
// for it, each in one file or in several.
func arrays(t *testing.T, r *rand.Rand) (src, dst *drx.Array, order nd.Order) {
	t.Helper()
	sg, dg, order := randomGrids(r, 3000)
	all := dtype.All()
	spec := drx.Spec{DType: all[r.IntN(len(all))], Shape: nd.Shape(sg.Lo, sg.Hi), Lo: sg.Lo, ChunkShape: sg.ChunkShape}
	orders := []drx.ElementOrder{drx.RowOrder, drx.ColOrder, drx.MortonOrder, drx.HilbertOrder}
	spec.Order = orders[r.IntN(len(orders))]
	forms := r.IntN(4)
	turns := []uint64{r.Uint64(), r.Uint64(), r.Uint64()} // two codecs; do they shorten the elements?
	spec.Codec = codectest.Turn(turns[0])
	src = create(t, "src"+formOf(forms, 0), spec)
	for range r.IntN(5) {
		d, by, side := r.IntN(len(sg.Lo)), 1+r.IntN(7), axial.Side(r.IntN(2))
		var err error
		if n := src.Shape()[d]; r.IntN(4) == 0 && n > by {
			err = growtest.Shrink(src, d, by, side)
		} else {
			_, err = growtest.Extend(src, d, by, side)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	n, _ := nd.Product(src.Shape()...)
	data := make([]byte, n*spec.DType.Size())
	for i := range data {
		if data[i] = byte(r.Uint32()); turns[2]%2 == 0 {
			data[i] = byte(i / 97)
		}
	}
	if err := src.WriteBytes(nil, data, nil); err != nil {
		t.Fatal(err)
	}
	shape := order.Apply(src.Shape())
	dst = create(t, "dst"+formOf(forms, 1), drx.Spec{
		DType: spec.DType, Shape: shape, Lo: dg.Lo, ChunkShape: dg.ChunkShape, Order: orders[r.IntN(len(orders))],
		Codec: codectest.Turn(turns[1]),
	})
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
	lo, hi := a.Bounds().Bounds()
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
	for seed := range arraytest.Trials(40) {
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
		if stats.Cost != stats.Plan.Cost() || stats.PeakMemory != stats.Plan.PeakMemory() || stats.PeakMemory > o.Memory {
			t.Errorf("seed %d: counted %v and %d, planned %v and %d", seed, stats.Cost, stats.PeakMemory, stats.Plan.Cost(), stats.Plan.PeakMemory())
		}
		if last != total || total != stats.Cost.Bytes() {
			t.Errorf("seed %d: progress ended at %d of %d, moved %d", seed, last, total, stats.Cost.Bytes())
		}
		if Incomplete(dst) {
			t.Errorf("seed %d: still incomplete", seed)
		}
	}
}

// twoPasses makes arrays and options with so little memory that two passes are best.
func twoPasses(t *testing.T) (src, dst *drx.Array, o Options) {
	t.Helper()
	src = create(t, "src.drx", drx.Spec{DType: dtype.Float64, Shape: []int{128, 128}, ChunkShape: []int{1, 128}})
	dst = create(t, "dst", drx.Spec{DType: dtype.Float64, Shape: []int{128, 128}, ChunkShape: []int{128, 1}})
	data := make([]float64, 128*128)
	for i := range data {
		data[i] = float64(i)
	}
	if err := drx.Write(src, nil, data); err != nil {
		t.Fatal(err)
	}
	return src, dst, Options{Memory: 20 << 10, TempDir: t.TempDir()}
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
	o.Progress = func(int64, int64) { seen = max(seen, len(files(t, o.TempDir))) }
	stats, err := Copy(t.Context(), dst, src, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(stats.Plan.Passes) != 2 || stats.Cost != stats.Plan.Cost() || stats.PeakMemory != stats.Plan.PeakMemory() {
		t.Errorf("%d passes, %v, planned %v", len(stats.Plan.Passes), stats.Cost, stats.Plan.Cost())
	}
	if !slices.Equal(all(t, src, nil, nil), all(t, dst, nil, nil)) {
		t.Error("not the source")
	}
	if left := files(t, o.TempDir); seen == 0 || len(left) > 0 {
		t.Errorf("%d temporary files seen, left: %v", seen, left)
	}
}

// A copy that is cancelled after any number of calls of Progress must resume where it was.
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
			t.Fatalf("%v, incomplete: %v", err, Incomplete(dst))
		}
		if _, err := Copy(t.Context(), dst, src, o); !errors.Is(err, drx.ErrIncomplete) {
			t.Fatalf("without Resume: %v", err)
		}
		o.Progress, o.Resume = nil, true
		stats, err := Copy(t.Context(), dst, src, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := sumOf(stats.Cost, stats.Skipped); got != stats.Plan.Cost() {
			t.Errorf("%v done and %v skipped, planned %v", stats.Cost, stats.Skipped, stats.Plan.Cost())
		}
		again := sumOf(first.Cost, stats.Cost).Bytes() - stats.Plan.Cost().Bytes()
		if most := mostTemplate(t, stats.Plan); again > 2*most {
			t.Errorf("stop %d: %d bytes moved again, a template has %d", stop, again, most)
		}
		if !slices.Equal(all(t, src, nil, nil), all(t, dst, nil, nil)) {
			t.Fatalf("stop %d: not the source", stop)
		}
		if left := files(t, o.TempDir); Incomplete(dst) || len(left) > 0 {
			t.Errorf("stop %d: incomplete %v, left %v", stop, Incomplete(dst), left)
		}
	}
}

// mostTemplate returns the bytes that the largest template of a plan moves.
func mostTemplate(t *testing.T, p *Plan) (most int64) {
	t.Helper()
	for _, pass := range internals(t, p).Passes {
		for n := range pass.TemplateCount() {
			most = max(most, pass.CostOfTemplates(n+1).Bytes()-pass.CostOfTemplates(n).Bytes())
		}
	}
	return most
}

// After an error no temporary array may be left, and the checkpoint must stay.
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
		if left := files(t, o.TempDir); len(left) > 0 {
			t.Errorf("after %v: %v", err, left)
		}
		if Incomplete(dst) != (err != nil) {
			t.Errorf("incomplete: %v after %v", Incomplete(dst), err)
		}
	}
}

// If somebody removed the temporary arrays, the passes to them must begin again. The target must
// keep its chunks.
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
	c, err := readCheckpoint(dst)
	if err != nil || c.Pass != 1 || c.Templates == 0 {
		t.Fatalf("checkpoint %+v, %v", c, err)
	}
	if err := os.RemoveAll(c.Temp); err != nil {
		t.Fatal(err)
	}
	o.Progress, o.Resume = nil, true
	stats, err := Copy(t.Context(), dst, src, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := Cost(internals(t, stats.Plan).Passes[1].CostOfTemplates(c.Templates)); stats.Skipped != want {
		t.Errorf("skipped %v, want %v", stats.Skipped, want)
	}
	if !slices.Equal(all(t, src, nil, nil), all(t, dst, nil, nil)) || len(files(t, o.TempDir)) > 0 {
		t.Errorf("not the source, or left: %v", files(t, o.TempDir))
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
	if err := marked.SetAttr(IncompleteAttr, &checkpoint{}); err != nil {
		t.Fatal(err)
	}
	damaged := of(dtype.Int16, 4, 6)
	if err := damaged.SetAttr(IncompleteAttr, "what?"); err != nil {
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

// Anybody can set a checkpoint; no value of it may make a copy panic.
func TestCheckpointsOfOthers(t *testing.T) {
	src, dst, o := twoPasses(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Progress = func(int64, int64) { cancel() }
	if _, err := Copy(ctx, dst, src, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Progress, o.Resume = nil, true
	for i, spoil := range []func(*checkpoint){
		func(c *checkpoint) { c.Pass = 3 },
		func(c *checkpoint) { c.Pass = -1 },
		func(c *checkpoint) { c.Templates = 1 << 30 },
		func(c *checkpoint) { c.Passes = nil },
		func(c *checkpoint) { c.Passes[0].Chunk[0] = 0 },
		func(c *checkpoint) { c.Passes[0].TemplateChunks = nil },
		func(c *checkpoint) { c.Passes[1].WorkBuffers = 0 },
		func(c *checkpoint) { c.Passes[0].StagingBuffers = 9 },
		func(c *checkpoint) { c.Passes[0].MinWritten[1] = -1 },
		func(c *checkpoint) { c.Passes[1].Chunk[1]++ },
		func(c *checkpoint) { c.Order = []int{1, 0} },
		func(c *checkpoint) { c.Source.Hi[0]-- },
		func(c *checkpoint) { c.Templates = -1 },
		func(c *checkpoint) { c.Steps = 1 },
		func(c *checkpoint) { c.Steps = -1 },
	} {
		good, err := readCheckpoint(dst)
		if err != nil {
			t.Fatal(err)
		}
		bad, _ := readCheckpoint(dst)
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

func ExampleNewPlan() {
	shape := []int{224, 8192, 8192}
	src := Grid{Lo: []int{0, 0, 0}, Hi: shape, ChunkShape: []int{1, 512, 512}, ElemSize: 2}
	dst := Grid{Lo: []int{0, 0, 0}, Hi: shape, ChunkShape: []int{224, 64, 64}, ElemSize: 2}
	p, err := NewPlan(src, dst, nil, 256<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(p.Passes), "pass, template", p.Passes[0].Template, "reads", p.Cost().Reads, "writes", p.Cost().Writes)
	// Output: 1 pass, template [224 512 512] reads 57344 writes 16384
}

// A target that was created incomplete must stay so until a copy to it is complete, even a copy of
// no elements. Copying to it must not need Resume.
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

// A copy must convert in one pass and in several, whichever type is larger.
func TestCopyConverts(t *testing.T) {
	for _, types := range [][2]dtype.DType{{dtype.Float64, dtype.Int16}, {dtype.Int16, dtype.Float64}, {dtype.Int32, dtype.Float32}} {
		for _, memory := range []int64{9 << 10, 1 << 20} {
			src := create(t, "src", drx.Spec{DType: types[0], Shape: []int{128, 128}, ChunkShape: []int{1, 128}})
			dst := create(t, "dst", drx.Spec{DType: types[1], Shape: []int{128, 128}, ChunkShape: []int{128, 1}})
			data := make([]float64, 128*128)
			for i := range data {
				data[i] = float64(i)
			}
			raw, err := convertAll(t, dtype.Float64, types[0], slices.Clone(dtype.Bytes(data)))
			if err := errors.Join(err, src.WriteBytes(nil, raw, nil)); err != nil {
				t.Fatal(err)
			}
			o := Options{Memory: memory, TempDir: t.TempDir()}
			interrupt(t, dst, src, o)
			o.Resume = true
			stats, err := Copy(t.Context(), dst, src, o)
			stats.Cost = sumOf(stats.Cost, stats.Skipped)
			if err != nil || stats.Cost != stats.Plan.Cost() || (len(stats.Plan.Passes) == 1) != (memory > 9<<10) {
				t.Errorf("%v: %+v, %v", types, stats.Cost, err)
			}
			got, err := convertAll(t, types[1], dtype.Float64, all(t, dst, nil, nil))
			if err != nil || !slices.Equal(got, dtype.Bytes(data)) {
				t.Errorf("%v in %d: not the source, %v", types, memory, err)
			}
		}
	}
}

// interrupt begins a copy and ends it after some steps.
func interrupt(t *testing.T, dst, src *drx.Array, o Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := 0
	o.Progress = func(int64, int64) {
		if steps++; steps == 7 {
			cancel()
		}
	}
	if _, err := Copy(ctx, dst, src, o); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// convertAll converts elements as a copy does: they begin at the end of the space for the new ones.
func convertAll(t *testing.T, from, to dtype.DType, data []byte) ([]byte, error) {
	t.Helper()
	c, err := dtype.NewConverter(from, to, false, nil)
	if err != nil || c == nil {
		return data, err
	}
	n := len(data) / from.Size()
	buf := make([]byte, n*max(from.Size(), to.Size()))
	raw := buf[n*max(0, to.Size()-from.Size()):][:len(data)]
	copy(raw, data)
	err = c.Apply(buf[:n*to.Size()], raw)
	return buf[:n*to.Size()], err
}
