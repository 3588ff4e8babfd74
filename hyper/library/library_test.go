package library_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/hyper/library"
)

const table = "wavelength (um),Green  Grass,soil\n0.4,0.1,0.3\n0.6,,0.5\n0.5,0.2,-1.23e34\n0.8,0.5,0.6\n"

func read(t *testing.T, text string) *library.Library {
	t.Helper()
	l, err := library.ReadCSV(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTables(t *testing.T) {
	for _, text := range []string{table, strings.ReplaceAll(table, ",", ";"), strings.ReplaceAll(table, ",", "\t"), "\ufeff" + table, "# a comment\n" + table} {
		l := read(t, text)
		if l.Unit != "um" || !slices.Equal(l.Names, []string{"Green Grass", "soil"}) || !slices.Equal(l.Wavelengths, []float64{0.4, 0.6, 0.5, 0.8}) ||
			!math.IsNaN(l.Spectra[0][1]) || !math.IsNaN(l.Spectra[1][2]) || l.Spectra[1][3] != 0.6 {
			t.Errorf("%q: %+v", text, l)
		}
		var b bytes.Buffer
		if err := l.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		again := read(t, b.String())
		var c bytes.Buffer
		if err := again.WriteCSV(&c); err != nil || b.String() != c.String() {
			t.Errorf("written %q, then %q", b.String(), c.String())
		}
	}
	if l := read(t, "band,a\n0,1\n1,2\n"); l.Wavelengths != nil || !slices.Equal(l.Spectra[0], []float64{1, 2}) {
		t.Errorf("without wavelengths: %+v", l)
	}
	for text, want := range map[string]string{
		"":                       "the table is empty: its first row has wavelength and the names of the spectra",
		"nm\n1\n":                "row 1 has one column: the first has wavelengths, the others spectra",
		"400,1\n500,2\n":         "row 1 begins with the number 400: it must have names, such as wavelength, grass, soil",
		"nm,a\n400,x\n":          `row 2, column 2: "x" is not a number`,
		"nm,a\n,1\n":             `row 2, column 1: "" is not a number`,
		"nm,a\n400,1\n-1,2\n":    "the wavelength of channel 1 is -1: it must be above 0",
		"nm,a\n":                 `spectrum 0, "a", has 0 channels where 1 are needed`,
		"nm,a,b\n400,1\n":        "record on line 2: wrong number of fields",
		"nm,a\n400,\"1\n500,2\n": `record on line 2; parse error on line 3, column 7: extraneous or missing " in quoted-field`,
	} {
		if _, err := library.ReadCSV(strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestSelect(t *testing.T) {
	l := read(t, "nm,a,b,B\n1,2,3,4\n")
	if s, err := l.Select("A"); err != nil || s.Spectra[0][0] != 2 {
		t.Errorf("%v %v", s, err)
	}
	for name, want := range map[string]string{
		"b": `the library has several spectra "b"`,
		"c": `the library has no spectrum "c": it has a, b, B`,
	} {
		if _, err := l.Select(name); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestInterpolation(t *testing.T) {
	l := read(t, "wavelength um,a\n0.6,6\n0.4,4\n0.5,10\n0.8,8\n") // not in order
	got, note, err := l.Resample(library.Sensor{Wavelengths: []float64{450, 800, 400, 500, 700}, Unit: "nm"})
	if err != nil {
		t.Fatal(err)
	}
	for b, want := range []float64{7, 8, 4, 10, 7} {
		if math.Abs(got.Spectra[0][b]-want) > 1e-9 {
			t.Errorf("band %d is %v, want %v", b, got.Spectra[0][b], want)
		}
	}
	if note != "resampled from 4 channels to 5 bands: 0 as means over their widths, 5 interpolated" || got.Unit != "nm" {
		t.Errorf("note %s, unit %s", note, got.Unit)
	}
	if same, note, err := l.Resample(library.Sensor{Wavelengths: []float64{600, 400, 500, 800}, Unit: "nm"}); err != nil || note != "" || !slices.Equal(same.Spectra[0], l.Spectra[0]) {
		t.Errorf("the same wavelengths: %v %s %v", same, note, err)
	}
	if _, note, err := l.Resample(library.Sensor{Wavelengths: []float64{0.5}}); err != nil || !strings.HasPrefix(note, "wavelengths without a unit are taken as um; ") {
		t.Errorf("no unit: %s %v", note, err)
	}
}

// A band is the weighted mean of many channels, with Gaussian weights; of a linear spectrum it is
// the value in the middle.
func TestBandsWithWidths(t *testing.T) {
	l := &library.Library{Names: []string{"line", "wave"}, Unit: "nm", Spectra: make([][]float64, 2)}
	for w := 400.0; w <= 700; w += 0.5 {
		l.Wavelengths = append(l.Wavelengths, w)
		l.Spectra[0] = append(l.Spectra[0], w)
		l.Spectra[1] = append(l.Spectra[1], math.Cos(w/5))
	}
	got, note, err := l.Resample(library.Sensor{Wavelengths: []float64{500, 550.25, 600}, Unit: "nm", FWHM: []float64{10, 10, 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	sigma := 10 / (2 * math.Sqrt(2*math.Ln2))
	for b, w := range []float64{500, 550.25} {
		if math.Abs(got.Spectra[0][b]-w) > 1e-6 {
			t.Errorf("the line at %v is %v", w, got.Spectra[0][b])
		}
		// A Gaussian response changes cos(w/5) to cos(w/5) exp(-(sigma/5)^2/2).
		if want := math.Cos(w/5) * math.Exp(-sigma*sigma/50); math.Abs(got.Spectra[1][b]-want) > 2e-3 {
			t.Errorf("the wave at %v is %v, want %v", w, got.Spectra[1][b], want)
		}
	}
	if got.Spectra[0][2] != 600 || note != "resampled from 601 channels to 3 bands: 2 as means over their widths, 1 interpolated" {
		t.Errorf("%v %s", got.Spectra[0], note)
	}
}

func TestWrongResampling(t *testing.T) {
	l := read(t, table)
	for want, to := range map[string]library.Sensor{
		"band 1 of the scene is at 900 nm, outside of the library's 400 to 800: list it as bad, or take another library": {Wavelengths: []float64{500, 900}, Unit: "nm"},
		`spectrum 0, "Green Grass", has no value at 550 nm, band 0: leave out the spectrum, or list the band as bad`:     {Wavelengths: []float64{550}, Unit: "nm"},
		`spectrum 0, "Green Grass", has no value at 600 nm, band 1: leave out the spectrum, or list the band as bad`:     {Wavelengths: []float64{400, 600, 500, 800}, Unit: "nm"},
		"the scene has no wavelengths: a library cannot be resampled to it":                                              {},
		"the scene has 2 widths for 1 wavelengths":                                                                       {Wavelengths: []float64{1}, FWHM: []float64{1, 2}},
		"the wavelength of band 0 is NaN: it must be above 0":                                                            {Wavelengths: []float64{math.NaN()}},
		`the library has wavelengths in "um", the scene in "Wavenumber": only nm and um are converted`:                   {Wavelengths: []float64{1}, Unit: "Wavenumber"},
	} {
		if _, _, err := l.Resample(to); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, _, err := read(t, "band,a\n0,1\n").Resample(library.Sensor{Wavelengths: []float64{1}}); err == nil || err.Error() != "the library has no wavelengths: it cannot be resampled" {
		t.Errorf("no wavelengths: %v", err)
	}
}

func TestENVILibraries(t *testing.T) {
	dir := t.TempDir()
	header := "ENVI\nsamples=3\nlines=2\nbands=1\ndata type=1\nfile type=ENVI Spectral Library\nwavelength={0.4,0.5,0.6}\nwavelength units=Micrometers\n" +
		"reflectance scale factor=10\ndata ignore value=255\nspectra names={a,b}\n"
	for name, b := range map[string][]byte{"l.hdr": []byte(header), "l.sli": {10, 20, 30, 255, 50, 60}} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := library.ReadENVI(filepath.Join(dir, "l.sli"), true)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Spectra[0], []float64{1, 2, 3}) || !math.IsNaN(l.Spectra[1][0]) || l.Spectra[1][2] != 6 || l.Unit != "um" || !slices.Equal(l.Names, []string{"a", "b"}) {
		t.Errorf("%+v", l)
	}
	if _, err := library.ReadENVI(filepath.Join(dir, "m.sli"), true); err == nil {
		t.Error("a file that does not exist is read")
	}
}

// FuzzReadCSV reads tables of arbitrary text. A library that was read can be written and read
// again.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte(table))
	f.Add([]byte("band;a\n0;1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := library.ReadCSV(bytes.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of two lines: %q", err)
			}
			return
		}
		var b bytes.Buffer
		if err := l.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		again, err := library.ReadCSV(&b)
		if err != nil || len(again.Spectra) != len(l.Spectra) || len(again.Spectra[0]) != len(l.Spectra[0]) {
			t.Fatalf("%q is read, but what is written of it is not: %v", text, err)
		}
		_, _, _ = l.Resample(library.Sensor{Wavelengths: []float64{500}, FWHM: []float64{10}, Unit: "nm"})
	})
}
