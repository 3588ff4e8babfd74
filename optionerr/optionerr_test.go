package optionerr_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"drx/optionerr"
)

// flag returns an option as a program names it.
func flag(o optionerr.Option) string { return fmt.Sprintf("--%s %v", o.Name, o.Value) }

// An error has the names of the library, or those of the caller wherever it mentions an option:
// after other words, in its reason, and in texts among its arguments. Its kinds are kept.
func TestRename(t *testing.T) {
	clip := optionerr.Textf("%v helps", optionerr.Option{Name: "clip", Value: true})
	wrong := optionerr.Wrong("as", "int8", "300 is too large: %w; %v", fs.ErrInvalid, clip)
	for _, c := range []struct {
		err           error
		plain, asFlag string
	}{
		{wrong, `option as="int8": 300 is too large: invalid argument; option clip=true helps`, "--as int8: 300 is too large: invalid argument; --clip true helps"},
		{
			fmt.Errorf("a.nc: %w; try again", wrong), `a.nc: option as="int8": 300 is too large: invalid argument; option clip=true helps; try again`,
			"a.nc: --as int8: 300 is too large: invalid argument; --clip true helps; try again",
		},
		{
			optionerr.As(optionerr.Errorf("%w without %v", fs.ErrInvalid, optionerr.Option{Name: "memory", Value: 1})),
			"invalid argument without option memory=1", "invalid argument without --memory 1",
		},
		{errors.Join(fs.ErrInvalid, wrong), "invalid argument\n" + wrong.Error(), "invalid argument\n--as int8: 300 is too large: invalid argument; --clip true helps"},
		{fs.ErrInvalid, "invalid argument", "invalid argument"},
	} {
		got := optionerr.Rename(c.err, flag)
		if c.err.Error() != c.plain || got.Error() != c.asFlag {
			t.Errorf("%v\nand %v, want\n%s\nand %s", c.err, got, c.plain, c.asFlag)
		}
		if !errors.Is(got, fs.ErrInvalid) || errors.Is(got, optionerr.ErrOption) != (c.err != fs.ErrInvalid) {
			t.Errorf("%v has lost its kind", got)
		}
	}
	var e *optionerr.Error
	if !errors.As(optionerr.Rename(wrong, flag), &e) || e.Option != "as" || e.Value != "int8" {
		t.Errorf("the option is lost: %+v", e)
	}
	if optionerr.Rename(nil, flag) != nil {
		t.Error("no error becomes one")
	}
}
