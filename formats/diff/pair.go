package diff

import (
	"slices"
	"strings"

	"drx/formats"
	"drx/formats/transfer"
	"drx/optionerr"
)

// A pair is a variable of A and its counterpart in B.
type pair struct{ a, b formats.Info }

// pair pairs the variables of both files by name, and records those that only one file has. If each
// file has a single variable besides coordinates, these are paired whatever their names: a format
// may name the variable after the file.
func (d *differ) pair(r *Result) (pairs []pair, err error) {
	as, bs := d.chosen(readable(d.a.Content())), d.chosen(readable(d.b.Content()))
	one, other := onlyData(as), onlyData(bs)
	find := func(v formats.Info) int {
		return slices.IndexFunc(bs, func(w formats.Info) bool {
			if one >= 0 && other >= 0 && (v.Name == as[one].Name || w.Name == bs[other].Name) {
				return v.Name == as[one].Name && w.Name == bs[other].Name
			}
			return w.Name == v.Name
		})
	}
	var found []string
	for _, v := range as {
		if i := find(v); i >= 0 {
			pairs, found = append(pairs, pair{v, bs[i]}), append(found, bs[i].Name)
		} else if !d.ignores(v) {
			r.OnlyA = append(r.OnlyA, v.Name)
		}
	}
	for _, w := range bs {
		if !slices.Contains(found, w.Name) && !d.ignores(w) {
			r.OnlyB = append(r.OnlyB, w.Name)
		}
	}
	for _, name := range d.Vars {
		is := func(v formats.Info) bool { return v.Name == strings.TrimPrefix(name, "/") }
		if !slices.ContainsFunc(as, is) && !slices.ContainsFunc(bs, is) {
			return nil, optionerr.Wrong("var", name, "neither %s nor %s has such a variable", r.A, r.B)
		}
	}
	return pairs, nil
}

// chosen returns the variables that are to be compared.
func (d *differ) chosen(vars []formats.Info) []formats.Info {
	if len(d.Vars) == 0 {
		return vars
	}
	return slices.DeleteFunc(vars, func(v formats.Info) bool {
		return !slices.ContainsFunc(d.Vars, func(name string) bool { return strings.TrimPrefix(name, "/") == v.Name })
	})
}

// ignores reports whether a variable does not count as a difference although only one file has it.
func (d *differ) ignores(v formats.Info) bool { return d.Data && transfer.IsCoordinate(v) }

// onlyData returns the index of the only variable that is not a coordinate, or -1 if there are
// several.
func onlyData(vars []formats.Info) int {
	found := -1
	for i, v := range vars {
		if transfer.IsCoordinate(v) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// compareGroups compares the attributes of the files, their groups, and the attributes of the
// groups.
func (d *differ) compareGroups(r *Result) {
	a, b := d.a.Content(), d.b.Content()
	r.Attrs = append(r.Attrs, differentAttrs("", a.Attrs, b.Attrs)...)
	for _, name := range sortedKeys(a.Groups, b.Groups) {
		if name == "" {
			continue
		}
		x, inA := a.Groups[name]
		y, inB := b.Groups[name]
		switch {
		case len(x) == 0 && len(y) == 0: // a group without attributes is no difference
		case !inB:
			r.OnlyA = append(r.OnlyA, name+"/")
		case !inA:
			r.OnlyB = append(r.OnlyB, name+"/")
		default:
			r.Attrs = append(r.Attrs, differentAttrs(name+"/", x, y)...)
		}
	}
}
