package transfer

import (
	"maps"
	"slices"

	"drx/formats"
	"drx/internal/wording"
)

// roundVars sets the rounding of data that are exported with the option Digits or Bits.
func (o *exporter) roundVars(vars []exportVar) error {
	if o.rounding.IsNone() {
		return nil
	}
	some := false
	for i := range vars {
		v := &vars[i]
		if v.optional || v.elements != nil || v.values != nil || v.info.Labels != nil || isCoordinateVar(v.info) {
			continue
		}
		if !isFloating(v.info.DType) && len(vars) > 1 && !slices.Contains(o.Vars, v.info.Name) {
			o.printNote("%s: is %v, and not rounded", wording.Printable(v.info.Name), v.info.DType)
			continue
		}
		round, n, err := roundingOf(o.rounding, v.info)
		if err != nil {
			return err
		}
		if v.info.Attrs = maps.Clone(v.info.Attrs); v.info.Attrs == nil {
			v.info.Attrs = map[string]any{}
		}
		v.info.Attrs[o.rounding.Attr()], v.round, some = n, round, true
	}
	if !some {
		return o.rounding.Wrong("%s has no variable of floating-point numbers that could be rounded", o.src)
	}
	return nil
}

// checkRounding returns an error unless a variable is rounded in the same way as that of the file
// to which it is appended.
func (o *exporter) checkRounding(v exportVar, file formats.Info) error {
	if v.round == nil {
		return nil
	}
	attrs, err := rawAttrs(file.Attrs)
	if err == nil && !o.rounding.IsIn(attrs) {
		err = o.rounding.Wrong("the variable is not rounded so in the file, as its attribute %s would say: leave the option out", o.rounding.Attr())
	}
	return err
}
