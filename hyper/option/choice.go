package option

import (
	"strings"

	"drx/optionerr"
)

// A Choice describes a method to users. A method embeds it.
type Choice struct {
	Name string // as users write it, such as fcls
	Help string // what it does, in a line
}

// String returns the name.
func (c Choice) String() string { return c.Name }

// choice makes the types that embed Choice a Chooser.
func (c Choice) choice() Choice { return c }

// A Chooser is a type that embeds Choice.
type Chooser interface{ choice() Choice }

// Choices returns the choices of a list of methods.
func Choices[T Chooser](list []T) []Choice {
	choices := make([]Choice, len(list))
	for i, m := range list {
		choices[i] = m.choice()
	}
	return choices
}

// Names returns the names of a list of methods.
func Names[T Chooser](list []T) []string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.choice().Name
	}
	return names
}

// Find returns the method with the given name from a list. The error is an *optionerr.Error for the
// option what.
func Find[T Chooser](what string, list []T, name string) (found T, err error) {
	for _, m := range list {
		if m.choice().Name == name {
			return m, nil
		}
	}
	return found, optionerr.Wrong(what, name, "want %s", strings.Join(Names(list), ", "))
}
