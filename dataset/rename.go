package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"drx"
	"drx/cube"
	"drx/internal/errkind"
)

// Rename renames a variable, a dimension, or both if both have the name, as for a coordinate. to is
// in the same group, with or without the path of the group. Attributes of all variables that
// mention the name follow: coordinates, ancillary_variables, bounds, climatology, grid_mapping,
// formula_terms, cell_measures and cell_methods. Rename first commits all changes so far, as Sync
// does, and closes the variables, as Release does. Readers see the new names at one moment, and the
// attributes when Rename returns; after a crash the next writer completes the renaming.
//
// The error wraps ErrVariable if there is no variable or dimension of the name, fs.ErrExist if the
// new name is taken, fs.ErrInvalid for an invalid new name, or is that of Sync. After another error
// the dataset has the new names, and the next writer completes the renaming.
func (d *Dataset) Rename(from, to string) error {
	from = strings.TrimPrefix(variableOf(from), "/")
	err := d.check(true)
	var r renaming
	if err == nil {
		r, err = d.planRenaming(from, to)
	}
	if err == nil {
		err = d.Release()
	}
	if err == nil {
		err = d.setRenaming(r)
	}
	if err == nil {
		err = d.completeRenaming()
	}
	if err == nil {
		d.scan, err = readCatalogue(d.folder)
	}
	if err != nil {
		return fmt.Errorf("%s: rename %s to %s: %w", d.folder, from, to, err)
	}
	return nil
}

// planRenaming checks that a renaming is possible and returns its changes.
func (d *Dataset) planRenaming(from, to string) (r renaming, err error) {
	group, _ := split(from)
	if own := strings.TrimPrefix(to, "/"); !strings.Contains(own, "/") {
		to = path.Join(group, own)
	} else {
		to = own
	}
	toGroup, own := split(to)
	isVariable, dim := d.scan.vars[from] != nil, d.scan.dims[from]
	switch {
	case !isVariable && dim == nil:
		return r, errkind.Errorf(ErrVariable, "no variable or dimension %s exists: %s", from, d.listVariables())
	case toGroup != group:
		return r, errkind.Errorf(fs.ErrInvalid, "a name is changed within its group, %q", group)
	case own == "" || own == "." || own == ".." || hidden(own) || strings.HasSuffix(own, drx.OneFileExt) || to == from:
		return r, errkind.Errorf(fs.ErrInvalid, "want another name, not empty, without a dot at the beginning and without %s", drx.OneFileExt)
	case isVariable && d.scan.vars[to] != nil, isVariable && d.hasGroup(to):
		return r, errkind.Errorf(fs.ErrExist, "there is a variable or a group of the new name")
	case dim != nil && d.scan.dims[to] != nil:
		return r, errkind.Errorf(fs.ErrExist, "there is a dimension of the new name")
	}
	if isVariable {
		exists, err := drx.Exists(d.path(to))
		if err != nil || exists {
			return r, errors.Join(err, fs.ErrExist)
		}
	}
	r = renaming{From: from, To: to, Variable: isVariable, Dims: map[string][]int{}, Attrs: map[string]map[string]json.RawMessage{}}
	for name, v := range d.scan.vars {
		if v.err != nil {
			return r, fmt.Errorf("variable %s cannot be opened, and may have the name: %w", name, v.err)
		}
		for i, full := range v.dims {
			if dim != nil && full == from {
				r.Dims[name] = append(r.Dims[name], i)
			}
		}
		if dim != nil && len(r.Dims[name]) > 0 && slices.Contains(v.own, own) {
			return r, errkind.Errorf(fs.ErrExist, "variable %s has a dimension of the new name", name)
		}
		if changed, err := d.renamedAttrs(name, r); err != nil {
			return r, err
		} else if len(changed) > 0 {
			r.Attrs[name] = changed
		}
	}
	return r, nil
}

// renamedAttrs returns the attributes of a variable that a renaming changes.
func (d *Dataset) renamedAttrs(name string, r renaming) (map[string]json.RawMessage, error) {
	v, err := d.Variable(name)
	if err != nil {
		return nil, err
	}
	if _, own := split(r.To); len(r.Dims[name]) > 0 {
		if err := cube.CheckDimName(v.a, own); err != nil {
			return nil, err
		}
	}
	attrs, changed := v.a.Attrs(), map[string]json.RawMessage{}
	_, was := split(r.From)
	_, is := split(r.To)
	if home := attrs[HomeAttr+was]; home != nil && len(r.Dims[name]) > 0 {
		changed[HomeAttr+was] = nil
		if changed[HomeAttr+is], err = encodeAttr(HomeAttr+is, r.To); err != nil {
			return nil, err
		}
	}
	for attr, words := range namingAttrs {
		var text string
		if json.Unmarshal(attrs[attr], &text) != nil { // no text names nothing
			continue
		}
		means := func(word string) bool { return d.scan.means(name, word) == r.From || word == r.From }
		if now := words(text, means, is); now != text {
			if changed[attr], err = encodeAttr(attr, now); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// means returns the variable or dimension to which a word in an attribute refers: the one in the
// group of the variable, or in the nearest enclosing group.
func (c *catalogue) means(variable, word string) string {
	group, _ := split(variable)
	v := c.vars[variable]
	if i := slices.Index(v.own, word); i >= 0 {
		return v.dims[i]
	}
	for {
		full := path.Join(group, word)
		if c.vars[full] != nil || c.dims[full] != nil || group == "" {
			return full
		}
		group, _ = split(group)
	}
}

// namingAttrs are the CF attributes that mention variables or dimensions, each with the function
// that replaces a name in its text.
var namingAttrs = map[string]func(text string, means func(word string) bool, to string) string{
	"coordinates": replaceWords, "ancillary_variables": replaceWords, "bounds": replaceWords, "climatology": replaceWords,
	"grid_mapping": replaceWords, "formula_terms": replaceTerms, "cell_measures": replaceTerms, "cell_methods": replaceMethods,
}

// replaceWords replaces words. A word may end in a colon, like the grid mappings of an extended
// grid_mapping.
func replaceWords(text string, means func(word string) bool, to string) string {
	return eachWord(text, func(word string) string {
		bare := strings.TrimSuffix(word, ":")
		if !means(bare) {
			return word
		}
		return renamedWord(bare, to) + word[len(bare):]
	})
}

// replaceTerms replaces the variables in pairs of a term, which ends in a colon, and a variable.
func replaceTerms(text string, means func(word string) bool, to string) string {
	return eachWord(text, func(word string) string {
		if strings.HasSuffix(word, ":") || !means(word) {
			return word
		}
		return renamedWord(word, to)
	})
}

// replaceMethods replaces the names before cell methods, which end in a colon. Text in parentheses
// remains.
func replaceMethods(text string, means func(word string) bool, to string) string {
	depth := 0
	return eachWord(text, func(word string) string {
		inside := depth > 0 || strings.HasPrefix(word, "(")
		depth += strings.Count(word, "(") - strings.Count(word, ")")
		bare := strings.TrimSuffix(word, ":")
		if inside || bare == word || !means(bare) {
			return word
		}
		return renamedWord(bare, to) + ":"
	})
}

// renamedWord replaces the last part of a word, which may have the path of a group.
func renamedWord(word, to string) string {
	if i := strings.LastIndex(word, "/"); i >= 0 {
		return word[:i+1] + to
	}
	return to
}

// eachWord replaces the words of a text and keeps the white space between them.
func eachWord(text string, f func(word string) string) string {
	var b strings.Builder
	for len(text) > 0 {
		n := strings.IndexAny(text, " \t\n")
		if n < 0 {
			n = len(text)
		}
		if n > 0 {
			b.WriteString(f(text[:n]))
		} else {
			n = 1
			b.WriteString(text[:1])
		}
		text = text[n:]
	}
	return b.String()
}

// RenameDim renames a dimension of an array that belongs to no dataset; the new name may be empty.
// The attribute cell_methods follows. Both become durable with the next Sync. The error is that of
// drx.Array.RenameDim, or wraps cube.ErrLabel if a level has the new name.
func RenameDim(a *drx.Array, dim int, to string) error {
	was := ""
	if dim >= 0 && dim < a.Rank() {
		was = a.Dims()[dim]
	}
	if err := cube.CheckDimName(a, to); err != nil {
		return err
	}
	if err := a.RenameDim(dim, to); err != nil {
		return err
	}
	var methods string
	if has, err := a.Attr("cell_methods", &methods); !has || err != nil || was == "" || to == "" {
		return nil //nolint:nilerr // what is no text names nothing
	}
	now := replaceMethods(methods, func(word string) bool { return word == was }, to)
	if now == methods {
		return nil
	}
	return a.SetAttr("cell_methods", now)
}
