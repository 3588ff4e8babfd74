package formats_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"drx/formats"
	"drx/formats/texttable"
)

// pandasTables writes random tables with missing values in several dialects, and what pandas reads
// from them as n.npy.
const pandasTables = `
import sys, numpy as np, pandas as pd
rng, n = np.random.default_rng(1), 0
for sep in ",;\t|":
    for decimal, thousands in [(".", None), (",", None), (",", "."), (".", ",")]:
        if decimal == "," and sep in ",|": continue
        for index in [False, True]:
            values = np.round(rng.normal(scale=10.0 ** rng.integers(0, 7), size=(rng.integers(2, 40), rng.integers(2, 9))), 2)
            values[0, 0] = 0.25  # shows the decimal sign
            values[rng.random(values.shape) < 0.1] = np.nan
            values[0, 0] = 0.25
            f = pd.DataFrame(values, columns=["c%d" % i for i in range(values.shape[1])])
            if index: f.index = pd.date_range("2024-01-15", periods=len(f), freq="37min", name="time")
            if thousands:
                f = f.apply(lambda c: c.map(lambda x: "" if np.isnan(x) else "{:,.2f}".format(x).translate(str.maketrans(",.", thousands + decimal))))
            f.to_csv("%d.csv" % n, sep=sep, decimal=decimal, index=index, na_rep=["NA", "", "null"][n % 3] if not thousands else "", lineterminator=["\n", "\r\n"][n % 2])
            back = pd.read_csv("%d.csv" % n, sep=sep, decimal=decimal, thousands=thousands, index_col=0 if index else None)
            np.save("%d.npy" % n, np.ascontiguousarray(back.to_numpy("f8")))
            if index: np.save("%d.time.npy" % n, pd.to_datetime(back.index).to_numpy("M8[s]").astype("i8"))
            n += 1
print(n)
`

// Tables are read as pandas reads them when its options describe them.
func TestPandas(t *testing.T) {
	python := exec.Command("/usr/bin/python3", "-W", "ignore", "-c", pandasTables)
	python.Dir = t.TempDir()
	if exec.Command("/usr/bin/python3", "-c", "import pandas").Run() != nil {
		t.Skip("no pandas")
	}
	out, err := python.Output()
	if err != nil {
		t.Fatal(err, string(err.(*exec.ExitError).Stderr))
	}
	n := 0
	if _, err := fmt.Sscan(string(out), &n); err != nil || n < 20 {
		t.Fatal(string(out), err)
	}
	for i := range n {
		path := filepath.Join(python.Dir, fmt.Sprint(i))
		same(t, path+".csv", formats.Options{}, path+".npy")
		if _, err := os.Stat(path + ".time.npy"); err == nil {
			same(t, path+".csv", formats.Options{Variable: "time"}, path+".time.npy")
		}
		same(t, path+".csv", formats.Options{Table: texttable.Options{NA: []string{"?"}}}, path+".npy")
	}
}

// same checks that a variable of a file has the elements of a .npy file.
func same(t *testing.T, path string, o formats.Options, want string) {
	t.Helper()
	get := func(path string, o formats.Options) (formats.Info, []byte) {
		if c, err := formats.List(path, o); err == nil && o.Variable == "" {
			o.Variable = c.Vars[0].Name
		}
		r, err := formats.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		n, _ := r.Info().Bytes()
		buf := make([]byte, n)
		if err := r.ReadSection(nil, buf); err != nil {
			t.Fatal(err)
		}
		return r.Info(), buf
	}
	info, got := get(path, o)
	wantInfo, expected := get(want, formats.Options{})
	if info.DType != wantInfo.DType || fmt.Sprint(info.Shape) != fmt.Sprint(wantInfo.Shape) {
		t.Fatalf("%s: %v %v, want %v %v", path, info.DType, info.Shape, wantInfo.DType, wantInfo.Shape)
	}
	for i := 0; i < len(got); i += 8 {
		g, w := info.DType.Float64(got[i:i+8]), info.DType.Float64(expected[i:i+8])
		if g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			data, _ := os.ReadFile(path)
			t.Fatalf("%s: element %d: %v, want %v\n%.300s", path, i/8, g, w, data)
		}
	}
}
