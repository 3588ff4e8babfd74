package envi

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"drx/hyper/scene"
)

// An Interleave is the order of the numbers of an image.
type Interleave string

// The orders, from the dimension that varies slowest to the one that varies fastest.
const (
	BSQ Interleave = "bsq" // band, line, sample
	BIL Interleave = "bil" // line, band, sample
	BIP Interleave = "bip" // line, sample, band
)

// A Header describes the numbers of a file.
type Header struct {
	Lines, Samples, Bands int
	Offset                int64 // bytes before the first number
	DataType              int   // ENVI's number of the type, see the package comment
	Interleave            Interleave
	BigEndian             bool
	FileType              string // such as "ENVI Standard" or "ENVI Spectral Library"

	Wavelengths []float64 // one per band; in a library one per sample; nil if not known
	Unit        string    // of the wavelengths: "nm", "um", or as in the header; "" if not known
	// FWHM has the full widths at half maximum of the bands, in the same unit; nil if not known.
	FWHM        []float64
	BadBands    []int     // numbers, from 0, of the bands with 0 in bbl, the list of bad bands
	ScaleFactor float64   // stored values are reflectances times this factor; 0 if not known
	Gains       []float64 // factors for stored values, one per band; nil if not known
	Offsets     []float64 // added after the gains, one per band; nil if not known
	NoData      *float64  // the stored value of a missing measurement; nil if there is none
	Names       []string  // the spectra of a library

	Fields map[string]string // all fields as text: keys in lower case, lists without their braces
}

// library reports whether the file is a spectral library: each line is a spectrum, each sample a
// wavelength.
func (h *Header) library() bool { return strings.EqualFold(h.FileType, "ENVI Spectral Library") }

// channels returns the number of values of a spectrum.
func (h *Header) channels() int {
	if h.library() {
		return h.Samples
	}
	return h.Bands
}

// Parse reads a header. The error names the field, its value and the allowed values.
func Parse(r io.Reader) (*Header, error) {
	fields, err := readFields(r)
	if err != nil {
		return nil, err
	}
	p := parser{fields: fields}
	h := &Header{Fields: fields}
	h.Lines = p.integer("lines", 1, math.MaxInt32, -1)
	h.Samples = p.integer("samples", 1, math.MaxInt32, -1)
	h.Bands = p.integer("bands", 1, math.MaxInt32, 1)
	h.Offset = int64(p.integer("header offset", 0, math.MaxInt, 0))
	h.DataType = p.integer("data type", 1, 15, -1)
	h.Interleave = Interleave(strings.ToLower(p.text("interleave", string(BSQ))))
	h.BigEndian = p.integer("byte order", 0, 1, 0) == 1
	h.FileType = p.text("file type", "ENVI Standard")
	n := h.channels()
	h.Wavelengths = p.numbers("wavelength", n)
	h.Unit = unit(p.text("wavelength units", ""))
	h.FWHM = p.numbers("fwhm", n)
	for i, good := range p.numbers("bbl", n) {
		if good == 0 {
			h.BadBands = append(h.BadBands, i)
		}
	}
	if v := p.numbers("reflectance scale factor", 1); v != nil {
		h.ScaleFactor = v[0]
	}
	h.Gains, h.Offsets = p.numbers("data gain values", n), p.numbers("data offset values", n)
	if v := p.numbers("data ignore value", 1); v != nil {
		h.NoData = &v[0]
	}
	if text, ok := fields["spectra names"]; ok {
		h.Names = list(text)
	}
	if p.err != nil {
		return nil, p.err
	}
	return h, h.check()
}

// check returns an error for a header that Parse accepts but this package cannot read.
func (h *Header) check() error {
	switch {
	case h.Interleave != BSQ && h.Interleave != BIL && h.Interleave != BIP:
		return fmt.Errorf("interleave = %.20q: it must be bsq, bil or bip", h.Interleave)
	case h.DataType == 6 || h.DataType == 9:
		return fmt.Errorf("data type = %d: these are complex numbers; spectra are real ones", h.DataType)
	case sizes[h.DataType] == 0:
		return fmt.Errorf("data type = %d: it must be 1, 2, 3, 4, 5, 12, 13, 14 or 15", h.DataType)
	case h.ScaleFactor < 0 || math.IsNaN(h.ScaleFactor) || math.IsInf(h.ScaleFactor, 0):
		return fmt.Errorf("reflectance scale factor = %g: it must be above 0", h.ScaleFactor)
	case h.library() && h.Bands != 1:
		return fmt.Errorf("bands = %d: a spectral library has 1, its spectra are lines", h.Bands)
	case h.library() && h.Names != nil && len(h.Names) != h.Lines:
		return fmt.Errorf("spectra names: %d for %d spectra", len(h.Names), h.Lines)
	}
	for _, key := range []string{"file compression", "major frame offsets", "minor frame offsets"} {
		if v := strings.Trim(h.Fields[key], "0, \n"); v != "" {
			return fmt.Errorf("%s = %.20q: only files without are read; let ENVI or gdal_translate write such one", key, v)
		}
	}
	return nil
}

// sizes has the size of a number in bytes by data type; 0 for unsupported types.
var sizes = [16]int{1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 12: 2, 13: 4, 14: 8, 15: 8}

// unit returns the short name of a unit of wavelengths.
func unit(text string) string {
	if known := scene.LengthUnit(text); known != "" {
		return known
	}
	if lower := strings.ToLower(text); lower == "unknown" || lower == "index" {
		return ""
	}
	return text
}

// list returns the parts of a list, without the spaces around them.
func list(text string) []string {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.Join(strings.Fields(parts[i]), " ")
	}
	return parts
}

// A parser reads values of fields and keeps the first error.
type parser struct {
	fields map[string]string
	err    error
}

// fail keeps the first error.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// text returns a field, or the default missing if there is none.
func (p *parser) text(key, missing string) string {
	if v, ok := p.fields[key]; ok {
		return v
	}
	return missing
}

// integer returns a field between lo and hi, or the default missing if there is none. A default of
// -1 makes a missing field an error.
func (p *parser) integer(key string, lo, hi, missing int) int {
	text, ok := p.fields[key]
	if !ok {
		if missing < 0 {
			p.fail("the field %q is missing", key)
		}
		return missing
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < lo || v > hi {
		p.fail("%s = %.40q: it must be an integer from %d to %d", key, text, lo, hi)
	}
	return v
}

// numbers returns a list of n numbers, or nil if there is none.
func (p *parser) numbers(key string, n int) []float64 {
	text, ok := p.fields[key]
	if !ok || p.err != nil {
		return nil
	}
	parts := list(text)
	if len(parts) != n {
		p.fail("%s: %d values where %d are needed", key, len(parts), n)
		return nil
	}
	v := make([]float64, n)
	for i, part := range parts {
		var err error
		if v[i], err = strconv.ParseFloat(part, 64); err != nil {
			p.fail("%s: value %d is %.20q, not a number", key, i, part)
			return nil
		}
	}
	return v
}
