package transfer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"drx/dtype"
	"drx/internal/wording"
)

// ErrOption is in the errors of options that are impossible in general or for the file or the
// array, of names of dimensions and variables that do not exist, and of names that are taken by
// something of another kind.
var ErrOption = errors.New("wrong option")

// An Option is an option of an import or an export that an error speaks of. Each caller has a name
// of its own for it: a flag of a program, a keyword of Python. So errors keep options apart from
// their texts, and Rename gives them the names of the caller.
type Option struct {
	Name  string // as JSON has it: "as-stored" is AsStored
	Value any    // a string, a number, a list of these, or nil if the error speaks of the option alone
}

// String returns the option as the errors of this package have it: option memory=1024.
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

// option returns an option without a value.
func option(name string) Option { return Option{Name: name} }

// An OptionError says what is wrong with an option. It is an ErrOption.
type OptionError struct {
	Option Option
	Reason error // it may speak of other options
}

// Error returns the option, its value and the reason.
func (e *OptionError) Error() string { return e.Rename(Option.String) }

// Rename implements what the function Rename asks for.
func (e *OptionError) Rename(name func(Option) string) string {
	return name(e.Option) + ": " + Rename(e.Reason, name).Error()
}

// Is reports that the error is an ErrOption.
func (e *OptionError) Is(target error) bool { return target == ErrOption }

// Unwrap returns the reason.
func (e *OptionError) Unwrap() error { return e.Reason }

// wrong returns an OptionError.
func (o Option) wrong(format string, args ...any) error {
	return &OptionError{o, errorf(format, args...)}
}

// A wrongOptions is an ErrOption that is not about one option alone.
type wrongOptions struct{ error }

// Is reports that the error is an ErrOption.
func (e wrongOptions) Is(target error) bool { return target == ErrOption }

// Unwrap returns the underlying error.
func (e wrongOptions) Unwrap() error { return e.error }

// wrongOption returns an ErrOption that is not about one option alone. Among the arguments may be
// options.
func wrongOption(format string, args ...any) error { return wrongOptions{errorf(format, args...)} }

// A Text is a sentence for people that may speak of options.
type Text struct {
	format string
	args   []any
}

// textf returns a text. Among the arguments may be options, texts and errors that speak of options.
func textf(format string, args ...any) Text { return Text{format, args} }

// String returns the text with the names that options have in this package.
func (t Text) String() string { return t.Rename(Option.String) }

// Rename returns the text with other names of options.
func (t Text) Rename(name func(Option) string) string {
	args := make([]any, len(t.args))
	for i, arg := range t.args {
		switch arg := arg.(type) {
		case Option:
			args[i] = name(arg)
		case Text:
			args[i] = arg.Rename(name)
		case error:
			args[i] = Rename(arg, name)
		default:
			args[i] = arg
		}
	}
	return fmt.Errorf(t.format, args...).Error()
}

// A textError is an error whose text speaks of options.
type textError struct {
	text  Text
	wraps error // for Unwrap: what fmt.Errorf makes of the same
}

// errorf is fmt.Errorf for errors that speak of options, which are among the arguments.
func errorf(format string, args ...any) error {
	return &textError{textf(format, args...), fmt.Errorf(format, args...)}
}

// Error implements error.
func (e *textError) Error() string { return e.text.String() }

// Rename implements what the function Rename asks for.
func (e *textError) Rename(name func(Option) string) string { return e.text.Rename(name) }

// Unwrap returns the errors among the arguments.
func (e *textError) Unwrap() []error {
	switch w := e.wraps.(type) {
	case interface{ Unwrap() []error }:
		return w.Unwrap()
	case interface{ Unwrap() error }:
		if inner := w.Unwrap(); inner != nil {
			return []error{inner}
		}
	}
	return nil
}

// Rename returns an error of this package with other names of options, those of the caller: a
// program says --memory, Python says memory=. It wraps err. An error that speaks of no options is
// returned as it is.
func Rename(err error, name func(Option) string) error {
	if text, is := renamed(err, name); is {
		return wording.Reworded(text, err)
	}
	return err
}

// renamed returns the text of an error with other names of options, and whether it speaks of any.
// The text of an error that wraps others has theirs in it.
func renamed(err error, name func(Option) string) (text string, is bool) {
	if err == nil {
		return "", false
	}
	if e, ok := err.(interface {
		Rename(func(Option) string) string
	}); ok {
		return e.Rename(name), true
	}
	var wrapped []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		wrapped = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		wrapped = e.Unwrap()
	}
	text = err.Error()
	for _, inner := range wrapped {
		if other, speaks := renamed(inner, name); speaks {
			text, is = strings.Replace(text, inner.Error(), other, 1), true
		}
	}
	return text, is
}

// clipHint ends the error of a value that does not fit a type.
var clipHint = textf("%v takes the nearest value", option("clip"))

// asType returns the option As of an element type.
func asType(t dtype.DType) Option { return Option{"as", t.String()} }
