package optionerr

import (
	"fmt"
	"strings"

	"drx/internal/wording"
)

// A Text is a sentence for people that may mention options.
type Text struct {
	format string
	args   []any
}

// Textf returns a text. Its arguments may include options, texts, and errors that mention options.
func Textf(format string, args ...any) Text { return Text{format, args} }

// String returns the text with the names that options have in libraries.
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

// A textError is an error whose text mentions options.
type textError struct {
	text  Text
	wraps error // for Unwrap: the result of fmt.Errorf for the same arguments
}

// Errorf is fmt.Errorf for errors whose arguments include options.
func Errorf(format string, args ...any) error {
	return &textError{Textf(format, args...), fmt.Errorf(format, args...)}
}

// Error implements error.
func (e *textError) Error() string { return e.text.String() }

// Rename returns the text with other names of options, as the function Rename requires.
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

// Rename returns an error with the caller's names of options in place of those of String: a program
// says --memory, Python says memory=. The result wraps err. An error that mentions no options is
// returned unchanged.
func Rename(err error, name func(Option) string) error {
	if text, is := renamed(err, name); is {
		return wording.Reworded(text, err)
	}
	return err
}

// renamed returns the text of an error with other names of options, and whether it mentions any.
// The text of an error that wraps others contains theirs.
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
