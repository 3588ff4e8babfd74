package transfer

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drx"
	"drx/formats"
	"drx/internal/errkind"
	"drx/internal/wording"
	"drx/optionerr"
)

// A choice is the set of variables of a file that are imported.
type choice struct {
	vars    []formats.Info
	refused []Refusal
}

// choose returns the variables of the option Vars, with their coordinates, or all that can be
// imported.
func (o *planner) choose(f *importFile) (c choice, err error) {
	for _, name := range o.Vars {
		if !slices.ContainsFunc(f.content.Vars, func(v formats.Info) bool { return v.Name == name }) {
			return c, optionerr.Wrong("var", name, "%s has no such variable: it has %s", f.name, listVars(f.content.Vars))
		}
	}
	if err := o.checkCoordinate(f); err != nil {
		return c, err
	}
	wanted := func(v formats.Info) bool { return len(o.Vars) == 0 || slices.Contains(o.Vars, v.Name) }
	dims, mappings := map[string]bool{}, map[string]bool{}
	for _, v := range f.content.Vars {
		if wanted(v) {
			for _, dim := range v.Dims {
				dims[dim] = true
			}
			for name := range namedVars([]formats.Info{v}, "grid_mapping") {
				mappings[path.Join(path.Dir(v.Name), name)] = true
			}
		}
	}
	for _, v := range f.content.Vars {
		chosen := wanted(v) || !o.Alone && (isCoordinateVar(v) && dims[v.Dims[0]] || mappings[v.Name]) || o.Coordinate != "" && v.Name == o.Coordinate || o.Append != "" && len(v.Shape) == 0 && v.Name == o.Append
		switch {
		case !chosen:
		case v.Refused == "":
			c.vars = append(c.vars, v)
		case slices.Contains(o.Vars, v.Name):
			return c, fmt.Errorf("%s: %s%w", f.name, inVariable(v), refusal(v))
		case v.Damaged:
			return c, errorf("%s: %s%w, or choose whole variables with %v", f.name, inVariable(v), refusal(v), option("var"))
		default:
			c.refused = append(c.refused, Refusal{v.Name, v.Refused})
		}
	}
	if c, err = o.leaveOutNames(f, c); err != nil || len(c.vars) > 0 {
		return c, err
	}
	if len(c.refused) > 0 {
		return c, errkind.Errorf(formats.ErrType, "%s: no variable can be imported; %s: %s", f.name, c.refused[0].Name, c.refused[0].Reason)
	}
	return c, errkind.Errorf(formats.ErrVariable, "%s: has no variables, only attributes, so there is nothing to import", f.name)
}

// leaveOutNames leaves out the variables whose names a dataset cannot have. It keeps an only
// variable, which becomes an array with the name of DST.
func (o *planner) leaveOutNames(f *importFile, c choice) (choice, error) {
	if len(c.vars) < 2 {
		return c, nil
	}
	kept := choice{refused: c.refused}
	for _, v := range c.vars {
		reason := o.wrongName(v.Name)
		switch {
		case reason == "":
			kept.vars = append(kept.vars, v)
		case slices.Contains(o.Vars, v.Name):
			return c, wrongOption("%s: variable %s: %s; import it alone, as an array", f.name, wording.Printable(v.Name), reason)
		default:
			kept.refused = append(kept.refused, Refusal{v.Name, reason + "; import it alone, as an array"})
		}
	}
	return kept, nil
}

// maxName is the longest part of a name, in bytes. File systems allow 255, and the files of an
// array have extensions.
const maxName = 240

// wrongName returns why a dataset cannot have a variable of a name, or "".
func (o *planner) wrongName(name string) string {
	if o.oneFile && (!utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl)) {
		return "its name has a character that names in a file with several arrays cannot have"
	}
	for _, part := range strings.Split(name, "/") {
		switch {
		case part == "" || strings.HasPrefix(part, "."):
			return "a variable's name must not be empty or begin with a dot"
		case len(part) > maxName:
			return fmt.Sprintf("its name has %d bytes; the limit is %d", len(part), maxName)
		case drx.BaseName(part) != part || strings.HasSuffix(part, drx.OneFileExt):
			return "its name ends as those of an array's files do"
		case strings.ContainsRune(part, 0):
			return "its name has a zero byte"
		}
	}
	return ""
}

// refusal returns why a variable cannot be imported. A file that is damaged is never imported in
// part unless the option Vars asks for it.
func refusal(v formats.Info) error {
	if v.Damaged {
		return fmt.Errorf("%s; the file is cut off or damaged: get it again", v.Refused)
	}
	return errkind.Errorf(formats.ErrType, "%s", v.Refused)
}

// checkCoordinate returns an error if the variable of the option Coordinate cannot be the
// coordinate of the dimension that grows.
func (o *planner) checkCoordinate(f *importFile) error {
	if o.Coordinate == "" {
		return nil
	}
	found := false
	for _, v := range f.content.Vars {
		switch {
		case path.Dir(v.Name) == path.Dir(o.Coordinate) && path.Base(v.Name) == o.Append:
			return optionerr.Wrong("coordinate", o.Coordinate, "%s has the variable %s, which is the coordinate of %s already", f.name, v.Name, o.Append)
		case v.Name != o.Coordinate:
		case v.Refused != "":
			return errkind.Errorf(formats.ErrType, "%s: %s%s", f.name, inVariable(v), v.Refused)
		case len(v.Shape) > 1 || len(v.Shape) == 1 && ownDims(v)[0] != o.Append:
			return optionerr.Wrong("coordinate", o.Coordinate, "has shape %s in %s: want a scalar, or a variable of the dimension %s alone", wording.Shape(v.Shape), f.name, o.Append)
		default:
			found = true
		}
	}
	if !found {
		return optionerr.Wrong("coordinate", o.Coordinate, "%s has no such variable: it has %s", f.name, listVars(f.content.Vars))
	}
	return nil
}
