package capi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"drx/dataset/meaning"
	"drx/dtype"
)

// meaningOf describes elements for drx_meaning_compare and drx_meaning_convert.
type meaningOf struct {
	DType  string                     `json:"dtype"`
	Fill   json.RawMessage            `json:"fill"`
	Attrs  map[string]json.RawMessage `json:"attrs"`
	Parent map[string]json.RawMessage `json:"parent"`
}

// meaningOptions are the options of drx_meaning_compare and drx_meaning_convert.
type meaningOptions struct {
	Rule   string `json:"rule"`
	Target string `json:"target"`
	Mode   string `json:"quantize_mode"`
	Digits int    `json:"significant_digits"`
}

// meaningRules are the values of the option rule.
var meaningRules = map[string]meaning.Rule{
	"": meaning.Exact, "exact": meaning.Exact, "values": meaning.Values, "nearest": meaning.Nearest, "clip": meaning.Clip,
}

// meaningBlock is the number of elements that are converted at a time.
const meaningBlock = 1 << 16

// MeaningCompare returns as JSON whether and how elements of one meaning can be stored with
// another. The error wraps drx.ErrDType if they cannot.
func MeaningCompare(from, to, options string) (string, error) {
	compared, err := compareMeanings(from, to, options)
	if err != nil {
		return "", err
	}
	c := compared.conversion
	answer := struct {
		Same   bool     `json:"same"`
		Factor *float64 `json:"factor,omitempty"`
		Shift  *float64 `json:"shift,omitempty"`
		Note   string   `json:"note"`
		Valid  string   `json:"valid,omitempty"`
	}{Same: c == nil, Note: c.Describe(), Valid: meaning.DescribeValid(compared.from, compared.to, compared.target)}
	if factor, shift, ok := c.Units(); ok {
		answer.Factor, answer.Shift = &factor, &shift
	}
	return toJSON(answer)
}

// MeaningConvert converts n elements of one meaning to another, in buffers without strides, and
// rounds them if the options say so. The error wraps drx.ErrDType for a value that does not fit,
// and optionerr.ErrOption for a rounding that the type does not have.
func MeaningConvert(from, to, options string, n int64, src, dst Buffer) error {
	compared, err := compareMeanings(from, to, options)
	if err != nil {
		return err
	}
	var f, t meaningOf
	_, _ = decode([]byte(from), &f), decode([]byte(to), &t) // compareMeanings has decoded them
	src.DType, _ = dtype.Parse(f.DType)
	dst.DType, _ = dtype.Parse(t.DType)
	size, toSize := int64(src.DType.Size()), int64(dst.DType.Size())
	switch {
	case n < 0 || n > math.MaxInt/16:
		return invalidf("n is %d: want the number of elements", n)
	case n == 0:
		return nil
	case src.Data == nil || dst.Data == nil:
		return invalidf("a buffer is NULL")
	}
	src.probe(0, int(n*size))
	dst.probe(0, int(n*toSize))
	in, out := src.bytes(int(n*size)), dst.bytes(int(n*toSize))
	round, err := compared.rounding()
	if err != nil {
		return err
	}
	buf := make([]byte, min(n, meaningBlock)*size)
	for done := int64(0); done < n; done += meaningBlock {
		m := min(n-done, meaningBlock)
		block := buf[:copy(buf, in[done*size:][:m*size])]
		src.DType.ToLittle(block)
		made, err := compared.conversion.Apply(block)
		if err != nil {
			return elementError(err, done)
		}
		if err := round(made); err != nil {
			return err
		}
		to := out[done*toSize:][:copy(out[done*toSize:], made)]
		dst.DType.ToLittle(to)
	}
	return nil
}

// elementError names the element that cannot be converted.
func elementError(err error, before int64) error {
	if v := (*meaning.ValueError)(nil); errors.As(err, &v) {
		return fmt.Errorf("element %d: %w", before+int64(v.Index), err)
	}
	return err
}

// A comparison is the result of compareMeanings.
type comparison struct {
	from, to   *meaning.Meaning
	target     string // names the owner of to, for texts
	options    meaningOptions
	conversion *meaning.Conversion // nil if elements may be moved as they are
}

// rounding returns a function that rounds elements of the target, as the options say.
func (c comparison) rounding() (func(elements []byte) error, error) {
	if c.options.Digits == 0 && c.options.Mode == "" {
		return func([]byte) error { return nil }, nil
	}
	r, err := meaning.ParseRounding(cmp.Or(c.options.Mode, "BitGroom"), c.options.Digits)
	if err != nil {
		return nil, err
	}
	round, err := r.Of(c.to)
	if err != nil {
		return nil, r.Wrong("%w", err)
	}
	return round, nil
}

// compareMeanings decodes two descriptions and compares them.
func compareMeanings(from, to, options string) (found comparison, err error) {
	o := meaningOptions{Target: "the target"}
	if err := parseOptions(options, &o); err != nil {
		return found, err
	}
	rule, known := meaningRules[o.Rule]
	if !known {
		return found, invalidf("option rule %q: exact, values, nearest or clip", o.Rule)
	}
	found.target, found.options = o.Target, o
	if found.from, err = parseMeaning("from", from); err != nil {
		return found, err
	}
	if found.to, err = parseMeaning("to", to); err != nil {
		return found, err
	}
	found.conversion, err = meaning.Compare(found.from, found.to, rule)
	if refused := (*meaning.RefusedError)(nil); errors.As(err, &refused) {
		refused.Target = o.Target
	}
	return found, err
}

// parseMeaning decodes a description of a meaning; what names it in errors.
func parseMeaning(what, text string) (*meaning.Meaning, error) {
	var m meaningOf
	if err := decode([]byte(text), &m); err != nil {
		return nil, invalidf("%s: want a JSON object with dtype, fill, attrs and parent: %v", what, err)
	}
	t, err := dtype.Parse(m.DType)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var fill []byte
	if len(m.Fill) > 0 && string(m.Fill) != "null" {
		if fill, err = t.FromJSON(m.Fill); err != nil {
			return nil, fmt.Errorf("%s: fill: %w", what, err)
		}
	}
	of, err := meaning.Of(t, fill, m.Attrs, m.Parent)
	if err != nil {
		err = fmt.Errorf("%s: %w", what, err)
	}
	return of, err
}
