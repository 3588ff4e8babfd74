package fortran_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
)

// extents are the extents of the arrays of TestTypes, in the order of Fortran. An array of rank 3
// has the first three.
var extents = []int{2, 3, 2, 1, 2, 3, 2}

// A kind is a type of elements in Fortran: its declaration, and element p of an array as an
// expression.
type kind struct {
	decl, value, equal, zero string
	check                    func(t *testing.T, dir string, rank int)
	write                    func(t *testing.T, dir string, rank int)
}

// kinds are the types of elements. Element p is derived from the number p*7 modulo 97, less 40.
var kinds = map[string]kind{
	"int8":       numbers("integer(int8)", "int(%s, int8)", func(n int) int8 { return int8(n) }),
	"int16":      numbers("integer(int16)", "int(%s * 300, int16)", func(n int) int16 { return int16(n * 300) }),
	"int32":      numbers("integer(int32)", "%s * 10000000", func(n int) int32 { return int32(n * 10000000) }),
	"int64":      numbers("integer(int64)", "%s * 10000000000000_int64", func(n int) int64 { return int64(n) * 10000000000000 }),
	"float32":    numbers("real(real32)", "%s * 0.25", func(n int) float32 { return float32(n) * 0.25 }),
	"float64":    numbers("real(real64)", "%s * 1.125d100", func(n int) float64 { return float64(n) * 1.125e100 }),
	"complex64":  numbers("complex(real32)", "cmplx(%s, 0.5, real32)", func(n int) complex64 { return complex(float32(n), 0.5) }),
	"complex128": numbers("complex(real64)", "cmplx(-1d300, %s, real64)", func(n int) complex128 { return complex(-1e300, float64(n)) }),
	"bool":       numbers("logical(c_bool)", "logical(%s > 0, c_bool)", func(n int) bool { return n > 0 }),
}

func number(p int) int { return p*7%97 - 40 }

// numbers returns a kind whose element p is value(number(p)).
func numbers[T dtype.Element](decl, expression string, value func(n int) T) kind {
	k := kind{decl: decl, value: fmt.Sprintf(expression, "(mod(p * 7, 97) - 40)"), equal: "==", zero: "0"}
	if strings.HasPrefix(decl, "logical") {
		k.equal, k.zero = ".eqv.", ".false."
	}
	values := func(rank int) []T {
		size := 1
		for _, n := range extents[:rank] {
			size *= n
		}
		list := make([]T, size)
		for p := range list {
			list[p] = value(number(p))
		}
		return list
	}
	k.write = func(t *testing.T, dir string, rank int) {
		t.Helper()
		shape := slices.Clone(extents[:rank])
		slices.Reverse(shape)
		a, err := drx.Create(nameOf(dir, "go", dtype.Of[T](), rank), drx.Spec{DType: dtype.Of[T](), Shape: shape, ChunkShape: chunkOf(shape)})
		if err == nil {
			err = drx.Write(a, nil, values(rank))
		}
		if err == nil {
			err = a.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	k.check = func(t *testing.T, dir string, rank int) {
		t.Helper()
		a, err := drx.Open(nameOf(dir, "fortran", dtype.Of[T](), rank), drx.Options{})
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = a.Close() }()
		shape := a.Shape()
		slices.Reverse(shape)
		got, err := drx.Read[T](a, nil)
		if err != nil || !slices.Equal(shape, extents[:rank]) || !slices.Equal(got, values(rank)) {
			t.Errorf("%v: %v\n%v\nwant\n%v", a, err, got, values(rank))
		}
	}
	return k
}

func nameOf(dir, who string, d dtype.DType, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("%s_%v_%d", who, d, rank))
}

func chunkOf(shape []int) []int {
	chunk := slices.Clone(shape)
	for d := range chunk {
		chunk[d] = min(chunk[d], 2)
	}
	return chunk
}

// TestTypes moves elements of every type in variables of rank 1 to 7 between Go and Fortran, in
// both directions.
func TestTypes(t *testing.T) {
	t.Parallel()
	installed(t)
	source := filepath.Join(t.TempDir(), "types.f90")
	if err := os.WriteFile(source, []byte(typesProgram()), 0o666); err != nil {
		t.Fatal(err)
	}
	prog := compile(t, []string{"testdata/check.f90", source}, "-fcheck=all", "-Wno-compare-reals")
	for _, k := range kinds {
		for rank := 1; rank <= len(extents); rank++ {
			k.write(t, prog.dir, rank)
		}
	}
	if out, err := prog.run(); err != nil || out != "good\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, k := range kinds {
		for rank := 1; rank <= len(extents); rank++ {
			k.check(t, prog.dir, rank)
		}
	}
}

// typesProgram returns a program that reads the arrays written by Go and writes equal ones.
func typesProgram() string {
	var calls, procedures strings.Builder
	for name, k := range kinds {
		for rank := 1; rank <= len(extents); rank++ {
			suffix := fmt.Sprintf("%s_%d", name, rank)
			shape := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(extents[:rank])), ", "), "[]")
			fmt.Fprintf(&calls, "  call check_%s()\n", suffix)
			fmt.Fprintf(&procedures, typesProcedure, suffix, k.decl, shape, k.value, k.equal, name,
				"2:1:-1"+strings.Repeat(", :", rank-1), strings.TrimPrefix(strings.Repeat(", 1", rank), ", "),
				fmt.Sprintf("%s%d:", strings.Repeat(":, ", rank-1), extents[rank-1]), k.zero)
		}
	}
	return fmt.Sprintf(`program types
  use, intrinsic :: iso_c_binding, only: c_bool
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use drx
  use check
  implicit none

%s  print '(a)', 'good'

contains

%send program types
`, calls.String(), procedures.String())
}

// typesProcedure has the parameters name, declaration, shape, value of element p, comparison, type,
// mirrored section, first index, last slab, and zero.
const typesProcedure = `  subroutine check_%[1]s()
    type(drx_array) :: a
    %[2]s :: want(%[3]s), x(%[3]s), one, ones(1)
    integer :: p

    want = reshape([(%[4]s, p=0, size(want) - 1)], [%[3]s])
    call a%%open('go_%[1]s')
    call a%%read(x)
    call must(logical(all(x %[5]s want)), 'read %[1]s')
    call a%%read(x(%[7]s))
    call must(logical(all(x(%[7]s) %[5]s want)), 'read %[1]s, mirrored')
    call a%%get([%[8]s], one)
    call must(logical(one %[5]s want(%[8]s)), 'get %[1]s')
    call a%%read(one, drx_section([%[8]s], [%[8]s]))
    call must(logical(one %[5]s want(%[8]s)), 'read %[1]s, one element')
    call a%%close()

    call a%%create('fortran_%[1]s', drx_%[6]s, [%[3]s])
    call a%%fill(one)
    call a%%gather(reshape([%[8]s], [size(shape(x)), 1]), ones)
    call must(logical(ones(1) %[5]s one), 'fill and gather %[1]s')
    call a%%write(x(%[7]s))
    call a%%shrink(size(shape(x)), 1)
    call a%%append(want(%[9]s))
    call a%%fill_value(one)
    call must(logical(one %[5]s %[10]s), 'fill_value %[1]s')
    call a%%set([%[8]s], one)
    call a%%scatter(reshape([%[8]s], [size(shape(x)), 1]), [want(%[8]s)])
    call a%%close()
  end subroutine check_%[1]s

`
