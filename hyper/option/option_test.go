package option_test

import (
	"errors"
	"testing"

	"drx/hyper/option"
	"drx/optionerr"
)

func TestSet(t *testing.T) {
	var n int
	var seed uint64
	var x float64
	window := option.Option{Name: "window", Value: &n, Least: 3, Odd: true}
	for _, c := range []struct {
		o          option.Option
		text, want string // the error
	}{
		{window, "5", ""},
		{window, "0", ""},
		{window, "4", "option window=4: want an odd number, at least 3"},
		{window, "1", "option window=1: want an odd number, at least 3"},
		{window, "-3", "option window=-3: want an odd number, at least 3"},
		{window, "x", `option window="x": want a number`},
		{option.Option{Name: "seed", Value: &seed}, "18446744073709551615", ""},
		{option.Option{Name: "seed", Value: &seed}, "-1", `option seed="-1": want a number`},
		{option.Option{Name: "weight", Value: &x}, "0.25", ""},
		{option.Option{Name: "weight", Value: &x}, "-0.25", "option weight=-0.25: want at least 0"},
		{option.Option{Name: "weight", Value: &x}, "NaN", "option weight=NaN: want at least 0"},
	} {
		err := c.o.Set(c.text)
		if c.want == "" {
			if err != nil || c.o.Text() != c.text || option.Check([]option.Option{c.o}) != nil {
				t.Errorf("%s %s: value %s, error %v", c.o.Name, c.text, c.o.Text(), err)
			}
			continue
		}
		var e *optionerr.Error
		if !errors.As(err, &e) || e.Option != c.o.Name || err.Error() != c.want {
			t.Errorf("%s %s: error %v, want %s", c.o.Name, c.text, err, c.want)
		}
	}
	n = 4
	if err := option.Check([]option.Option{{Name: "seed", Value: &seed}, window}); err == nil {
		t.Error("an even window is accepted")
	}
}
