package endmember_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/internal/enumtest"
)

// realFile returns a file of the folder of real scenes; without DRX_DATA the test is skipped.
func realFile(t *testing.T, name string) []byte {
	t.Helper()
	root := os.Getenv("DRX_DATA")
	if root == "" {
		t.Skip("DRX_DATA is not set")
	}
	data, err := os.ReadFile(filepath.Join(root, "hyperspectral", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// matArray returns an array of a MAT file of version 5, column by column, as float64.
func matArray(t *testing.T, file []byte, name string) []float64 {
	t.Helper()
	for rest := file[128:]; len(rest) >= 8; {
		kind, data, next := matElement(t, rest)
		rest = next
		if kind == 15 {
			r, err := zlib.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			// Some files have no checksum, so only the decoded bytes are checked.
			inner, err := io.ReadAll(r)
			if len(inner) == 0 {
				t.Fatal(err)
			}
			kind, data, _ = matElement(t, inner)
		}
		if kind != 14 {
			continue
		}
		_, _, data = matElement(t, data) // flags
		_, _, data = matElement(t, data) // shape
		_, text, data := matElement(t, data)
		if string(text) == name {
			kind, values, _ := matElement(t, data)
			return matNumbers(t, kind, values)
		}
	}
	t.Fatalf("no array %s", name)
	return nil
}

// matElement splits off the first element of a file: its type and its data.
func matElement(t *testing.T, b []byte) (kind int, data, rest []byte) {
	t.Helper()
	head := binary.LittleEndian.Uint32(b)
	if small := int(head >> 16); small != 0 {
		return int(head & 0xffff), b[4 : 4+small], b[8:]
	}
	n := int(binary.LittleEndian.Uint32(b[4:]))
	end := min(len(b), 8+n)
	next := end
	if head != 15 {
		next = min(len(b), 8+(n+7)/8*8)
	}
	return int(head), b[8:end], b[next:]
}

func matNumbers(t *testing.T, kind int, b []byte) []float64 {
	t.Helper()
	size := map[int]int{1: 1, 2: 1, 3: 2, 4: 2, 9: 8}[kind]
	if size == 0 {
		t.Fatalf("numbers of type %d", kind)
	}
	list := make([]float64, len(b)/size)
	for i := range list {
		switch kind {
		case 1:
			list[i] = float64(int8(b[i]))
		case 2:
			list[i] = float64(b[i])
		case 3:
			list[i] = float64(int16(binary.LittleEndian.Uint16(b[2*i:])))
		case 4:
			list[i] = float64(binary.LittleEndian.Uint16(b[2*i:]))
		case 9:
			list[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
	return list
}

// jasper returns the scene of Jasper Ridge, 100 x 100 pixels of 198 bands, and its four materials.
func jasper(t *testing.T) (*scene.Cube, [][]float64) {
	t.Helper()
	raw := realFile(t, "jasperRidge2_R198.img")
	const lines, samples, bands = 100, 100, 198
	data := make([]float64, lines*samples*bands)
	for i := range len(data) {
		l, b, s := i/(bands*samples), i/samples%bands, i%samples
		data[(l*samples+s)*bands+b] = float64(int16(binary.LittleEndian.Uint16(raw[2*i:])))
	}
	truth := matArray(t, realFile(t, "jasper_end4.mat"), "M")
	return inMemory(t, block(0, lines, 0, samples), bands, data), rows(truth, bands)
}

// moffett returns the scene of Moffett Field, 50 x 50 pixels of 184 bands, and its three materials.
func moffett(t *testing.T) (*scene.Cube, [][]float64) {
	t.Helper()
	file := realFile(t, "UPCGIT_moffett.mat")
	truth := matArray(t, file, "GT") // 3 x 184
	spectra := make([][]float64, 3)
	for i, v := range truth {
		spectra[i%3] = append(spectra[i%3], v)
	}
	return inMemory(t, block(0, 50, 0, 50), 184, matArray(t, file, "Y")), spectra
}

// rows cuts data into rows of n numbers.
func rows(data []float64, n int) [][]float64 {
	var list [][]float64
	for ; len(data) > 0; data = data[n:] {
		list = append(list, data[:n])
	}
	return list
}

// meanAngle returns the mean spectral angle between found and true spectra, in the order of the
// found ones for which it is smallest.
func meanAngle(t *testing.T, found []endmember.Endmember, truth [][]float64) float64 {
	t.Helper()
	if len(found) != len(truth) {
		t.Fatalf("%d endmembers, want %d", len(found), len(truth))
	}
	best := math.Inf(1)
	permute(len(truth), func(order []int) {
		sum := 0.0
		for i, j := range order {
			sum += plainAngle(found[i].Spectrum, truth[j])
		}
		best = min(best, sum/float64(len(truth)))
	})
	return best
}

// permute calls f with all permutations of the numbers below n.
func permute(n int, f func([]int)) {
	var extend func(order []int, used int)
	extend = func(order []int, used int) {
		if len(order) == n {
			f(order)
		}
		for i := range n {
			if used>>i&1 == 0 {
				extend(append(order, i), used|1<<i)
			}
		}
	}
	extend(nil, 0)
}

func smoothed(t *testing.T, c *scene.Cube, k int) *scene.Cube {
	t.Helper()
	m, err := derived.Mean(c, k)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A figure is the mean angle to the true materials that a method achieves in a scene of k x k
// means.
type figure struct {
	mean   int
	method endmember.Method
	most   float64 // radians
}

func checkFigures(t *testing.T, c *scene.Cube, truth [][]float64, list []figure) {
	t.Helper()
	means := map[int]*scene.Cube{}
	for _, f := range list {
		if means[f.mean] == nil {
			m := smoothed(t, c, f.mean)
			tile, err := m.Read(t.Context(), m.Bounds())
			if err != nil {
				t.Fatal(err)
			}
			means[f.mean] = inMemory(t, m.Bounds(), m.Bands(), tile.Data)
		}
		found, err := endmember.Find(t.Context(), means[f.mean], f.method)
		if err != nil {
			t.Errorf("%T after means of %d: %v", f.method, f.mean, err)
			continue
		}
		got := meanAngle(t, found, truth)
		t.Logf("%T after means of %d: %.4f rad", f.method, f.mean, got)
		if got > f.most {
			t.Errorf("%T after means of %d: %.4f rad, want at most %g", f.method, f.mean, got, f.most)
		}
	}
}

func TestJasperRidgeLarge(t *testing.T) {
	enumtest.Large(t)
	c, truth := jasper(t)
	o := endmember.Options{Count: 4}
	checkFigures(t, c, truth, []figure{
		{3, &endmember.NFINDR{Options: o, Starts: 1, Seed: 1}, 0.129},
		{5, &endmember.NFINDR{Options: o, Starts: 1, Seed: 1}, 0.12},
		{1, &endmember.ATGP{Options: o}, 0.323},
		{5, &endmember.SGA{Options: o}, 0.12},
		{1, &endmember.VCA{Options: o, Seed: 1}, 0.326},
		{5, &endmember.PPI{Options: o, Seed: 1}, 0.16},
		{1, &endmember.AMEE{Count: 4, Window: 5, Rounds: 3, Apart: 0.2}, 0.12},
		{1, &endmember.SISAL{Count: 4, Seed: 1}, 0.28},
		{1, &endmember.SISAL{Count: 4, Seed: 1, Weight: 0.1}, 0.24},
	})
}

func TestMoffettFieldLarge(t *testing.T) {
	enumtest.Large(t)
	c, truth := moffett(t)
	o := endmember.Options{Count: 3}
	checkFigures(t, c, truth, []figure{
		{1, &endmember.NFINDR{Options: o, Starts: 1, Seed: 1}, 0.141},
		{3, &endmember.NFINDR{Options: o, Starts: 1, Seed: 1}, 0.06},
		{3, &endmember.SGA{Options: o}, 0.06},
		{3, &endmember.PPI{Options: o, Seed: 1}, 0.06},
		{3, &endmember.FIPPI{Options: o}, 0.06},
		{3, &endmember.AMEE{Count: 3, Window: 5, Rounds: 3, Apart: 0.2}, 0.09},
		{1, &endmember.SISAL{Count: 3, Seed: 1}, 0.31},
		{1, &endmember.SISAL{Count: 3, Seed: 1, Weight: 0.1}, 0.165},
		{3, &endmember.SISAL{Count: 3, Seed: 1, Weight: 0.1}, 0.09},
	})
}
