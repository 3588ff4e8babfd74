package relayout

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/nd"
	"drx/optionerr"
)

// field makes an array of 60 x 50 numbers with NaN, infinities and a fill value.
func field(t *testing.T, name string, dt dtype.DType, attrs map[string]any) *drx.Array {
	t.Helper()
	a := create(t, name, drx.Spec{DType: dt, Shape: []int{60, 50}, ChunkShape: []int{7, 9}, FillValue: "-999.25", Attrs: attrs, Codec: "zstd:1"})
	var b []byte
	for i := range 3000 {
		x := math.Sin(float64(i)) * math.Pow10(i%40-20)
		switch i % 50 {
		case 3:
			x = math.NaN()
		case 4:
			x = math.Inf(i%100 - 50)
		case 5:
			x = -999.25
		}
		element, err := dt.Encode(strconv.FormatFloat(x, 'g', -1, 64))
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, element...)
	}
	if err := errors.Join(a.WriteBytes(nil, b, nil), a.Sync()); err != nil {
		t.Fatal(err)
	}
	return a
}

// elementsOf returns the elements of an array in an order.
func elementsOf(t *testing.T, a *drx.Array, order nd.Order) []byte {
	t.Helper()
	b := make([]byte, 3000*a.DType().Size())
	if err := a.ReadBytes(nil, b, order); err != nil {
		t.Fatal(err)
	}
	return b
}

// A copy must round each element once, after the conversion, in one pass and in several, and record
// it in an attribute. Missing values must stay.
func TestCopyRounds(t *testing.T) {
	for _, c := range []struct {
		from, to     dtype.DType
		digits, bits int
		memory       int64
	}{
		{dtype.Float64, dtype.Float64, 3, 0, 0},
		{dtype.Float64, dtype.Float32, 0, 9, 0},
		{dtype.Float32, dtype.Float64, 4, 0, 800},
		{dtype.Float64, dtype.Float32, 2, 0, 800},
	} {
		r, err := meaning.RoundTo(c.digits, c.bits)
		if err != nil {
			t.Fatal(err)
		}
		attrs := map[string]any{"missing_value": 5}
		src := field(t, "src", c.from, attrs)
		chunk := []int{7, 9}
		if c.memory > 0 {
			chunk = []int{50, 1}
		}
		spec := drx.Spec{DType: c.to, Shape: []int{50, 60}, ChunkShape: chunk, FillValue: "-999.25", Attrs: attrs, Codec: "zstd:1"}
		plain, dst := create(t, "plain", spec), create(t, "dst", spec)
		o := Options{Order: nd.Order{1, 0}, Memory: c.memory}
		if _, err := Copy(context.Background(), plain, src, o); err != nil {
			t.Fatal(err)
		}
		o.Rounding = r
		stats, err := Copy(context.Background(), dst, src, o)
		if err != nil || (len(stats.Plan.Passes) > 1) != (c.memory > 0) {
			t.Fatalf("%d passes, %v", len(stats.Plan.Passes), err)
		}
		m, err := meaning.Of(c.to, dst.FillValue(), dst.Attrs(), nil)
		if err != nil {
			t.Fatal(err)
		}
		round, err := r.Of(m)
		if err != nil {
			t.Fatal(err)
		}
		exact := elementsOf(t, plain, nil)
		want := bytes.Clone(exact)
		if err := round(want); err != nil {
			t.Fatal(err)
		}
		if got := elementsOf(t, dst, nil); !bytes.Equal(got, want) || bytes.Equal(got, exact) {
			t.Errorf("%v: other elements", r)
		}
		if !r.IsIn(dst.Attrs()) || meaning.RoundingOf(dst.Attrs()) != r || Incomplete(dst) {
			t.Errorf("%v: attributes %v", r, dst.Attrs())
		}
	}
}

// Chunks that are stored alike must be rounded nevertheless; a copy must be resumed only with its
// own rounding; integers must be refused before anything is begun.
func TestCopyRoundsOrRefuses(t *testing.T) {
	src := field(t, "src", dtype.Float32, nil)
	r, _ := meaning.RoundTo(3, 0)
	other, _ := meaning.RoundTo(0, 3)
	spec := drx.Spec{
		DType: dtype.Float32, Shape: []int{60, 50}, ChunkShape: []int{7, 9}, FillValue: "-999.25", Codec: "zstd:1",
		Options: drx.Options{Durability: drx.DurabilityFull},
	}
	name := filepath.Join(t.TempDir(), "dst")
	dst, err := drx.Create(name, spec)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Copy(ctx, dst, src, Options{Rounding: r, CommitBytes: 1, Memory: 2000, Progress: func(done, _ int64) {
		if done > 0 {
			cancel()
		}
	}}); !errors.Is(err, context.Canceled) || dst.Close() != nil {
		t.Fatal(err)
	}
	if dst, err = drx.Open(name, drx.Options{Write: true, Incomplete: true}); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []meaning.Rounding{{}, other} {
		if _, err := Copy(context.Background(), dst, src, Options{Rounding: wrong, Resume: true, Memory: 2000}); !errors.Is(err, ErrMismatch) {
			t.Errorf("resumed with the rounding %v: %v", wrong, err)
		}
	}
	if _, err := Copy(context.Background(), dst, src, Options{Rounding: r, Resume: true, Memory: 2000}); err != nil {
		t.Fatal(err)
	}
	m := &meaning.Meaning{Type: dtype.Float32, Fill: dst.FillValue()}
	round, err := r.Of(m)
	want := elementsOf(t, src, nil)
	if err != nil || round(want) != nil || !bytes.Equal(elementsOf(t, dst, nil), want) || dst.Close() != nil {
		t.Errorf("other elements, %v", err)
	}
	spec.DType, spec.FillValue = dtype.Int16, "0"
	ints := create(t, "ints", spec)
	if _, err := Copy(context.Background(), ints, src, Options{Rounding: r, Clip: true}); !errors.Is(err, optionerr.ErrOption) || Incomplete(ints) {
		t.Errorf("integers: %v", err)
	}
}

// Procs round as one process does, once each, also if they end an interrupted copy; another
// rounding does not, and Copy can end theirs.
func TestCopyParallelRounds(t *testing.T) {
	r, _ := meaning.RoundTo(2, 0)
	other, _ := meaning.RoundTo(0, 3)
	for procs := 1; procs <= 3; procs++ {
		s := newShared(t, 4, 7)
		s.Rounding = r
		if !s.interrupt(t, procs, 3) {
			t.Fatal("the copy was not interrupted")
		}
		s.memory = 3000
		for _, wrong := range []meaning.Rounding{{}, other} {
			again := s
			if again.Rounding = wrong; !errors.Is(again.on(t.Context(), procs), ErrMismatch) {
				t.Errorf("%d procs: resumed with the rounding %v", procs, wrong)
			}
		}
		err := error(nil)
		if procs == 2 {
			_, err = s.serial(t, t.Context(), Options{Rounding: r})
		} else {
			err = s.on(t.Context(), 4-procs)
		}
		if err != nil {
			t.Fatal(err)
		}
		a, err := drx.Open(s.name("dst"), drx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		exact := make([]byte, 4*1200)
		for i := range 1200 {
			binary.LittleEndian.PutUint32(exact[4*i:], math.Float32bits(float32(i%40*30+i/40)))
		}
		want, got := bytes.Clone(exact), make([]byte, len(exact))
		round, err := r.Of(&meaning.Meaning{Type: dtype.Float32, Fill: a.FillValue()})
		if err == nil {
			err = errors.Join(round(want), a.ReadBytes(nil, got, nil))
		}
		if err != nil || !bytes.Equal(got, want) || bytes.Equal(got, exact) || !r.IsIn(a.Attrs()) || len(a.Attrs()) != 1 {
			t.Errorf("%d procs: %v, attributes %v, or other elements", procs, err, a.Attrs())
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
	s := newShared(t, 4, 7)
	if err := drx.Remove(s.name("dst")); err != nil {
		t.Fatal(err)
	}
	ints, err := drx.Create(s.name("dst"), drx.Spec{DType: dtype.Int16, Shape: []int{30, 40}, ChunkShape: []int{4, 7}})
	if err := errors.Join(err, ints.Close()); err != nil {
		t.Fatal(err)
	}
	if s.Rounding = r; !errors.Is(s.on(t.Context(), 2), optionerr.ErrOption) {
		t.Error("integers are rounded")
	}
}
