package drxmp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/parallel/drxmp"
)

// testFill: all procs fill sections with steps, with zones in blocks and in cycles, and read what a
// slice has. Unwritten chunks that get the fill value stay so.
func testFill(w *world) error {
	spec := drx.Spec{DType: dtype.Int32, Shape: []int{9, 11}, ChunkShape: []int{2, 3}, FillValue: -1}
	a, err := drxmp.Create(w, w.file("a"), spec, drxmp.Options{Engine: w.engine})
	if err != nil {
		return err
	}
	if err := errors.Join(a.FillZone(nil, binary.LittleEndian.AppendUint32(nil, ^uint32(0))), a.Sync()); err != nil {
		return err
	}
	for part, err := range a.Parts(drx.Walk{Written: true}) {
		return fmt.Errorf("part %v is written: %w", part, err)
	}
	rng := rand.New(rand.NewPCG(2, 7))
	want := slices.Repeat([]int32{-1}, 9*11)
	for round := range 12 {
		if round == 6 {
			if err := a.Redistribute(drxmp.Distribution{Dims: []drxmp.DimDistribution{drxmp.Cyclic(), drxmp.Cyclic()}}); err != nil {
				return err
			}
		}
		sec := make(nd.Section, 2)
		for d, n := range spec.Shape {
			lo := rng.IntN(n)
			sec[d] = nd.Span(lo, lo+1+rng.IntN(n-lo)).By(1 + rng.IntN(3))
		}
		for i := sec[0].Lo; i < sec[0].Hi; i += sec[0].Stride() {
			for j := sec[1].Lo; j < sec[1].Hi; j += sec[1].Stride() {
				want[i*11+j] = int32(round)
			}
		}
		if err := errors.Join(a.FillZone(sec, binary.LittleEndian.AppendUint32(nil, uint32(round))), a.Sync()); err != nil {
			return err
		}
		got := make([]int32, len(want))
		if err := drxmp.ReadAll(a, nd.Sec(nd.Span(0, 9), nd.Span(0, 11)), got); err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("round %d, section %v: %v, want %v", round, sec, got, want)
		}
	}
	outside := a.FillZone(nd.Sec(nd.At(9), nd.At(0)), make([]byte, 4))
	short := a.FillZone(nil, make([]byte, 3))
	if !errors.Is(outside, drx.ErrBounds) || a.Zone().Len() > 0 && !errors.Is(short, drx.ErrSize) {
		return fmt.Errorf("mistakes: %v, %v", outside, short)
	}
	return a.Close()
}
