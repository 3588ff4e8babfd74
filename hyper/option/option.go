// Package option describes the options of methods, so that programs can offer them by name.
package option

import (
	"fmt"
	"reflect"
	"strconv"

	"drx/optionerr"
)

// An Option describes one option of a method and is bound to the variable that holds its value.
type Option struct {
	Name string // as users write it, such as max-window
	// Help describes the value in a phrase. The word for the value is in back quotes.
	Help string
	// Zero describes the meaning of 0 if it is not an ordinary number, such as "until it
	// converges".
	Zero string
	// Value is a *int, *uint64 or *float64.
	Value any
	// Least is the smallest value other than 0, which always means the default. Odd restricts
	// values to odd ones.
	Least float64
	Odd   bool
}

// Text returns the value as text, which Set accepts.
func (o Option) Text() string {
	switch v := o.Value.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	panic(fmt.Sprintf("option %s is a %T", o.Name, o.Value))
}

// value returns the number.
func (o Option) value() any { return reflect.ValueOf(o.Value).Elem().Interface() }

// Set sets the value from text. The error is an *optionerr.Error.
func (o Option) Set(text string) (err error) {
	switch v := o.Value.(type) {
	case *int:
		*v, err = strconv.Atoi(text)
	case *uint64:
		*v, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*v, err = strconv.ParseFloat(text, 64)
	}
	if err != nil {
		return optionerr.Wrong(o.Name, text, "want a number")
	}
	return o.check()
}

// check returns an *optionerr.Error for a value out of the limits.
func (o Option) check() error {
	v, err := strconv.ParseFloat(o.Text(), 64)
	if err == nil && (v == 0 || v >= o.Least && (!o.Odd || int(v)%2 == 1)) {
		return nil
	}
	kind := ""
	if o.Odd {
		kind = "an odd number, "
	}
	return optionerr.Wrong(o.Name, o.value(), "want %sat least %g", kind, o.Least)
}

// Check returns an *optionerr.Error for the first option whose value is out of its limits.
func Check(list []Option) error {
	for _, o := range list {
		if err := o.check(); err != nil {
			return err
		}
	}
	return nil
}
