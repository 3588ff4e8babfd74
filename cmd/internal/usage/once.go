package usage

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// GiveOnce makes it an error of a command line to give a flag twice that has one value: the last
// one would replace the others without a word. Flags that are lists, or need no value, stay as they
// are. It is for a command that has all of its flags, with those below it.
func GiveOnce(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.PersistentFlags(), cmd.LocalNonPersistentFlags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, isList := f.Value.(pflag.SliceValue); !isList && f.NoOptDefVal == "" {
				f.Value = &onceValue{Value: f.Value}
				if f.DefValue == "0s" || f.DefValue == "NaN" {
					f.DefValue = "" // nothing, which pflag would print, as it does not see the type
				}
			}
		})
	}
	for _, below := range cmd.Commands() {
		GiveOnce(below)
	}
}

// A onceValue is a value of a flag that can be set once.
type onceValue struct {
	pflag.Value
	first *string // nil until it is set
}

// Set implements pflag.Value.
func (o *onceValue) Set(text string) error {
	if o.first != nil {
		return twiceError{*o.first, text}
	}
	o.first = &text
	return o.Value.Set(text)
}

// A twiceError says that a flag was given twice, with these values.
type twiceError struct{ first, second string }

// Error implements error.
func (e twiceError) Error() string {
	return fmt.Sprintf("it is given twice, as %q and %q", e.first, e.second)
}
