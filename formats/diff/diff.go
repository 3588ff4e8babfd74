// Package diff compares two arrays, datasets or files of other formats by what their elements mean:
//
//	r, err := diff.Diff(ctx, "radar", "radar.nc", diff.Options{RTol: 1e-6})
//	if err == nil && !r.Same { ... }
//
// Values are compared in their units: packed numbers are unpacked, times are moments, and marks of
// missing values count as missing. Two missing values are equal, and so are NaN and a missing
// value. Chunks, codecs and marks of missing values are ways to store the same values and count as
// no difference. Another element type, attribute or name of a dimension is a difference, unless
// Options.Data is set.
package diff

import (
	"context"
	"errors"
	"math"
	"slices"

	"drx/dtype"
	"drx/formats"
	"drx/formats/transfer"
	"drx/optionerr"
)

// Options say which differences count. The zero value compares everything exactly.
type Options struct {
	// Vars are the variables to compare; nil is all.
	Vars []string
	// Data compares values only: no attributes, types, names or bounds. Coordinates that only one
	// file has do not count, either.
	Data bool
	// ATol and RTol are tolerances: a and b are the same if |a-b| <= ATol + RTol*|b|.
	ATol, RTol float64
	// Memory is about how much memory the comparison takes, in bytes; 0 is
	// transfer.DefaultMemory.
	Memory int64
	// Progress, if not nil, is called repeatedly with the bytes of A that are done and their total.
	Progress func(done, total int64)
}

// A Result says how A and B differ.
type Result struct {
	A         string     `json:"a"`
	B         string     `json:"b"`
	Same      bool       `json:"same"`
	Variables []Variable `json:"variables"` // in both files, in the order of A
	OnlyA     []string   `json:"only_a"`    // variables, and groups with a slash at the end
	OnlyB     []string   `json:"only_b"`
	Attrs     []Property `json:"attrs"` // of the files and of their groups
}

// A Property is a difference in something other than elements. A or B is empty if that file lacks
// the property.
type Property struct {
	What string `json:"what"` // "dtype", "shape", "dims", "bounds", "units" or "attribute NAME"
	A    string `json:"a"`
	B    string `json:"b"`
}

// A Variable says how a variable differs.
type Variable struct {
	Name       string     `json:"name"`
	Same       bool       `json:"same"`
	Properties []Property `json:"properties"` // that differ
	Compared   int64      `json:"compared"`   // elements; 0 if shapes or units cannot be compared
	Different  int64      `json:"different"`  // number of compared elements that differ
	Missing    int64      `json:"missing"`    // elements that are missing in only one file
	Largest    *Location  `json:"largest,omitempty"`
}

// A Location is the element with the largest difference or, for elements such as strings, whose
// differences have no size, the first that differs.
type Location struct {
	// Index is the index in A.
	Index []int `json:"index"`
	// Coordinates are the values of the coordinates of A, as text, by the names of dimensions.
	Coordinates map[string]string `json:"coordinates"`
	// A and B are both elements as text, each in its own units.
	A string `json:"a"`
	B string `json:"b"`
	// Difference is absolute, in the units of A; NaN if it has no size.
	Difference Number `json:"difference"`
	// Relative is the same, divided by the larger of the two moduli.
	Relative Number `json:"relative"`
	// MaxRelative is the largest relative difference of any element.
	MaxRelative Number `json:"relative_max"`
}

// A Number is a float64. In JSON, which has only finite numbers, others are "NaN", "Infinity" or
// "-Infinity".
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	b, err := dtype.Float64.EncodeValue(float64(n))
	if err != nil {
		return nil, err
	}
	return dtype.Float64.ToJSON(b), nil
}

// check checks the options.
func (o Options) check() error {
	for _, t := range []struct {
		name string
		is   float64
	}{{"atol", o.ATol}, {"rtol", o.RTol}} {
		if t.is < 0 || math.IsNaN(t.is) || math.IsInf(t.is, 0) {
			return optionerr.Wrong(t.name, t.is, "want a number of at least 0")
		}
	}
	if o.Memory < 0 {
		return optionerr.Wrong("memory", o.Memory, "want bytes, or 0 for the default")
	}
	return nil
}

// Diff compares two arrays, datasets or files, in bounded memory. A difference is not an error.
// Diff returns errors of reading the files, an error that wraps optionerr.ErrOption if an option is
// wrong, or the error of ctx.
func Diff(ctx context.Context, a, b string, o Options) (Result, error) {
	r := Result{A: a, B: b, Variables: []Variable{}, OnlyA: []string{}, OnlyB: []string{}, Attrs: []Property{}}
	if err := o.check(); err != nil {
		return r, err
	}
	half := transfer.ImportOptions{Memory: max(o.Memory, 0) / 2}
	if o.Memory == 0 {
		half.Memory = transfer.DefaultMemory / 2
	}
	from, err := transfer.OpenSource(a, half)
	if err != nil {
		return r, err
	}
	to, err := transfer.OpenSource(b, half)
	if err != nil {
		return r, errors.Join(err, from.Close())
	}
	d := &differ{Options: o, a: from, b: to, memory: half.Memory}
	err = d.run(ctx, &r)
	return r, errors.Join(err, from.Close(), to.Close())
}

// A differ compares two sources.
type differ struct {
	Options
	a, b        *transfer.Source
	memory      int64 // for each of the two files, in bytes
	done, total int64 // bytes
}

func (d *differ) run(ctx context.Context, r *Result) error {
	pairs, err := d.pair(r)
	if err != nil {
		return err
	}
	if !d.Data && len(d.Vars) == 0 {
		d.compareGroups(r)
	}
	for _, p := range pairs {
		n, _ := p.a.Bytes() // checked by the format
		d.total += int64(n)
	}
	r.Same = len(r.OnlyA)+len(r.OnlyB)+len(r.Attrs) == 0
	for _, p := range pairs {
		v, err := d.compare(ctx, p)
		if err != nil {
			return err
		}
		r.Same = r.Same && v.Same
		r.Variables = append(r.Variables, v)
	}
	return nil
}

// compare compares the two variables of a pair.
func (d *differ) compare(ctx context.Context, p pair) (Variable, error) {
	v := Variable{Name: p.a.Name, Properties: []Property{}}
	if v.Name == "" {
		v.Name = p.b.Name
	}
	d.compareProperties(&v, p)
	can := canCompare(&v, p)
	if can {
		if err := d.compareElements(ctx, &v, p); err != nil {
			return v, err
		}
	}
	v.Same = can && v.Different == 0 && len(v.Properties) == 0
	return v, nil
}

// report reports progress.
func (d *differ) report(bytes int64) {
	d.done += bytes
	if d.Progress != nil {
		d.Progress(d.done, d.total)
	}
}

// readable returns the variables of a file that can be read.
func readable(c formats.Content) []formats.Info {
	return slices.DeleteFunc(slices.Clone(c.Vars), func(v formats.Info) bool { return v.Refused != "" })
}
