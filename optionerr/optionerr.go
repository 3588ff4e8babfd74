// Package optionerr has the errors of options. Each caller has a name of its own for an option: a
// flag of a program, a keyword of Python, a member of a JSON object. So errors keep options apart
// from their texts, and Rename gives them the names of the caller.
package optionerr

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrOption is in the errors of options that are impossible in general or for the data, of names of
// dimensions and variables that do not exist, and of names that are taken by something of another
// kind.
var ErrOption = errors.New("wrong option")

// An Option is an option that an error speaks of.
type Option struct {
	Name  string // of the library: "as-stored" is ImportOptions.AsStored
	Value any    // a string, a number, a list of these, or nil if the error speaks of the option alone
}

// String returns the option as the errors of libraries have it: option memory=1024.
func (o Option) String() string {
	if o.Value == nil {
		return "option " + o.Name
	}
	return "option " + o.Name + "=" + o.ValueText()
}

// ValueText returns the value as JSON.
func (o Option) ValueText() string {
	text, err := json.Marshal(o.Value)
	if err != nil { // never: it is made of texts and numbers
		return fmt.Sprint(o.Value)
	}
	return string(text)
}

// An Error says what is wrong with an option. It is an ErrOption.
type Error struct {
	Option string
	Value  any   // nil if the option itself is wrong
	Reason error // it may speak of other options
}

// Wrong returns an Error, whose reason is that of Errorf.
func Wrong(option string, value any, format string, args ...any) error {
	return &Error{option, value, Errorf(format, args...)}
}

// Error returns the option, its value and the reason.
func (e *Error) Error() string { return e.Rename(Option.String) }

// Rename implements what the function Rename asks for.
func (e *Error) Rename(name func(Option) string) string {
	return name(Option{e.Option, e.Value}) + ": " + Rename(e.Reason, name).Error()
}

// Is reports that the error is an ErrOption.
func (e *Error) Is(target error) bool { return target == ErrOption }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// An optionsError is an ErrOption that is not about one option alone.
type optionsError struct{ error }

// Is reports that the error is an ErrOption.
func (e optionsError) Is(target error) bool { return target == ErrOption }

// Unwrap returns the underlying error.
func (e optionsError) Unwrap() error { return e.error }

// As returns err as an ErrOption that is not about one option alone.
func As(err error) error { return optionsError{err} }
