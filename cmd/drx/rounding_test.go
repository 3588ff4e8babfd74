package main

import (
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/dtype"
	"drx/formats/transfer"
)

// makeField makes an array of numbers, and a file with them.
func makeField(t *testing.T, dir string) {
	t.Helper()
	a, err := drx.Create(dir+"/A", drx.Spec{DType: dtype.Float32, Shape: []int{6, 4, 5}, Dims: []string{"t", "y", "x"}, FillValue: "-9.75"})
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, 120)
	for i := range values {
		if values[i] = 3.14159 * float32(i*i-700); i%11 == 0 {
			values[i] = -9.75
		}
	}
	if err := drx.Write(a, nil, values); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"A.npy", "A.zarr"} {
		if _, err := transfer.Export(t.Context(), dir+"/A", dir+"/"+file, transfer.ExportOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func float32sOf(t *testing.T, name string) []float32 {
	t.Helper()
	a, err := drx.Open(name, drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	got, err := drx.Read[float32](a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// All verbs that write numbers to an array must round them as an import does, and so as netCDF
// does, and set the same attribute.
func TestVerbsRound(t *testing.T) {
	dir := t.TempDir()
	makeField(t, dir)
	attr := map[string]string{
		"--digits": "_QuantizeGranularBitRoundNumberOfSignificantDigits", "--bits": "_QuantizeBitRoundNumberOfSignificantBits",
	}
	for flag, name := range attr {
		for _, line := range []string{
			"import A.zarr I", "copy A C", "copy A P --chunk 2,2,5 --codec auto", "copy A S --at t=0:6:5",
			"append D --dim 0 --create A.npy --fill -9.75 --codec auto", "append D --dim 0 A.npy", "write D --at 6,0,0 A.npy",
			"append F --dim n --create A.npy --fill -9.75", "reserve D --dim 0 A.npy",
		} {
			args := append(strings.Fields(line), flag, "3")
			if code, _, complaint := drxIn(t, dir, args...); code != 0 {
				t.Fatalf("%v: exit code %d, %s", args, code, complaint)
			}
		}
		want := float32sOf(t, dir+"/I")
		exact := float32sOf(t, dir+"/A")
		if slices.Equal(want, exact) || want[11] != -9.75 {
			t.Fatalf("%s: the import has not rounded, or the fill value: %v", flag, want)
		}
		for made, numbers := range map[string][]float32{
			"C": want, "P": want, "S": slices.Concat(want[:20], want[100:]), "D": slices.Concat(want, want, want), "F": want,
		} {
			if got := float32sOf(t, dir+"/"+made); !slices.Equal(got, numbers) {
				t.Errorf("%s %s: other numbers", flag, made)
			}
			if _, out, _ := drxIn(t, dir, "attr", made, name); strings.TrimSpace(out) != "3" {
				t.Errorf("%s %s: the attribute is %q", flag, made, out)
			}
			if code, _, complaint := drxIn(t, dir, "rm", made); code != 0 {
				t.Fatal(complaint)
			}
		}
		if code, _, complaint := drxIn(t, dir, "rm", "I"); code != 0 {
			t.Fatal(complaint)
		}
	}
}

// Types that cannot be rounded must be refused by name before anything is made. If unrounded
// numbers are written to a rounded array, there must be a note.
func TestVerbsRefuseToRound(t *testing.T) {
	dir := t.TempDir()
	makeField(t, dir)
	for _, line := range []string{"copy A R --digits 3", "import A.npy N --as int16 --clip"} {
		if code, _, complaint := drxIn(t, dir, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: exit code %d, %s", line, code, complaint)
		}
	}
	for line, says := range map[string]string{
		"copy A X --digits 3 --bits 3":                          "--digits 3 and --bits 3 exclude each other",
		"copy A X --digits 0":                                   "at least 1",
		"import A.npy X --bits 0":                               "at least 1",
		"append X --dim 0 --create A.npy --bits 0":              "at least 1",
		"copy A X --digits 8":                                   "--digits 8: A: 8 digits of float32: GranularBitRound has from 1 to 7",
		"copy A X --digits 3 --dtype int16 --clip --fill 0":     "elements of type int16 have no fraction",
		"copy N X --bits 3":                                     "elements of type int16 have no fraction",
		"copy N X --at 0=0:6:5 --bits 3":                        "elements of type int16 have no fraction",
		"append X --dim 0 --create A.npy --bits 24":             "24 bits of float32",
		"append X --dim 0 --create A.npy --dtype int8 --bits 3": "elements of type int8 have no fraction",
		"append A --dim 0 A.npy --digits 3":                     "A is not rounded so, as its attribute _QuantizeGranularBitRoundNumberOfSignificantDigits would say",
		"append R --dim 0 A.npy --digits 4":                     "R is not rounded so",
		"write R A.npy --bits 3":                                "R is not rounded so",
		"append X --coords a --value v --create A.npy --bits 3": "--bits is not for CSV files",
	} {
		code, _, complaint := drxIn(t, dir, strings.Fields(line)...)
		if code != 2 || !strings.Contains(complaint, says) {
			t.Errorf("%s: exit code %d, %s", line, code, complaint)
		}
		if is, err := drx.Exists(dir + "/X"); is || err != nil {
			t.Fatalf("%s: something was made, %v", line, err)
		}
	}
	for _, line := range []string{"append R --dim 0 A.npy", "write R A.npy", "import A.zarr R --append t"} {
		code, _, complaint := drxIn(t, dir, strings.Fields(line)...)
		if code != 0 || !strings.Contains(complaint, "is not rounded, as the array is, to 3 digits by GranularBitRound") {
			t.Errorf("%s: exit code %d, %s", line, code, complaint)
		}
	}
}

// A file is written over the variables of a dataset with the rounding that they have, and no other;
// to what is not rounded nothing goes that is.
func TestWriteRoundsDatasets(t *testing.T) {
	dir := t.TempDir()
	makeField(t, dir)
	for _, line := range []string{"create D --dataset", "cp A D/A", "create D/n --dtype int16 --shape 6 --dims t", "export D D.zarr"} {
		if code, _, complaint := drxIn(t, dir, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: exit code %d, %s", line, code, complaint)
		}
	}
	for _, rounding := range []string{"--digits 3", "--bits 4"} {
		for _, line := range []string{"import D.zarr R " + rounding, "cp R/A want", "fill R/A --value 1", "write R D.zarr " + rounding} {
			if code, _, complaint := drxIn(t, dir, strings.Fields(line)...); code != 0 || strings.Contains(complaint, "is not rounded, as") {
				t.Fatalf("%s: exit code %d, %s", line, code, complaint)
			}
		}
		if want := float32sOf(t, dir+"/want"); !slices.Equal(float32sOf(t, dir+"/R/A"), want) || slices.Equal(want, float32sOf(t, dir+"/A")) {
			t.Errorf("%s: other numbers than those of an import", rounding)
		}
		for line, says := range map[string]string{
			"write R D.zarr --bits 5":            "--bits 5",
			"write R D.zarr --digits 2":          "is not rounded so, as its attribute",
			"write D D.zarr " + rounding:         "is not rounded so, as its attribute",
			"write R D.zarr --bits 4 --digits 3": "exclude each other",
		} {
			code, _, complaint := drxIn(t, dir, strings.Fields(line)...)
			if code != 2 || !strings.Contains(complaint, says) {
				t.Errorf("%s: exit code %d, %s", line, code, complaint)
			}
		}
		if code, _, complaint := drxIn(t, dir, "write", "R", "D.zarr"); code != 0 || !strings.Contains(complaint, "is not rounded, as the array is") {
			t.Errorf("without the flag: exit code %d, %s", code, complaint)
		}
		if code, _, complaint := drxIn(t, dir, "rm", "R", "want"); code != 0 {
			t.Fatal(complaint)
		}
	}
}
