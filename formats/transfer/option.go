package transfer

import (
	"drx/dtype"
	"drx/optionerr"
)

// option returns an option, with its value if the error has it.
func option(name string, value ...any) optionerr.Option {
	o := optionerr.Option{Name: name}
	if len(value) > 0 {
		o.Value = value[0]
	}
	return o
}

// wrongOption returns an optionerr.ErrOption that is not about a single option. Arguments may be
// options.
func wrongOption(format string, args ...any) error {
	return optionerr.As(optionerr.Errorf(format, args...))
}

// textf returns a text. Arguments may be options, texts and errors that contain options.
func textf(format string, args ...any) optionerr.Text { return optionerr.Textf(format, args...) }

// errorf is fmt.Errorf for errors with options among their arguments.
func errorf(format string, args ...any) error { return optionerr.Errorf(format, args...) }

// clipHint ends the error of a value that does not fit a type.
var clipHint = textf("%v takes the nearest value", option("clip"))

// asType returns the option As with an element type as its value.
func asType(t dtype.DType) optionerr.Option { return option("as", t.String()) }
