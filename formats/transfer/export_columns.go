package transfer

import (
	"slices"
	"strings"

	"drx/internal/wording"
)

// asColumns leaves out the coordinates that the rows do not have, as bounds and grid mappings, with
// a note, and unpacks numbers: few programs that read columns know how they are packed.
func (o *exporter) asColumns(vars []exportVar) ([]exportVar, error) {
	if !o.isColumns() {
		return vars, nil
	}
	var dims []string
	for _, v := range vars {
		if !v.optional && len(v.info.Shape) > len(dims) {
			dims = v.info.Dims
		}
	}
	var without []string
	vars = slices.DeleteFunc(vars, func(v exportVar) bool {
		foreign := func(dim string) bool { return !slices.Contains(dims, dim) }
		if !v.optional || len(v.info.Shape) > 0 && !slices.ContainsFunc(v.info.Dims, foreign) {
			return false
		}
		without = append(without, wording.Printable(v.info.Name))
		return true
	})
	if len(without) > 0 {
		o.printNote("a table has the coordinates of its points: without %s", strings.Join(without, ", "))
	}
	for i := range vars {
		v := &vars[i]
		if o.AsStored || v.conversion != nil || v.elements != nil || v.info.Labels != nil {
			continue
		}
		s, err := newScaling(v.info)
		if err != nil {
			return nil, err
		}
		if s != nil {
			v.info, v.unpack = s.apply(v.info), s
		}
	}
	return vars, nil
}
