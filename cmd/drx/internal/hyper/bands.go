package hyper

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"drx/cmd/drx/internal/cli"
	hyperscene "drx/hyper/scene"
)

// bandAttrs has the attributes of a scene about its bands, as imports of ENVI images write them. A
// field is nil if the attribute is missing.
type bandAttrs struct {
	bad            []int
	wavelengths    []float64
	unit           string
	gains, offsets []float64 // one per band; nil unless bands have an offset or differ in scale
}

// bandAttrsOf reads the attributes of a scene of n bands. The error names the attribute whose list
// has another length.
func bandAttrsOf(name string, attrs map[string]json.RawMessage, n int) (b bandAttrs, err error) {
	list := func(attr string) []float64 {
		numbers := attrNumbers(attrs[attr])
		if numbers != nil && len(numbers) != n && err == nil {
			err = fmt.Errorf("%s: attribute %s has %d numbers for %d bands: correct it with drx attr", cli.Printable(name), attr, len(numbers), n)
		}
		return numbers
	}
	for i, good := range list("bbl") {
		if good == 0 {
			b.bad = append(b.bad, i)
		}
	}
	unit := "wavelength_unit"
	if b.wavelengths = list("wavelengths"); b.wavelengths == nil {
		b.wavelengths, unit = list("wavelength"), "wavelength_units"
	}
	b.unit = hyperscene.LengthUnit(attrText(attrs[unit]))
	b.gains, b.offsets = attrNumbers(attrs["scale_factor"]), attrNumbers(attrs["add_offset"])
	b.spread(n)
	for attr, numbers := range map[string][]float64{"scale_factor": b.gains, "add_offset": b.offsets} {
		if numbers != nil && len(numbers) != n && err == nil {
			err = fmt.Errorf("%s: attribute %s has %d numbers for %d bands: correct it with drx attr", cli.Printable(name), attr, len(numbers), n)
		}
	}
	return b, err
}

// spread gives each of n bands a gain and an offset, if bands differ or have an offset. A factor
// common to all bands is left out, because it does not change the shape of a spectrum.
func (b *bandAttrs) spread(n int) {
	hasOffset := len(b.offsets) == 1 && b.offsets[0] != 0
	if len(b.gains) < 2 && len(b.offsets) < 2 && !hasOffset {
		b.gains, b.offsets = nil, nil
		return
	}
	for _, list := range []struct {
		numbers *[]float64
		usual   float64
	}{{&b.gains, 1}, {&b.offsets, 0}} {
		switch len(*list.numbers) {
		case 0:
			*list.numbers = slices.Repeat([]float64{list.usual}, n)
		case 1:
			*list.numbers = slices.Repeat(*list.numbers, n)
		}
	}
}

// use copies the attributes into the options, and returns a source that applies the gains and
// offsets of bands to src.
func (b bandAttrs) use(src hyperscene.Source, opts *hyperscene.Options) (hyperscene.Source, error) {
	opts.BadBands = append(opts.BadBands, b.bad...)
	if opts.Wavelengths == nil {
		opts.Wavelengths, opts.Unit = b.wavelengths, b.unit
	}
	if b.gains == nil {
		return src, nil
	}
	// NoData is compared with stored numbers, so the source must do it before it scales them.
	noData := opts.NoData
	opts.NoData = nil
	return hyperscene.Scaled(src, b.gains, b.offsets, noData)
}

// attrNumbers returns the numbers of an attribute: a number, a list of numbers or of texts, or a
// text such as "{1, 2}"; nil if it is anything else.
func attrNumbers(raw json.RawMessage) []float64 {
	var values []any
	if raw == nil {
		return nil
	}
	if json.Unmarshal(raw, &values) != nil {
		var one any
		if json.Unmarshal(raw, &one) != nil {
			return nil
		}
		values = []any{one}
		if text, ok := one.(string); ok {
			values = nil
			for _, part := range strings.Split(strings.Trim(strings.TrimSpace(text), "{}"), ",") {
				values = append(values, part)
			}
		}
	}
	var numbers []float64
	for _, v := range values {
		switch v := v.(type) {
		case float64:
			numbers = append(numbers, v)
		case string:
			x, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil {
				return nil
			}
			numbers = append(numbers, x)
		default:
			return nil
		}
	}
	return numbers
}

// attrText returns an attribute that is a text, or the first of a list of texts.
func attrText(raw json.RawMessage) string {
	var text string
	var list []string
	if json.Unmarshal(raw, &text) != nil && json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		text = list[0]
	}
	return text
}
