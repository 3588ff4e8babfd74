package main

import (
	"os"
	"strings"
	"testing"
)

// wrongUses are command lines that fail, and what the error says: what is wrong, the limit, and
// what to do. k is an array of 3 x 4 int16 with the labels north, south and west along y; ds is a
// dataset with the variable t along time and lat.
var wrongUses = []struct{ line, says string }{
	{"read k --section -1", "the last one is 2"},
	{"read k --section 0:9,0", "dimension y: range 0:9 reaches outside 0:3"},
	{"read k --section a,b", `"a" is not an index, lo:hi or lo:hi:step`},
	{"read k --at z=1", `no dimension "z": there are 0 to 1, named ["y" "x"]`},
	{"read k --sel y=East", `no "East" among its 3 labels; 'drx labels' lists`},
	{"read k -o out.xyz", "ends in .npy or .csv"},
	{"read ds", "name one of them, as in ds/"},
	{"read ds/none", `no array "none" in "ds"; 'drx ls ds' lists arrays`},
	{"read ds/t --sel time=2030-01-01", "the last one before it is 2024-01-02"},
	{"fill k --value 99999", "an integer from -32768 to 32767"},
	{"create z --dtype int33 --shape 3", "did you mean int32?"},
	{"create z --dtype f4 --shape 3x4", "with commas, as in 3,4"},
	{"create z --dtype f4 --shape 3 --codec zst", "did you mean zstd?"},
	{"create a/b/c --dtype f4 --shape 3", `there is no folder "a/b"`},
	{"extend k --dim y --by -1", "want at least 1"},
	{"shrink k --dim y --by 9", "dimension y has 3 indices; want at most 3"},
	{"attr k --delete nope", "'drx attr k' lists them"},
	{"rename k y x", `"x" is taken`},
	{"cp k k", "choose another name, or remove it with 'drx rm'"},
	{"stats k --percentile 101", "want a number from 0 to 100"},
	{"stats k --mean --by month", "an array of its name with units such as"},
	{"diff k nope", `no array "nope" here; 'drx ls' lists arrays`},
	{"append new --dim time k", "--create makes a new array"},
	{"import nope.nc x", "open nope.nc: no such file"},
	{"export k out.foo", "give one with --format: npy"},
	{"cut k z", "select what is to be left out of one dimension"},
	{"cut nope z --at x=1", `no array "nope" here`},
	{"sort nope z --by x", `no array "nope" here`},
	{"sort k z --by x", "neither a coordinate nor a label"},
	{"coarsen nope z x=2", `no array "nope" here`},
	{"coarsen ds z lat=2", "trim leaves out the last 1, pad makes a smaller window"},
	{"coarsen ds z lat", "a number of indices, as in lat=4, or a period"},
	{"coarsen ds z lat=1D", "no coordinate of times"},
	{"coarsen ds ds/z lat=3", "choose a name outside"},
	{"coarsen ds z.nc lat=3", "'drx export' makes one"},
	{"regrid ds z.nc --to lat=1", "'drx export' makes one"},
	{"labels k --dim y --level none=", `no level "none": it has none`},
	{"labels k --dim y --level kind=heads.csv", "only headings"},
	{"regrid ds z", "needs --to, a dataset or array with the coordinates, or steps"},
	{"regrid ds z --to nope", `no array "nope" here`},
	{"regrid ds z --to lat=0:10", "want a number, or FIRST:LAST:STEP"},
	{"regrid ds z --to lat=0:10:-1", "do not lead from 0 to 10"},
	{"regrid ds z --to time=noon", "as in 2020-01-01:2020-02-01:6h"},
	{"regrid ds z --to time=2024-01-01:2024-01-02:6", "as in 6h"},
	{"regrid ds z --to lat=1 --method cubic", "want nearest, linear, mean"},
	{"regrid ds z --to ds", "lies on it already"},
	{"read --sektion 1 k", "did you mean --section?"},
	{"ncdump k", "info (show the type"},
}

// TestWrongUses runs command lines that users may well write.
func TestWrongUses(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("heads.csv", []byte("label,kind\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"create k --dtype i2 --shape 3,4 --dims y,x", `attr k labels/0/0=["north","south","west"]`, "create ds --dataset",
		"create ds/time --dtype i4 --shape 2 --dims time", "attr ds/time units=days_since_2024-01-01", "fill ds/time --value 1 --section 1",
		"create ds/lat --dtype f8 --shape 3 --dims lat", "fill ds/lat --value 1 --section 1", "fill ds/lat --value 2 --section 2",
		"create ds/t --dtype f4 --dims time,lat",
	} {
		args := strings.Fields(line)
		args[len(args)-1] = strings.ReplaceAll(args[len(args)-1], "_", " ")
		if code, _, stderr := drxRun(t, args...); code != 0 {
			t.Fatalf("%s: exit %d: %s", line, code, stderr)
		}
	}
	for _, c := range wrongUses {
		code, _, stderr := drxRun(t, strings.Fields(c.line)...)
		if code == 0 || !strings.Contains(stderr, c.says) {
			t.Errorf("drx %s: exit %d: %s, want %q", c.line, code, strings.TrimSpace(stderr), c.says)
		}
	}
}
