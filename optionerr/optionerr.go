// Package optionerr has the errors about options. Each caller has another name for an option: a
// flag of a program, a keyword of Python, a member of a JSON object. So errors hold options
// separately from their texts, and Rename inserts the names of the caller.
package optionerr

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrOption is wrapped by errors for options that are impossible in general or for the data, for
// names of dimensions and variables that do not exist, and for names that something of another kind
// has.
var ErrOption = errors.New("wrong option")

// An Option is an option that an error mentions.
type Option struct {
	Name  string // name in the library: "as-stored" is ImportOptions.AsStored
	Value any    // a string, a number, a list of these, or nil to mention only the option
}

// String returns the option as it appears in errors of libraries: option memory=1024.
func (o Option) String() string {
	if o.Value == nil {
		return "option " + o.Name
	}
	return "option " + o.Name + "=" + o.ValueText()
}

// ValueText returns the value as JSON.
func (o Option) ValueText() string {
	text, err := json.Marshal(o.Value)
	if err != nil { // never: it consists of texts and numbers
		return fmt.Sprint(o.Value)
	}
	return string(text)
}

// An Error is an error about the value of an option. It is an ErrOption.
type Error struct {
	Option string
	Value  any   // nil if the error is about the option itself
	Reason error // may mention other options
}

// Wrong returns an Error whose reason is Errorf of the format and the arguments.
func Wrong(option string, value any, format string, args ...any) error {
	return &Error{option, value, Errorf(format, args...)}
}

// Error returns the option, its value and the reason.
func (e *Error) Error() string { return e.Rename(Option.String) }

// Rename returns the text with other names of options, as the function Rename requires.
func (e *Error) Rename(name func(Option) string) string {
	return name(Option{e.Option, e.Value}) + ": " + Rename(e.Reason, name).Error()
}

// Is reports that the error is an ErrOption.
func (e *Error) Is(target error) bool { return target == ErrOption }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// An optionsError is an ErrOption that is not about a single option.
type optionsError struct{ error }

// Is reports that the error is an ErrOption.
func (e optionsError) Is(target error) bool { return target == ErrOption }

// Unwrap returns the underlying error.
func (e optionsError) Unwrap() error { return e.error }

// As returns err as an ErrOption that is not about a single option.
func As(err error) error { return optionsError{err} }
