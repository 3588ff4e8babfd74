package transfer

import (
	"fmt"
	"slices"

	"drx/formats"
)

// A labelling is a coordinate of strings, which become labels.
type labelling struct {
	info   formats.Info
	labels []string
}

// labellings returns the coordinates of strings, by name: they become labels of the dimension in other variables. Labels
// must differ; other strings stay variables.
func (o *importer) labellings(f *importFile, vars []formats.Info) (map[string]labelling, error) {
	found := map[string]labelling{}
	for _, v := range vars {
		if v.Labels == nil || !isCoordinateVar(v) {
			continue
		}
		used := slices.ContainsFunc(vars, func(w formats.Info) bool { return w.Name != v.Name && slices.Contains(w.Dims, first(v.Dims)) })
		if !used || len(v.Labels) != v.Shape[0] || slices.Contains(v.Labels, "") {
			continue
		}
		labels, err := o.readStrings(f, v)
		if err != nil {
			return nil, err
		}
		found[v.Name] = labelling{v, labels}
	}
	return found, nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// readStrings reads a variable of strings.
func (o *importer) readStrings(f *importFile, v formats.Info) ([]string, error) {
	buf, err := o.readWhole(f, v)
	if err != nil {
		return nil, err
	}
	labels := make([]string, len(buf)/v.DType.Size())
	for i := range labels {
		n := int(v.DType.Float64(buf[i*v.DType.Size():]))
		if n < 0 || n >= len(v.Labels) {
			return nil, fmt.Errorf("%s: variable %s: element %d is string %d of %d: %w", f.name, v.Name, i, n, len(v.Labels), formats.ErrType)
		}
		labels[i] = v.Labels[n]
	}
	return labels, nil
}
