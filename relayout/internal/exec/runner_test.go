package exec

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/dtype"
	"drx/nd"
	"drx/relayout/internal/arraytest"
	"drx/relayout/internal/planner"
)

// randomGrids returns a problem of at most about the given number of elements.
func randomGrids(r *rand.Rand, elements int) (src, dst planner.Grid, order nd.Order) {
	a, b, order := arraytest.RandomGrids(r, elements)
	return planner.Grid(a), planner.Grid(b), order
}

func randomArray(r *rand.Rand, g planner.Grid) *arraytest.Array {
	return arraytest.Random(r, arraytest.Grid(g))
}

// chunkBytes returns the bytes of a chunk.
func chunkBytes(g planner.Grid) int64 {
	n, _ := nd.Product(g.ChunkShape...)
	return int64(g.ElemSize * n)
}

// carryOut runs all passes of a plan over arrays in memory and checks every prediction.
func carryOut(t *testing.T, p *planner.Plan, src *arraytest.Array, dst planner.Grid) {
	t.Helper()
	from := src
	for i := range p.Passes {
		pass := &p.Passes[i]
		to := arraytest.New(arraytest.Grid(pass.Target))
		to.Source = from
		order := p.Order
		if i > 0 {
			order = nil
		}
		finished := 0
		r := &Runner{
			Arrays:   Arrays{Pass: pass, Source: from, Target: to, Order: order, Convert: unsigned(t, from.ElemSize, to.ElemSize)},
			Progress: pass.ProgressAt(planner.Position{}),
			Finish: func(after planner.Position) error {
				if after.Steps == 0 {
					finished++
				}
				return nil
			},
		}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		loads, stores := arraytest.Sum(from.Loads), arraytest.Sum(to.Stores)
		seen := planner.Cost{
			Reads: loads, Writes: stores,
			BytesRead: loads * chunkBytes(pass.Source), BytesWritten: stores * chunkBytes(pass.Target),
		}
		if seen != pass.Cost || r.Cost() != pass.Cost || r.Peak != pass.PeakMemory {
			t.Errorf("pass %d: predicted %v and peak %d, executor counted %v and %d, arrays saw %v",
				i, pass.Cost, pass.PeakMemory, r.Cost(), r.Peak, seen)
		}
		if pass.PeakMemory > p.Memory || len(to.Partial) > 0 {
			t.Errorf("pass %d: peak %d of %d, chunks written in part: %v", i, pass.PeakMemory, p.Memory, to.Partial)
		}
		if n := pass.TemplateCount(); finished != n {
			t.Errorf("pass %d: %d of %d templates finished", i, finished, n)
		}
		checkWrittenOnce(t, to)
		from = to
	}
	if want := arraytest.Clipped(src.Transposed(p.Order), src.ElemSize, dst.ElemSize); !slices.Equal(want, from.Data) {
		t.Errorf("not the transposed source")
	}
}

func checkWrittenOnce(t *testing.T, a *arraytest.Array) {
	t.Helper()
	for chunk, n := range a.Stores {
		if n != 1 {
			t.Errorf("chunk %s written %d times", chunk, n)
		}
	}
}

// unsigned returns the converter between unsigned integers of from and of to bytes.
func unsigned(t *testing.T, from, to int) *dtype.Converter {
	t.Helper()
	types := map[int]dtype.DType{1: dtype.Uint8, 2: dtype.Uint16, 4: dtype.Uint32, 8: dtype.Uint64, 16: dtype.Complex128}
	c, err := dtype.NewConverter(types[from], types[to], true, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// For all shapes, chunks, bounds, orders, element sizes and limits on memory, the copy must be
// right and every count must be the predicted one.
func TestPredictionsAreExact(t *testing.T) {
	passes := map[int]int{}
	staged, halved, converted := 0, 0, 0
	for seed := range arraytest.Trials(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		src, dst, order := randomGrids(r, 4000)
		src.ElemSize = []int{1, 2, 4, 8, 16}[r.IntN(5)]
		dst.ElemSize = src.ElemSize
		if r.IntN(2) == 0 && src.ElemSize < 16 {
			dst.ElemSize = []int{1, 2, 4, 8}[r.IntN(4)]
		}
		if src.ElemSize != dst.ElemSize {
			converted++
		}
		most := chunkBytes(src) + chunkBytes(dst)
		memory := most + int64(float64(r.IntN(8000)*src.ElemSize)*r.Float64()*r.Float64()*r.Float64())
		p, err := planner.NewPlan(src, dst, order, memory)
		if err != nil {
			t.Fatalf("seed %d: a source and a target chunk did not suffice: %v", seed, err)
		}
		passes[len(p.Passes)]++
		for _, pass := range p.Passes {
			if pass.StagingBuffers > 0 {
				staged++
			}
			if pass.StagingBuffers > 0 && pass.Halved() {
				halved++
			}
		}
		carryOut(t, p, randomArray(r, src), dst)
		if t.Failed() {
			t.Fatalf("seed %d: %v -> %v order %v memory %d: %+v", seed, src, dst, order, memory, p.Passes)
		}
	}
	t.Logf("passes: %v, staged %d, halved %d, converted %d", passes, staged, halved, converted)
	if !arraytest.Race && (passes[2] == 0 || staged < 5 || halved == 0 || converted < 5) {
		t.Errorf("too few interesting cases: passes %v, staged %d, halved %d", passes, staged, halved)
	}
}

// The plans that TestNeverWorseThanOthers of package planner compares must move what they predict.
func TestComparedPlans(t *testing.T) {
	for seed := range uint64(200) {
		if seed == 0 {
			seed = 3289 // here intermediate chunks reached below the bounds
		}
		r := rand.New(rand.NewPCG(seed, 4))
		src, dst, order := randomGrids(r, 40000)
		size := 1 << r.IntN(4)
		src.ElemSize, dst.ElemSize = size, size
		memory := (chunkBytes(src) + chunkBytes(dst)) * int64(1+r.IntN(8))
		p, err := planner.NewPlan(src, dst, order, memory)
		if err != nil {
			t.Fatal(err)
		}
		carryOut(t, p, randomArray(r, src), dst)
	}
}

// Any checkpoint must give a plan that fits the memory and can be carried out, or an error.
func FuzzSavedPlan(f *testing.F) {
	src := planner.Grid{Lo: []int{0, -3}, Hi: []int{20, 9}, ChunkShape: []int{1, 12}, ElemSize: 4}
	dst := planner.Grid{Lo: []int{5, 0}, Hi: []int{17, 20}, ChunkShape: []int{12, 1}, ElemSize: 4}
	order := nd.Order{1, 0}
	p, err := planner.NewPlan(src, dst, order, 200)
	if err != nil {
		f.Fatal(err)
	}
	good, err := json.Marshal(p.Saved(src))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"source":{"Lo":[0,-3],"Hi":[20,9],"Chunk":[1,12],"Elem":4},"order":[1,0],"passes":[{"chunk":[12,1],"blocks":[1,9],"at_least":[0,0],"works":1}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s planner.SavedPlan
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		p, err := s.Restore(src, dst, order, 4096)
		if err != nil || p.CheckPosition(planner.Position{}) != nil {
			return
		}
		if p.PeakMemory() > 4096 {
			t.Errorf("buffers of %d bytes", p.PeakMemory())
		}
		carryOut(t, p, randomArray(rand.New(rand.NewPCG(1, 1)), src), dst)
	})
}

var errStop = errors.New("stopped")

// passRun is a pass between arrays in memory.
type passRun struct {
	pass     *planner.Pass
	order    nd.Order
	from, to *arraytest.Array
}

// run carries out the rest of the pass until stop more steps are written; 0 means all.
func (p passRun) run(t *testing.T, begun planner.Position, stop int) (after planner.Position, cost planner.Cost, err error) {
	t.Helper()
	r := &Runner{
		Arrays:   Arrays{Pass: p.pass, Source: p.from, Target: p.to, Order: p.order, Convert: unsigned(t, p.from.ElemSize, p.to.ElemSize)},
		Progress: p.pass.ProgressAt(begun),
	}
	r.Finish = func(at planner.Position) error {
		after = at
		if stop--; stop == 0 {
			return errStop
		}
		return nil
	}
	err = r.Run(t.Context())
	return after, r.Cost(), err
}

// A pass that is stopped after any step, and resumed with empty buffers, must be right in the end,
// write no chunk twice, and read what was predicted.
func TestPassResumes(t *testing.T) {
	within := 0
	for seed := range arraytest.Trials(200) {
		r := rand.New(rand.NewPCG(seed, 31))
		src, dst, order := randomGrids(r, 3000)
		src.ElemSize, dst.ElemSize = []int{1, 2, 4, 8}[r.IntN(4)], []int{1, 2, 4, 8}[r.IntN(4)]
		memory := (chunkBytes(src) + chunkBytes(dst)) * int64(1+r.IntN(4))
		plan, err := planner.NewPlan(src, dst, order, memory)
		if err != nil {
			t.Fatal(err)
		}
		pass := &plan.Passes[0]
		p := passRun{pass, order, randomArray(r, src), arraytest.New(arraytest.Grid(pass.Target))}
		p.to.Source = p.from
		var at planner.Position
		for {
			p.from.Forget()
			skipped := pass.ProgressAt(at).Skipped
			next, cost, err := p.run(t, at, 1+r.IntN(6))
			if err == nil {
				if got := cost.Plus(skipped); got != pass.Cost || arraytest.Sum(p.from.Loads) != cost.Reads {
					t.Errorf("seed %d: after %+v: %v and skipped %v, predicted %v; arrays saw %d reads",
						seed, at, cost, skipped, pass.Cost, arraytest.Sum(p.from.Loads))
				}
				break
			}
			if !errors.Is(err, errStop) || next == at {
				t.Fatalf("seed %d: %v after %+v", seed, err, next)
			}
			if at = next; at.Steps > 0 {
				within++
			}
		}
		checkWrittenOnce(t, p.to)
		if want := arraytest.Clipped(p.from.Transposed(order), src.ElemSize, pass.Target.ElemSize); !slices.Equal(want, p.to.Data) {
			t.Fatalf("seed %d: not the transposed source", seed)
		}
	}
	t.Logf("stopped %d times within a template", within)
	if within < 20 {
		t.Error("too few were stopped within a template")
	}
}
