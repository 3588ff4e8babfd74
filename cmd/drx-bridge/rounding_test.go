//go:build hdf5 && netcdf && fits && gdal && matio

package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"drx"
	"drx/formats/transfer"
	"drx/optionerr"
)

// makesExact makes a file of random numbers, with missing ones, NaN and a grid of latitudes, and
// the same numbers quantized by netCDF in both modes.
const makesExact = `
import sys
import netCDF4, numpy
folder = sys.argv[1] + "/"
random = numpy.random.default_rng(1)
numbers = random.standard_normal((60, 50)) * 10.0 ** random.integers(-20, 20, (60, 50))
for type in "f4", "f8":
    for name, how in {"exact": {}, "digits": dict(significant_digits=3, quantize_mode="GranularBitRound"), "bits": dict(significant_digits=9, quantize_mode="BitRound")}.items():
        with netCDF4.Dataset(folder + name + type + ".nc", "w") as f:
            f.createDimension("y", 60); f.createDimension("x", 50)
            y = f.createVariable("y", "f8", ("y",)); y[:] = numpy.arange(60) / 7
            lat = f.createVariable("lat", "f8", ("y", "x")); lat[...] = numbers
            n = f.createVariable("n", "i2", ("y", "x")); n[...] = numpy.arange(3000).reshape(60, 50)
            v = f.createVariable("v", type, ("y", "x"), zlib=True, fill_value=-999.25, **how)
            v.coordinates = "lat"
            v.set_auto_mask(False)
            values = numbers.astype(type)
            values[3] = -999.25
            v[...] = values
`

// sameAsNetCDF compares a file with the output of netCDF, to the bit, and prints what netCDF
// reports about the quantization of the variable v.
const sameAsNetCDF = `
import sys
import netCDF4, numpy
made, want, exact, digits, mode = sys.argv[1:]
with netCDF4.Dataset(made) as m, netCDF4.Dataset(want) as w, netCDF4.Dataset(exact) as e:
    for f in m, w, e: f.set_auto_mask(False)
    assert m["v"][...].tobytes() == w["v"][...].tobytes(), "other bits"
    assert m["v"][...].tobytes() != e["v"][...].tobytes(), "not rounded"
    assert (m["v"][3] == -999.25).all()
    for name in "y", "lat", "n":
        assert m[name][...].tobytes() == e[name][...].tobytes(), name
    name = {"GranularBitRound": "_QuantizeGranularBitRoundNumberOfSignificantDigits", "BitRound": "_QuantizeBitRoundNumberOfSignificantBits"}[mode]
    assert m["v"].getncattr(name) == int(digits) == w["v"].getncattr(name), m["v"].ncattrs()
    assert m["v"].quantization() == w["v"].quantization() == (int(digits), mode), m["v"].quantization()
`

// An import and an export round to the numbers of netCDF, with its attribute, which an export
// keeps. Coordinates, integers and missing values are not changed.
func TestRounding(t *testing.T) {
	dir := t.TempDir()
	runPython(t, makesExact, dir)
	for _, typ := range []string{"f4", "f8"} {
		exact := filepath.Join(dir, "exact"+typ+".nc")
		plain := filepath.Join(dir, "plain"+typ)
		if _, err := transfer.Import(t.Context(), plain, transfer.ImportOptions{}, exact); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, n, mode string
			in            transfer.ImportOptions
			out           transfer.ExportOptions
		}{
			{"digits", "3", "GranularBitRound", transfer.ImportOptions{Digits: 3}, transfer.ExportOptions{Digits: 3}},
			{"bits", "9", "BitRound", transfer.ImportOptions{Bits: 9}, transfer.ExportOptions{Bits: 9}},
		} {
			want, rounded := filepath.Join(dir, c.name+typ+".nc"), filepath.Join(dir, c.name+typ)
			var notes []string
			c.in.Note = func(text string) { notes = append(notes, text) }
			if _, err := transfer.Import(t.Context(), rounded, c.in, exact); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(notes, "\n"), "n: is int16, and not rounded") {
				t.Errorf("notes %q", notes)
			}
			kept, late := rounded+"_kept.nc", rounded+"_late.nc"
			if _, err := transfer.Export(t.Context(), rounded, kept, transfer.ExportOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := transfer.Export(t.Context(), plain, late, c.out); err != nil {
				t.Fatal(err)
			}
			for _, made := range []string{kept, late} {
				runPython(t, sameAsNetCDF, made, want, exact, c.n, c.mode)
			}
		}
	}
}

// Impossible roundings are refused by name: numbers of digits that no type has, or this type does
// not have, integers, and arrays that are already rounded in another way.
func TestRoundingRefuses(t *testing.T) {
	dir := t.TempDir()
	runPython(t, makesExact, dir)
	file := filepath.Join(dir, "exactf4.nc")
	there := filepath.Join(dir, "there")
	if _, err := transfer.Import(t.Context(), there, transfer.ImportOptions{Append: "y"}, file); err != nil {
		t.Fatal(err)
	}
	for says, o := range map[string]transfer.ImportOptions{
		"option digits=16: 16 digits of float64: GranularBitRound has from 1 to 15": {Digits: 16},
		"option digits=-1: -1 digits":                          {Digits: -1},
		"option bits=53: 53 bits of float64":                   {Bits: 53},
		"option digits=8: variable v: 8 digits of float32":     {Digits: 8},
		"option bits=24: variable v: 24 bits of float32":       {Bits: 24},
		"option digits=3 and option bits=3 exclude each other": {Digits: 3, Bits: 3},
		"elements of type int16 have no fraction":              {Digits: 3, Vars: []string{"n"}},
	} {
		if _, err := transfer.Import(t.Context(), filepath.Join(dir, "new"), o, file); !errors.Is(err, optionerr.ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("want %s: %v", says, err)
		}
		if is, err := drx.Exists(filepath.Join(dir, "new", "v")); is || err != nil {
			t.Fatalf("%s: something was made, %v", says, err)
		}
	}
	o := transfer.ImportOptions{Append: "y", Digits: 3, AnyOrder: true}
	if _, err := transfer.Import(t.Context(), there, o, file); !errors.Is(err, optionerr.ErrOption) || !strings.Contains(err.Error(), "is not rounded so") {
		t.Errorf("appended: %v", err)
	}
	if _, err := transfer.Export(t.Context(), filepath.Join(there, "n"), filepath.Join(dir, "n.nc"), transfer.ExportOptions{Digits: 3}); !errors.Is(err, optionerr.ErrOption) {
		t.Errorf("exported integers: %v", err)
	}
}
