package cformat

import (
	"fmt"
	"strings"

	"drx/formats"
)

// A Catalog lists the contents of a file. V is a package's description of a variable.
type Catalog[V Variable] struct {
	Vars   []V
	Attrs  map[string]any
	Groups map[string]map[string]any
	byName map[string]V // made by the first Find
}

// A Variable is a variable in a catalog.
type Variable interface {
	// Describe returns the description of the variable, and the reason if it cannot be read.
	Describe() (info *formats.Info, refused error)
}

// Add adds a variable; one that cannot be read is listed with the reason.
func (c *Catalog[V]) Add(v V) {
	if info, err := v.Describe(); err != nil {
		info.Refuse(err)
	}
	c.Vars = append(c.Vars, v)
}

// Find returns the variable with a name or, if name is empty, the only variable that can be read.
// The error wraps formats.ErrVariable and lists the variables that can be read. If none can be
// read, Find returns the first, whose description holds the reason.
func (c *Catalog[V]) Find(name string) (found V, err error) {
	if c.byName == nil {
		c.byName = map[string]V{}
		for _, v := range c.Vars {
			info, _ := v.Describe()
			c.byName[info.Name] = v
		}
	}
	if v, known := c.byName[name]; known && name != "" {
		return v, nil
	}
	var readable []string
	for _, v := range c.Vars {
		if info, _ := v.Describe(); info.Refused == "" {
			readable, found = append(readable, info.Name), v
		}
	}
	switch {
	case name != "":
		return found, fmt.Errorf("%q: %w: the file has %s", name, formats.ErrVariable, listed(readable))
	case len(readable) == 1:
		return found, nil
	case len(c.Vars) == 0:
		return found, fmt.Errorf("%w: the file has no variables", formats.ErrVariable)
	case len(readable) == 0:
		return c.Vars[0], nil
	}
	return found, fmt.Errorf("%w: name one, the file has %s", formats.ErrVariable, listed(readable))
}

// listed joins names for an error message, and cuts a long list short.
func listed(names []string) string {
	const most = 10
	switch {
	case len(names) == 0:
		return "none that can be read"
	case len(names) > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// Content returns the catalog as formats.Format.List does.
func (c *Catalog[V]) Content() formats.Content {
	out := formats.Content{Attrs: c.Attrs, Groups: c.Groups}
	for _, v := range c.Vars {
		info, _ := v.Describe()
		out.Vars = append(out.Vars, *info)
	}
	if len(out.Groups) == 0 {
		out.Groups = nil
	}
	return out
}
