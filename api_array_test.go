package drx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drx/axial"
	"drx/dtype"
	"drx/internal/fileset"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// inMemory returns options for an array in a new file system in memory.
func inMemory() Options { return Options{fs: vfs.NewMem()} }

func mustCreate(t *testing.T, spec Spec) *Array {
	t.Helper()
	if spec.fs == nil {
		spec.Options = inMemory()
	}
	return mustCreateAt(t, named(t, "a"), spec)
}

// roundTrip writes and reads values of one Go type with every typed function.
func roundTrip[T dtype.Element](t *testing.T, values [4]T) {
	t.Run(dtype.Of[T]().String(), func(t *testing.T) {
		a := mustCreate(t, Spec{DType: dtype.Of[T](), Shape: []int{2, 2}, ChunkShape: []int{1, 2}})
		if err := Write(a, nil, values[:]); err != nil {
			t.Fatal(err)
		}
		transposed, err := Read[T](a, nil, nd.ColMajor(2))
		if want := []T{values[0], values[2], values[1], values[3]}; err != nil || !cmp.Equal(transposed, want) {
			t.Errorf("read %v, %v, want %v", transposed, err, want)
		}
		if v, err := At[T](a, 1, 0); err != nil || v != values[2] {
			t.Errorf("At(1, 0) = %v, %v, want %v", v, err, values[2])
		}
		if err := Set(a, values[3], 0, 1); err != nil {
			t.Fatal(err)
		}
		if err := Fill(a, nd.Sec(nd.At(1), nd.All), values[1]); err != nil {
			t.Fatal(err)
		}
		got := make([]T, 4)
		want := []T{values[0], values[3], values[1], values[1]}
		if err := ReadInto(a, nil, got); err != nil || !cmp.Equal(got, want) {
			t.Errorf("read %v, %v, want %v", got, err, want)
		}
	})
}

func TestTyped(t *testing.T) {
	roundTrip(t, [4]bool{true, false, false, true})
	roundTrip(t, [4]int8{1, -2, 3, math.MinInt8})
	roundTrip(t, [4]int16{1, -2, 3, math.MinInt16})
	roundTrip(t, [4]int32{1, -2, 3, math.MinInt32})
	roundTrip(t, [4]int64{1, -2, 3, math.MinInt64})
	roundTrip(t, [4]uint8{1, 2, 3, math.MaxUint8})
	roundTrip(t, [4]uint16{1, 2, 3, math.MaxUint16})
	roundTrip(t, [4]uint32{1, 2, 3, math.MaxUint32})
	roundTrip(t, [4]uint64{1, 2, 3, math.MaxUint64})
	roundTrip(t, [4]dtype.F16{dtype.ToF16(1.5), dtype.ToF16(-2), dtype.ToF16(65504), dtype.ToF16(math.Inf(1))})
	roundTrip(t, [4]dtype.BF16{dtype.ToBF16(1.5), dtype.ToBF16(-2), dtype.ToBF16(3e38), dtype.ToBF16(math.Inf(-1))})
	roundTrip(t, [4]float32{1.5, -2, math.MaxFloat32, float32(math.Inf(1))})
	roundTrip(t, [4]float64{1.5, -2, math.SmallestNonzeroFloat64, math.Inf(-1)})
	roundTrip(t, [4]complex64{1, -2i, 3 + 4i, 5})
	roundTrip(t, [4]complex128{1, -2i, 3 + 4i, 5})
}

func TestFillValues(t *testing.T) {
	for _, c := range []struct {
		dtype dtype.DType
		fill  any
		want  string
	}{
		{dtype.Float64, math.NaN(), "NaN"},
		{dtype.Float32, math.Inf(1), "+Inf"},
		{dtype.Float16, "-Infinity", "-Inf"},
		{dtype.BFloat16, 0.5, "0.5"},
		{dtype.Float64, "0x7ff8000000000001", "0x7ff8000000000001"},
		{dtype.Int64, math.MinInt64, "-9223372036854775808"},
		{dtype.Uint64, uint64(math.MaxUint64), "18446744073709551615"},
		{dtype.Int8, -128.0, "-128"},
		{dtype.Complex64, 1 - 2i, "(1-2i)"},
		{dtype.Complex128, complex(math.NaN(), math.Inf(-1)), "(NaN-Infi)"},
		{dtype.Bool, true, "true"},
		{dtype.Float64, nil, "0"},
	} {
		o := inMemory()
		a := mustCreate(t, Spec{DType: c.dtype, Shape: []int{3}, FillValue: c.fill, Options: o})
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		a, err := Open("a", o)
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 3*c.dtype.Size())
		if err := a.ReadBytes(nil, buf, nil); err != nil {
			t.Fatal(err)
		}
		if got := c.dtype.Format(buf[2*c.dtype.Size():]); got != c.want {
			t.Errorf("%v filled with %v reads %s, want %s", c.dtype, c.fill, got, c.want)
		}
	}
}

// Errors wrap their sentinel, name in one line what is wrong, and change nothing.
func TestErrors(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int16, Shape: []int{4, 6}, ChunkShape: []int{2, 2}, Dims: []string{"y", "x"}, Options: o})
	if err := Fill(a, nil, int16(7)); err != nil {
		t.Fatal(err)
	}
	read := func(s nd.Section) error { _, err := Read[int16](a, s); return err }
	extend := func(dim, by int) error { _, err := a.Extend(dim, by); return err }
	for _, c := range []struct {
		err  error
		is   error
		says string
	}{
		{read(nd.Sec(nd.All)), ErrRank, "1 ranges for an array of rank 2"},
		{read(nd.Sec(nd.All, nd.Span(3, 7))), ErrBounds, "dimension 1: range 3:7 reaches outside 0:6"},
		{read(nd.Sec(nd.All, nd.Span(3, 2))), ErrBounds, "reversed"},
		{read(nd.Sec(nd.All.By(-1), nd.All)), ErrBounds, "step -1"},
		{func() error { _, err := Read[int32](a, nil); return err }(), ErrDType, "elements are int16, requested as int32"},
		{func() error { _, err := Read[int16](a, nil, nd.Order{0, 0}); return err }(), ErrRank, "permutation"},
		{func() error { _, err := Read[int16](a, nil, nd.Order{0}); return err }(), ErrRank, "order"},
		{func() error { _, err := At[int16](a, 4, 0); return err }(), ErrBounds, "dimension 0: index 4 outside [0, 4)"},
		{func() error { _, err := At[int16](a, 4); return err }(), ErrRank, "1 indices"},
		{func() error { _, err := At[uint16](a, 0, 0); return err }(), ErrDType, "uint16"},
		{Set(a, int16(1), 0, -1), ErrBounds, "dimension 1: index -1"},
		{Set(a, 1.0, 0, 0), ErrDType, "float64"},
		{Write(a, nil, make([]int16, 23)), ErrSize, "46 bytes"},
		{ReadInto(a, nil, make([]int16, 25)), ErrSize, "50 bytes"},
		{a.FillBytes(nil, []byte{1}), ErrSize, "1 bytes"},
		{extend(2, 1), ErrRank, "dimension 2 of an array of rank 2"},
		{extend(-1, 1), ErrRank, "dimension -1"},
		{extend(0, 0), ErrBounds, "0 elements"},
		{extend(0, -3), ErrBounds, "-3 elements"},
		{extend(0, math.MaxInt), ErrOverflow, "dimension 0"},
		{extend(1, math.MaxInt/4), ErrOverflow, "dimension 1"},
		{func() error { _, err := a.ExtendCubical(0, 1<<40, axial.High); return err }(), ErrOverflow, "cubical"},
		{func() error { _, err := a.AddDim("x"); return err }(), ErrRank, `name "x" is taken`},
		{func() error { _, _, _, err := a.Layout().Locate(9, 9); return err }(), ErrBounds, "index 9"},
		{func() error {
			_, err := Create(named(t, "a"), Spec{DType: dtype.Int8, Shape: []int{1}, Options: o})
			return err
		}(), fs.ErrExist, "a.xmd"},
		{func() error { _, err := Open("b", o); return err }(), fs.ErrNotExist, "b.xmd"},
		{func() error { _, err := Open("a", Options{Write: true, fs: o.fs}); return err }(), ErrLocked, "a.xmd"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.says) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("error %v, want %v, saying %q", c.err, c.is, c.says)
		}
	}
	if got := a.Shape(); !slices.Equal(got, []int{4, 6}) {
		t.Errorf("shape %v after errors", got)
	}
	if got, err := Read[int16](a, nil); err != nil || slices.Min(got) != 7 || slices.Max(got) != 7 {
		t.Errorf("elements %v, %v after errors", got, err)
	}
}

func TestCreateErrors(t *testing.T) {
	ok := Spec{DType: dtype.Float64, Shape: []int{4, 6}}
	with := func(f func(s *Spec)) Spec {
		s := ok
		f(&s)
		return s
	}
	for _, c := range []struct {
		spec Spec
		is   error
		says string
	}{
		{with(func(s *Spec) { s.DType = 0 }), ErrDType, "dtype"},
		{with(func(s *Spec) { s.DType = 99 }), ErrDType, "dtype"},
		{with(func(s *Spec) { s.Shape = nil }), ErrRank, "rank 0"},
		{with(func(s *Spec) { s.Shape = make([]int, nd.MaxRank+1) }), ErrRank, "rank 65"},
		{with(func(s *Spec) { s.Shape = []int{-1, 2} }), ErrBounds, "extent -1"},
		{with(func(s *Spec) { s.ChunkShape = []int{2} }), ErrRank, "1 chunk extents"},
		{with(func(s *Spec) { s.ChunkShape = []int{2, 0} }), ErrBounds, "dimension 1: chunk extent 0"},
		{with(func(s *Spec) { s.ChunkShape = []int{2, -5} }), ErrBounds, "chunk extent -5"},
		{with(func(s *Spec) { s.ChunkShape = []int{math.MaxInt, 2} }), ErrOverflow, "chunk"},
		{with(func(s *Spec) { s.ChunkShape = []int{1 << 16, 1 << 16} }), ErrOverflow, "4294967295 bytes"},
		{with(func(s *Spec) { s.Lo = []int{0} }), ErrRank, "1 low bounds"},
		{with(func(s *Spec) { s.Lo = []int{math.MaxInt, 0} }), ErrOverflow, "dimension 0"},
		{with(func(s *Spec) { s.Shape = []int{1 << 32, 1 << 32} }), ErrOverflow, "4294967296"},
		{with(func(s *Spec) { s.Shape = []int{1 << 31, 1 << 31} }), ErrOverflow, "chunks"},
		{with(func(s *Spec) { s.Dims = []string{"x"} }), ErrRank, "1 dimension names"},
		{with(func(s *Spec) { s.Dims = []string{"x", "x"} }), ErrRank, `"x" is taken`},
		{with(func(s *Spec) { s.FillValue = "water" }), ErrDType, `"water"`},
		{with(func(s *Spec) { s.DType, s.FillValue = dtype.Int8, 128 }), ErrDType, "128"},
		{with(func(s *Spec) { s.DType, s.FillValue = dtype.Uint8, -1 }), ErrDType, "-1"},
		{with(func(s *Spec) { s.Order = "shell" }), ErrVersion, "shell"},
		{with(func(s *Spec) { s.Align = -1 }), ErrBounds, "alignment -1"},
	} {
		c.spec.Options = inMemory()
		_, err := Create(named(t, "a"), c.spec)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("create %+v: %v, want %v saying %q", c.spec, err, c.is, c.says)
		}
		if _, err := Open("a", c.spec.Options); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("files after a failed create: %v", err)
		}
	}
}

func TestClosedAndReadOnly(t *testing.T) { inBothForms(t, testClosedAndReadOnly) }

func testClosedAndReadOnly(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{3}, Options: o})
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	changes := func(a *Array) map[string]error {
		_, extend := a.Extend(0, 1)
		_, addDim := a.AddDim("")
		return map[string]error{
			"extend": extend, "add": addDim, "write": Write(a, nil, make([]int8, 3)), "set": Set(a, int8(1), 0), "fill": Fill(a, nil, int8(1)),
			"attr": a.SetAttr("n", 1), "delattr": a.DeleteAttr("n"), "sync": a.Sync(),
		}
	}
	for op, err := range changes(r) {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s of a read-only array: %v", op, err)
		}
	}
	if r.Writable() || !a.Writable() {
		t.Error("Writable is wrong")
	}
	all := changes(a)
	_, all["read"] = Read[int8](a, nil)
	_, all["at"] = At[int8](a, 0)
	_, all["usage"] = a.Usage()
	_, all["verify"] = a.Verify(context.Background(), nil)
	all["close"] = a.Close()
	for op, err := range all {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s of a closed array: %v", op, err)
		}
	}
}

// A writer that ends without Sync or Close leaves the array unchanged.
func TestUncommittedChangesAreLost(t *testing.T) { inBothForms(t, testUncommittedChangesAreLost) }

func testUncommittedChangesAreLost(t *testing.T) {
	o := inMemory()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{2}, ChunkShape: []int{2}, Options: o})
	if err := Fill(a, nil, int8(1)); err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Extend(0, 5); err != nil {
		t.Fatal(err)
	}
	if err := Fill(a, nd.Sec(nd.From(2)), int8(2)); err != nil {
		t.Fatal(err)
	}
	r, err := Open("a", o)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Read[int8](r, nil); err != nil || !slices.Equal(got, []int8{1, 1}) {
		t.Errorf("read %v, %v, want the two elements of the last Sync", got, err)
	}
}

// Whichever operation of the file system fails, the error is returned and committed data remain.
// When the file system works again, everything can be committed. The session writes only new
// chunks.
func TestFailingFiles(t *testing.T) {
	for fail := 1; ; fail++ {
		mem, count, mended := vfs.NewMem(), 0, false
		faulty := vfstest.Faulty{FS: mem, Fail: func(op vfstest.Op, _ string) error {
			if count++; count >= fail && !mended && op != vfstest.OpRemove {
				return syscall.ENOSPC
			}
			return nil
		}}
		a, err := Create(named(t, "a"), Spec{DType: dtype.Int32, Shape: []int{0, 4}, ChunkShape: []int{2, 2}, Options: Options{fs: faulty, Cache: 1000}})
		if err != nil {
			if _, err := Open("a", Options{fs: mem}); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("operation %d failed and create too, but then open: %v", fail, err)
			}
		} else {
			err = growAndWrite(a)
			checkCommitted(t, mem, fail)
			mended = true
			if err := a.Close(); err != nil {
				t.Fatalf("operation %d failed, then worked: %v", fail, err)
			}
			checkCommitted(t, mem, fail)
		}
		if err == nil {
			t.Logf("%d operations made to fail", fail-1)
			break
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("operation %d failed: %v", fail, err)
		}
	}
}

// growAndWrite extends an array by whole chunks three times and commits each.
func growAndWrite(a *Array) error {
	for i := range 3 {
		added, err := a.Extend(i%2, 4)
		if err != nil {
			return err
		}
		n, err := added.Len()
		if err != nil {
			return err
		}
		if err := Write(a, added, slices.Repeat([]int32{int32(i + 1)}, n)); err != nil {
			return err
		}
		if err := a.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// checkCommitted opens the array for reading and verifies it.
func checkCommitted(t *testing.T, fsys vfs.FS, fail int) {
	t.Helper()
	r, err := Open("a", Options{fs: fsys})
	if err != nil {
		t.Fatalf("operation %d failed: %v", fail, err)
	}
	report, err := r.Verify(context.Background(), nil)
	if err != nil || !report.Good() {
		t.Fatalf("operation %d failed: verify %+v, %v", fail, report, err)
	}
}

// Damage is reported with its position, and never read as data.
func TestDamage(t *testing.T) { inBothForms(t, testDamage) }

func testDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{DType: dtype.Uint8, Shape: []int{8, 8}, ChunkShape: []int{4, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if err := Fill(a, nil, uint8(9)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err = Open(name, Options{}); err != nil {
		t.Fatal(err)
	}
	at := a.Layout().Offset(2)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(fileset.Data(name))
	if err != nil {
		t.Fatal(err)
	}
	data[at+5] ^= 1
	if err := os.WriteFile(fileset.Data(name), data, 0o666); err != nil {
		t.Fatal(err)
	}
	a, err = Open(name, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read[uint8](a, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprint("chunk 2 at byte ", at)) {
		t.Errorf("read: %v", err)
	}
	if err := Set(a, uint8(1), 4, 0); !errors.Is(err, ErrCorrupt) {
		t.Errorf("set in a damaged chunk: %v", err)
	}
	r, err := a.Verify(context.Background(), nil)
	if err != nil || len(r.Damaged) != 1 || !slices.Equal(r.Damaged[0].ChunkIndex, []int{1, 0}) || r.Written != 4 {
		t.Errorf("verify: %+v, %v", r, err)
	}
	if got, err := Read[uint8](a, nd.Sec(nd.To(4), nd.All)); err != nil || slices.Min(got) != 9 {
		t.Errorf("the good half: %v, %v", got, err)
	}
	// A chunk that is overwritten as a whole is intact again.
	if err := Fill(a, nd.Sec(nd.From(4), nd.To(4)), uint8(3)); err != nil {
		t.Fatal(err)
	}
	if r, err := a.Verify(context.Background(), nil); err != nil || !r.Good() {
		t.Errorf("verify after mending: %+v, %v", r, err)
	}
	if fileset.OneFile(name) {
		return
	}
	if err := os.Remove(name + ".xck"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), ".xck") {
		t.Errorf("open without table: %v", err)
	}
}

func TestVerifyStops(t *testing.T) { inBothForms(t, testVerifyStops) }

func testVerifyStops(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{100}, ChunkShape: []int{1}})
	if err := Fill(a, nil, uint8(9)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := a.Verify(ctx, func(done int64) {
		if done == 7 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r.Written != 7 {
		t.Errorf("verify: %+v, %v", r, err)
	}
}

func TestDefaultChunk(t *testing.T) {
	for _, c := range []struct {
		t     dtype.DType
		shape []int
		want  []int
	}{
		{dtype.Float64, []int{10000, 10000}, []int{256, 512}},
		{dtype.Int16, []int{0, 512, 512}, []int{16, 128, 256}},
		{dtype.Uint8, []int{0}, []int{1 << 20}},
		{dtype.Uint8, []int{1, 700, 700}, []int{1, 700, 700}},
		{dtype.Float64, []int{10, 12}, []int{10, 12}},
		{dtype.Float64, []int{1 << 25, 1 << 25}, []int{256, 512}},
		{dtype.Complex128, []int{0, 0}, []int{256, 256}},
		{dtype.Float64, []int{0, 3}, []int{32768, 3}},
	} {
		if got := DefaultChunk(c.t, c.shape); !slices.Equal(got, c.want) {
			t.Errorf("chunk for %v %v is %v, want %v", c.t, c.shape, got, c.want)
		}
	}
	shape := slices.Repeat([]int{100}, 32)
	n, err := nd.Product(DefaultChunk(dtype.Float64, shape)...)
	if err != nil || n*8 != 1<<20 {
		t.Errorf("rank 32: chunks of %d elements, %v", n, err)
	}
}

func TestUtilisation(t *testing.T) { inBothForms(t, testUtilisation) }

func testUtilisation(t *testing.T) {
	a := mustCreate(t, Spec{DType: dtype.Uint8, Shape: []int{4, 5}, ChunkShape: []int{3, 3}})
	u, err := a.Usage()
	if err != nil || u.Utilisation != 20.0/36 || u.Chunks != 4 || u.Written != 0 {
		t.Errorf("usage %+v, %v", u, err)
	}
	// Nimako's thesis, section 4.1: growing from 5 to 6 stays inside the edge chunks and
	// adds no record, from 6 to 8 adds a column of chunks.
	if _, err := a.Extend(1, 1); err != nil || a.Grid().Segments() != 1 {
		t.Errorf("%d records, %v", a.Grid().Segments(), err)
	}
	if _, err := a.Extend(1, 2); err != nil || a.Grid().Segments() != 2 {
		t.Errorf("%d records, %v", a.Grid().Segments(), err)
	}
}

// An array that a copy has not completed can be opened only with Options.Incomplete.
func TestIncomplete(t *testing.T) { inBothForms(t, testIncomplete) }

func testIncomplete(t *testing.T) {
	fsys := vfs.NewMem()
	a := mustCreate(t, Spec{DType: dtype.Int8, Shape: []int{2}, Options: Options{fs: fsys}})
	if err := errors.Join(a.SetAttr(state.IncompleteAttr, "half"), a.Close()); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{}, {Write: true}, {Shared: true}} {
		o.fs = fsys
		if a, err := Open("a", o); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%+v: %v, %v", o, a, err)
		}
		o.Incomplete = true
		a, err := Open("a", o)
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	a, err := Open("a", Options{Write: true, Incomplete: true, fs: fsys})
	if err == nil {
		err = errors.Join(a.DeleteAttr(state.IncompleteAttr), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if a, err = Open("a", Options{fs: fsys}); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// An array created with Options.Incomplete is incomplete for others from its first commit on.
func TestCreateIncomplete(t *testing.T) {
	name := filepath.Join(t.TempDir(), named(t, "a"))
	a, err := Create(name, Spec{DType: dtype.Int8, Shape: []int{3}, Options: Options{Incomplete: true}})
	if err == nil {
		err = a.Discard()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, Options{}); !errors.Is(err, ErrIncomplete) {
		t.Errorf("opened: %v", err)
	}
	a, err = Open(name, Options{Incomplete: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(a.Attrs()[state.IncompleteAttr]); got != "true" {
		t.Errorf("attribute %s", got)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
