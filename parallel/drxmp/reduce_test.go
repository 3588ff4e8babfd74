package drxmp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"drx"
	"drx/cube"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
	"drx/parallel/par"
)

// The operations of Reduce.
var ops = []cube.Op{cube.Sum, cube.Mean, cube.Min, cube.Max, cube.Count}

// testReduce: whatever the zones are, all procs get what package cube computes in one process.
func testReduce(w *world) error {
	for seed := range amount(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		name := w.file(fmt.Sprintf("reduce%d", seed))
		// Halves are exact in any order of additions; 2 is the fill value, which is left out.
		t := []dtype.DType{dtype.Int16, dtype.Uint8, dtype.Float32, dtype.Float64}[rng.IntN(4)]
		fill := []string{"2", "0"}[rng.IntN(2)]
		if t == dtype.Float64 && rng.IntN(2) == 0 {
			fill = "NaN"
		}
		if err := w.once(func() error { return writeNumbers(name, t, fill, rng) }); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		rng = rand.New(rand.NewPCG(seed, 10)) // the same on all procs
		dims := []drxmp.DimDistribution{drxmp.Cyclic(), drxmp.Block()}
		if rng.IntN(2) == 0 {
			dims = nil
		}
		a, err := drxmp.Open(w, name, drxmp.Options{Engine: w.engine, Distribution: drxmp.Distribution{Dims: dims}})
		if err != nil {
			return err
		}
		for range 6 {
			if err := checkReduce(a, name, randomSection(rng, a.Bounds())); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		if err := errors.Join(checkReduce(a, name, nil), a.Close()); err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return testReduceWritten(w)
}

// writeNumbers makes an array of small numbers, some of them missing, that was extended on both
// sides.
func writeNumbers(name string, t dtype.DType, fill string, rng *rand.Rand) error {
	a, err := drx.Create(name, drx.Spec{DType: t, Shape: []int{5, 4}, ChunkShape: []int{2, 3}, FillValue: fill})
	if err != nil {
		return err
	}
	_, err1 := a.Extend(1, 1+rng.IntN(6))
	_, err2 := a.Extend(0, 1+rng.IntN(6))
	_, err3 := a.ExtendLow(1, rng.IntN(4)+1)
	err = errors.Join(err1, err2, err3)
	for range 60 {
		at := make(nd.Section, 2)
		for d, r := range a.Bounds() {
			at[d] = nd.At(r.Lo + rng.IntN(r.Len()))
		}
		element, encodeErr := t.EncodeValue(1 + rng.IntN(9))
		if t.IsFloat() && rng.IntN(2) == 0 {
			element, encodeErr = t.EncodeValue(float64(rng.IntN(40)-20) / 2)
		}
		err = errors.Join(err, encodeErr, a.FillBytes(at, element))
	}
	return errors.Join(err, a.Close())
}

func randomSection(rng *rand.Rand, bounds nd.Section) nd.Section {
	sec := make(nd.Section, len(bounds))
	for d, r := range bounds {
		lo := r.Lo + rng.IntN(r.Len()+1)
		sec[d] = nd.Span(lo, lo+rng.IntN(r.Hi-lo+1)).By(1 + rng.IntN(3))
	}
	return sec
}

// checkReduce compares all operations with those of package cube on the file.
func checkReduce(a *drxmp.Array, name string, sec nd.Section) (err error) {
	file, err := drx.Open(name, drx.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	c, err := cube.Of(file)
	if err != nil {
		return err
	}
	of := sec
	if sec == nil {
		of = file.Bounds()
	}
	for _, op := range ops {
		want, err := c.Reduce(context.Background(), cube.Box(of), op, cube.Over{})
		if err != nil {
			return err
		}
		got, err := a.Reduce(context.Background(), sec, op)
		if err != nil {
			return err
		}
		x, y := got.Float64s()[0], want.Float64s()[0]
		if same := x == y || math.IsNaN(x) && math.IsNaN(y); !same || got.Count[0] != want.Count[0] || got.DType != want.DType ||
			got.Op != op || got.Text(0) != want.Text(0) || len(got.Shape()) != 0 {
			return fmt.Errorf("%v of %v is %v of %d cells, %v; want %v of %d, %v", op, of, x, got.Count[0], got.DType, y, want.Count[0], want.DType)
		}
	}
	return nil
}

// testReduceWritten: Reduce sees what any proc has written anywhere. All procs get the same errors.
func testReduceWritten(w *world) error {
	ctx := context.Background()
	a, err := drxmp.Create(w, w.file("written"), drx.Spec{DType: dtype.Int64, Shape: []int{8, 3}, ChunkShape: []int{1, 3}}, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	n := int64(w.Procs())
	row := nd.Sec(nd.At((w.Proc()+1)%8), nd.At(1)) // in the zone of another proc
	if n <= 8 {
		if err := drxmp.Write(a, row, []int64{int64(w.Proc() + 1)}); err != nil {
			return err
		}
		if r, err := a.Reduce(ctx, nil, cube.Sum); err != nil || r.Text(0) != fmt.Sprint(n*(n+1)/2) || r.Count[0] != 24 {
			return fmt.Errorf("sum %+v, %w", r, err)
		}
	}
	if w.Proc() == 0 {
		err = errors.Join(drxmp.Write(a, nd.Sec(nd.At(0), nd.At(0)), []int64{math.MaxInt64}), drxmp.Write(a, nd.Sec(nd.At(7), nd.At(0)), []int64{math.MaxInt64}))
	}
	if err := w.Agree("writes", err); err != nil {
		return err
	}
	if r, err := a.Reduce(ctx, nil, cube.Sum); !errors.Is(err, drx.ErrOverflow) || r != nil {
		return fmt.Errorf("sum beyond 64 bits: %v, %w", r, err)
	}
	if _, err := a.Reduce(ctx, nd.Sec(nd.All), cube.Sum); !errors.Is(err, drx.ErrRank) {
		return fmt.Errorf("one range: %w", err)
	}
	if _, err := a.Reduce(ctx, nil, cube.Count+1); !errors.Is(err, drx.ErrBounds) {
		return fmt.Errorf("no operation: %w", err)
	}
	if _, err := a.Reduce(ctx, nd.Sec(nd.At(w.Proc()%8), nd.All), cube.Max); w.Procs() > 1 && !errors.Is(err, par.ErrDisagree) {
		return fmt.Errorf("different sections: %w", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if w.Proc() > 0 {
		canceled = ctx
	}
	if _, err := a.Reduce(canceled, nil, cube.Max); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("canceled on one proc: %w", err)
	}
	if _, err := a.Verify(canceled); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("verify canceled on one proc: %w", err)
	}
	if r, err := a.Reduce(ctx, nil, cube.Max); err != nil || r.Text(0) != fmt.Sprint(math.MaxInt64) {
		return fmt.Errorf("the largest: %v, %w", r, err)
	}
	return a.Close()
}

// All procs get the mean of a section, of which each reads its part.
func ExampleArray_Reduce() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	err = par.Run(2, func(c par.Comm) error {
		spec := drx.Spec{DType: dtype.Int16, Shape: []int{4, 4}, ChunkShape: []int{2, 4}, FillValue: -1}
		a, err := drxmp.Create(c, filepath.Join(dir, "a"), spec, drxmp.Options{})
		if err != nil {
			return err
		}
		if err := drxmp.WriteAll(a, nd.Sec(nd.At(3*c.Proc()), nd.Span(0, 2)), []int16{1, int16(10 * c.Proc())}); err != nil {
			return err
		}
		mean, err := a.Reduce(context.Background(), nil, cube.Mean)
		if err != nil {
			return err
		}
		if c.Proc() == 0 {
			fmt.Println(mean.Float64s()[0], "of", mean.Count[0], "elements that were written")
		}
		return a.Close()
	})
	fmt.Println(err)
	// Output:
	// 3 of 4 elements that were written
	// <nil>
}
