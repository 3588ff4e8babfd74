package quantize

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drx/dtype"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// number returns a random number: of any size, round, or special.
func number(rng *rand.Rand) float64 {
	switch rng.IntN(8) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), -999, 1e36}[rng.IntN(7)]
	case 1:
		return float64(rng.IntN(2000) - 1000)
	case 2:
		return math.Pow10(rng.IntN(60) - 30)
	case 3:
		return math.Ldexp(1, rng.IntN(200)-100)
	}
	return rng.NormFloat64() * math.Pow10(rng.IntN(60)-30)
}

// numbers returns random elements of a type, without infinities, NaN and negative zeros, which
// netCDF 4.9.0 changes to other numbers.
func numbers(rng *rand.Rand, t dtype.DType, n int) []byte {
	var b []byte
	for range n {
		if v := number(rng); math.IsInf(v, 0) || math.IsNaN(v) || v == 0 && math.Signbit(v) {
			continue
		} else if t == dtype.Float32 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// netcdf is a program that quantizes with netCDF-C. Its argument is a folder with a file of
// elements per variable, whose name contains the method.
const netcdf = `
import sys, os, netCDF4, numpy
folder = sys.argv[1]
data = netCDF4.Dataset(os.path.join(folder, "x.nc"), "w")
for name in sorted(os.listdir(folder)):
    if not name.endswith(".raw"): continue
    kind, mode, n = name[:-4].split("_")
    a = numpy.fromfile(os.path.join(folder, name), kind)
    data.createDimension(name, a.size)
    v = data.createVariable(name, kind, (name,), significant_digits=int(n), quantize_mode=mode, fill_value=-999)
    v.set_auto_mask(False)
    v[:] = a
    [attr] = [x for x in v.ncattrs() if x.startswith("_Q")]
    assert v.getncattr(attr) == int(n)
    with open(os.path.join(folder, name + ".attr"), "w") as f: f.write(attr)
data.close()
data = netCDF4.Dataset(os.path.join(folder, "x.nc"))
for name in data.variables:
    v = data[name]
    v.set_auto_mask(False)
    v[:].tofile(os.path.join(folder, name + ".out"))
`

// All methods give the bits and the attribute that netCDF-C writes.
func TestNumbersAreThoseOfNetCDF(t *testing.T) {
	const python = "/usr/bin/python3" // the Python for which Debian's packages are installed
	if err := exec.Command(python, "-c", "import netCDF4; assert netCDF4.__has_quantization_support__").Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("python3-netcdf4 is not there, or its netCDF cannot quantize")
		}
		t.Skip("python3-netcdf4 is not there, or its netCDF cannot quantize")
	}
	folder := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 7))
	kinds := map[string]dtype.DType{"f4": dtype.Float32, "f8": dtype.Float64}
	each := func(f func(file string, kind string, m Method, n int)) {
		for kind, dt := range kinds {
			for m := GranularBitRound; m <= BitGroom; m++ {
				for n := 1; Check(dt, m, n) == nil; n++ {
					f(filepath.Join(folder, fmt.Sprintf("%s_%s_%d.raw", kind, m, n)), kind, m, n)
				}
			}
		}
	}
	each(func(file, kind string, _ Method, _ int) {
		check(t, os.WriteFile(file, numbers(rng, kinds[kind], 5000), 0o666))
	})
	if out, err := exec.Command(python, "-W", "ignore", "-c", netcdf, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	each(func(file, kind string, m Method, n int) {
		before, err := os.ReadFile(file)
		check(t, err)
		want, err := os.ReadFile(file + ".out")
		check(t, err)
		attr, err := os.ReadFile(file + ".attr")
		check(t, err)
		if known, ok := ParseMethod(m.String()); string(attr) != m.Attr() || !ok || known != m {
			t.Errorf("%s: attribute %s, want %s", m, m.Attr(), attr)
		}
		dt := kinds[kind]
		fill := binary.LittleEndian.AppendUint32(nil, math.Float32bits(-999))
		if dt == dtype.Float64 {
			fill = binary.LittleEndian.AppendUint64(nil, math.Float64bits(-999))
		}
		got := bytes.Clone(before)
		check(t, Quantize(dt, m, n, got, fill))
		for i := 0; i < len(got); i += dt.Size() {
			if needsTooMany(dt, m, n, load(before[i:][:dt.Size()])) {
				continue // netCDF 4.9.0 changes it to another number
			}
			if g, w := got[i:][:dt.Size()], want[i:][:dt.Size()]; !bytes.Equal(g, w) {
				t.Fatalf("%s %s %d: number % x becomes % x, want % x", kind, m, n, before[i:][:dt.Size()], g, w)
			}
		}
	})
}

// needsTooMany reports whether a method needs more bits of a number than the type has.
func needsTooMany(t dtype.DType, m Method, n int, v uint64) bool {
	l := layouts[t]
	switch {
	case !l.isNormal(v) || m == BitRound:
		return false
	case m == BitGroom:
		return groomBits(n) > l.fraction
	}
	return granularBits(l.value(v), n) > l.fraction
}

// values returns the parts of elements as float64.
func values(t dtype.DType, b []byte) (all []float64) {
	l := layouts[t]
	for i := 0; i < len(b); i += l.size {
		v := load(b[i:][:l.size])
		x := l.value(v)
		if v>>(8*l.size-1) != 0 {
			x = -x
		}
		all = append(all, x)
	}
	return all
}

// Rounding to digits changes no number by more than half of its last digit, rounding to bits by no
// more than half of its last bit, and grooming by no more than half of its last digit. Numbers that
// are not normal keep their bits, in all types. No number becomes infinite.
func TestErrorsAreBounded(t *testing.T) {
	for dt, l := range layouts {
		for m := GranularBitRound; m <= BitGroom; m++ {
			for n := 1; Check(dt, m, n) == nil; n++ {
				rng := rand.New(rand.NewPCG(uint64(n), 8))
				before := make([]byte, 2000*dt.Size())
				for i := range before {
					before[i] = byte(rng.Uint32())
				}
				after := bytes.Clone(before)
				check(t, Quantize(dt, m, n, after, nil))
				was, is := values(dt, before), values(dt, after)
				for i := range was {
					b := load(before[i*l.size:][:l.size])
					if a := load(after[i*l.size:][:l.size]); !l.isNormal(b) {
						if a != b {
							t.Fatalf("%s %s %d: %x becomes %x", dt, m, n, b, a)
						}
						continue
					} else if !l.isNormal(a) {
						t.Fatalf("%s %s %d: %v is no normal number any more", dt, m, n, was[i])
					}
					limit := 0.5 * math.Pow(10, math.Floor(math.Log10(math.Abs(was[i])))+1-float64(n))
					if m == BitRound {
						_, e := math.Frexp(was[i])
						limit = math.Ldexp(1, e-n-2)
					}
					if d := math.Abs(is[i] - was[i]); d > limit*(1+1e-9) && math.Abs(was[i]) < l.largest()*0.9 {
						t.Fatalf("%s %s %d: %v becomes %v", dt, m, n, was[i], is[i])
					}
				}
			}
		}
	}
}

// largest returns approximately the largest number of a type.
func (l layout) largest() float64 {
	_, e := l.exponent(0)
	return math.Ldexp(1, int(e/2))
}

// The largest numbers are rounded down, where netCDF makes them infinite.
func TestLargestStayFinite(t *testing.T) {
	b := binary.LittleEndian.AppendUint32(nil, math.Float32bits(math.MaxFloat32))
	check(t, Quantize(dtype.Float32, BitRound, 3, b, nil))
	if v := math.Float32frombits(binary.LittleEndian.Uint32(b)); math.IsInf(float64(v), 0) || v < math.MaxFloat32*0.9 {
		t.Error(v)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		t    dtype.DType
		m    Method
		n    int
		want string
	}{
		{dtype.Int16, BitRound, 3, "elements of type int16 have no fraction to quantize"},
		{dtype.Float32, GranularBitRound, 0, "0 digits of float32: GranularBitRound has from 1 to 7"},
		{dtype.Float32, GranularBitRound, 8, "8 digits of float32"},
		{dtype.Float64, BitGroom, 16, "from 1 to 15"},
		{dtype.Float32, BitRound, 24, "24 bits of float32: BitRound has from 1 to 23"},
		{dtype.Float32, 0, 1, "method 0: known are GranularBitRound, BitRound and BitGroom"},
	} {
		err := Quantize(test.t, test.m, test.n, nil)
		if !errors.Is(err, ErrQuantize) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s %d: %v", test.t, test.m, test.n, err)
		}
	}
	if _, ok := ParseMethod("NoQuantize"); ok {
		t.Error("any method is known")
	}
}
