package cube

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"drx"
	"drx/dataset/cftime"
	"drx/internal/errkind"
	"drx/nd"
)

// levelPrefix begins the names of attributes that hold a level of a dimension: an object with the
// group of each label, as docs/LABELS.md specifies.
const levelPrefix = "levels/"

// LevelAttr returns the name of the attribute that holds a level of a dimension.
func LevelAttr(dim int, name string) string {
	return levelPrefix + strconv.Itoa(dim) + "/" + name
}

// LevelOf returns the dimension and the name of the level that an attribute holds; ok is false for
// another attribute.
func LevelOf(attr string) (dim int, name string, ok bool) {
	rest, ok := strings.CutPrefix(attr, levelPrefix)
	number, name, named := strings.Cut(rest, "/")
	dim, err := strconv.Atoi(number)
	return dim, name, ok && named && err == nil && dim >= 0 && name != "" && LevelAttr(dim, name) == attr
}

// Levels returns the names of the levels of a dimension, in alphabetical order.
func (c *Cube) Levels(dim int) (names []string) {
	for attr := range c.a.Attrs() {
		if d, name, ok := LevelOf(attr); ok && d == dim {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Level returns the group of each label at a level of a dimension. A label may be missing, or have
// the empty group, which is none. The error wraps ErrLabel if there is no such level, drx.ErrRank
// if there is no such dimension, or drx.ErrCorrupt.
func (c *Cube) Level(dim int, name string) (groups map[string]string, err error) {
	if err := c.checkDim(dim); err != nil {
		return nil, err
	}
	found, err := c.a.Attr(LevelAttr(dim, name), &groups)
	if err != nil {
		return nil, errkind.Errorf(drx.ErrCorrupt, "attribute %s: want the group of each label", LevelAttr(dim, name))
	}
	if !found {
		has := "it has none"
		if names := c.Levels(dim); len(names) > 0 {
			has = "it has " + strings.Join(names, ", ")
		}
		return nil, errkind.Errorf(ErrLabel, "dimension %s has no level %q: %s", c.dimName(dim), name, has)
	}
	return groups, nil
}

// SetLevel sets the group of each label at a level of a dimension, as item to category. Labels that
// the dimension does not have are kept for later; without groups the level is deleted. The next
// Sync of the array makes it durable. The error wraps ErrLabel for a name that CheckLevelName
// refuses, drx.ErrRank if there is no such dimension, or is that of drx.Array.SetAttr.
func (c *Cube) SetLevel(dim int, name string, groups map[string]string) error {
	if err := c.checkDim(dim); err != nil {
		return err
	}
	if len(groups) == 0 {
		return c.a.DeleteAttr(LevelAttr(dim, name))
	}
	if err := checkLevelName(c.a, name); err != nil {
		return fmt.Errorf("level %q of dimension %s: %w", name, c.dimName(dim), err)
	}
	return c.a.SetAttr(LevelAttr(dim, name), maps.Clone(groups))
}

// signsInGroups are the signs around the names of levels in lists of groups and in selections.
const signsInGroups = "/=.,:"

// checkLevelName returns an ErrLabel for a name that a level cannot have, because programs that
// group or select would not distinguish it from another.
func checkLevelName(a *drx.Array, name string) error {
	switch {
	case name == "" || strings.ContainsAny(name, signsInGroups):
		return errkind.Errorf(ErrLabel, "want a name, not empty and without the signs %s", strings.Join(strings.Split(signsInGroups, ""), " "))
	case slices.Contains(a.Dims(), name):
		return errkind.Errorf(ErrLabel, "a dimension has this name: want another")
	case slices.Contains(cftime.PartNames, name):
		return errkind.Errorf(ErrLabel, "parts of dates are grouped by this name, as by %s: want another", strings.Join(cftime.PartNames, ", "))
	}
	return nil
}

// CheckDimName returns an error that wraps ErrLabel if a level of an array has a name, which a
// dimension then cannot have.
func CheckDimName(a *drx.Array, name string) error {
	for attr := range a.Attrs() {
		if dim, level, ok := LevelOf(attr); ok && level == name {
			return errkind.Errorf(ErrLabel, "%s: dimension %d has a level named %s: want another name, or delete the level before", a.Name(), dim, name)
		}
	}
	return nil
}

// permutedLevel is PermutedAttr for levels.
func permutedLevel(attr string, order nd.Order) string {
	dim, name, ok := LevelOf(attr)
	if d := slices.Index(order, dim); ok && d >= 0 {
		return LevelAttr(d, name)
	}
	return attr
}

// checkLevel checks an attribute whose name begins as those of levels.
func checkLevel(a *drx.Array, attr string) error {
	var groups map[string]string
	dim, name, ok := LevelOf(attr)
	if _, err := a.Attr(attr, &groups); err != nil || !ok || dim >= a.Rank() {
		return errkind.Errorf(ErrLabel, "%s: attribute %q: want levels/DIM/NAME, and an object with the group of each label as text", a.Name(), attr)
	}
	if err := checkLevelName(a, name); err != nil {
		return fmt.Errorf("%s: attribute %q: %w", a.Name(), attr, err)
	}
	return nil
}
