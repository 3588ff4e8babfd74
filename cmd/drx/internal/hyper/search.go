package hyper

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx/cmd/drx/internal/cli"
	"drx/hyper"
	"drx/hyper/endmember"
	"drx/hyper/option"
)

// searchOptions are the flags of a search for endmembers. Each option of a method is a flag of the
// same name.
type searchOptions struct {
	hyper.Search
	method, reduce string
}

// An ownFlag is the flag of an option of one or several methods.
type ownFlag struct {
	option.Option          // of the first of these methods
	methods       []string // in the order of endmember.Kinds
	shared        bool     // all methods have the same default
}

// ownFlags returns the flags of the own options of all methods, in the order of the methods.
func ownFlags() []*ownFlag {
	var list []*ownFlag
	for _, kind := range endmember.Kinds() {
		for _, o := range kind.New().OwnOptions() {
			i := slices.IndexFunc(list, func(f *ownFlag) bool { return f.Name == o.Name })
			if i < 0 {
				i = len(list)
				list = append(list, &ownFlag{Option: o, shared: true})
			}
			list[i].methods = append(list[i].methods, kind.Name)
			list[i].shared = list[i].shared && o.Text() == list[i].Text()
		}
	}
	return list
}

// help returns the help of a flag. Methods that describe the option differently have a clause each;
// defaults are listed there unless all methods share one, which the flag itself shows.
func (f *ownFlag) help() string {
	var parts []string
	for i := 0; i < len(f.methods); {
		o, j := ownOption(f.methods[i], f.Name), i
		var defaults []string
		for ; j < len(f.methods); j++ {
			p := ownOption(f.methods[j], f.Name)
			if p.Help != o.Help {
				break
			}
			if !f.shared && p.Text() != "0" {
				defaults = append(defaults, p.Text()+" for "+f.methods[j])
			}
		}
		text := strings.Join(f.methods[i:j], ", ") + ": " + o.Help
		if i > 0 { // pflag takes the name of the value from the first `word`
			text = strings.ReplaceAll(text, "`", "")
		}
		if o.Zero != "" && o.Text() == "0" {
			defaults = append(defaults, o.Zero)
		}
		if defaults != nil {
			text += " (default: " + strings.Join(defaults, ", ") + ")"
		}
		parts, i = append(parts, text), j
	}
	return strings.Join(parts, "; ")
}

// ownOption returns an option of a method with its default.
func ownOption(method, name string) option.Option {
	m, err := endmember.New(method)
	if err != nil {
		return option.Option{}
	}
	list := m.OwnOptions()
	return list[slices.IndexFunc(list, func(o option.Option) bool { return o.Name == name })]
}

// searchHelp returns a line for each method, with the flags of its own options.
func searchHelp() string {
	var text strings.Builder
	for _, kind := range endmember.Kinds() {
		line := fmt.Sprintf("  %-6s  %s", kind.Name, kind.Help)
		var flags []string
		for _, o := range kind.New().OwnOptions() {
			flags = append(flags, "--"+o.Name)
		}
		if own := strings.Join(flags, ", "); own != "" {
			if len(line)+len(own) > 98 {
				line += ";\n          " + own
			} else {
				line += "; " + own
			}
		}
		text.WriteString(line + "\n")
	}
	return text.String()
}

// flags adds the flags of a search.
func (s *searchOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	methodFlag(cmd, &s.method, "method", "", "`method`", option.Names(endmember.Kinds()))
	f.IntVar(&s.Count, "count", 0, "`number` of endmembers")
	f.IntVar(&s.Mean, "mean", 1, "search means of `K` x K pixels; odd")
	reduceFlag(cmd, &s.reduce, "`components` to search: mnf:N, pct:N or none")
	f.Float64Var(&s.Ridge, "ridge", 0, "with --reduce mnf:N, the `part` of the mean variance of the noise to add to each band")
	for _, own := range ownFlags() {
		help := own.help()
		if !own.shared {
			_ = own.Set("0") // no error: 0 means the default of the method
		}
		switch v := own.Value.(type) {
		case *int:
			f.Int(own.Name, *v, help)
		case *uint64:
			f.Uint64(own.Name, *v, help)
		case *float64:
			f.Float64(own.Name, *v, help)
		}
	}
}

// check checks the flags and sets the method with its own options.
func (s *searchOptions) check(cmd *cobra.Command) (err error) {
	if err := requireValues(cmd, "method"); err != nil {
		return err
	}
	if err := checkWord(cmd, "method", s.method, option.Names(endmember.Kinds())); err != nil {
		return err
	}
	if err := requireValues(cmd, "count"); err != nil {
		return err
	}
	if s.Search.Reduce, err = parseReduce(s.reduce); err != nil {
		return err
	}
	if s.Count < 2 {
		return cli.Usagef("hyper endmembers: --count %d: want at least 2", s.Count)
	}
	if s.Method, err = endmember.New(s.method); err != nil {
		return err
	}
	own := s.Method.OwnOptions()
	for _, f := range ownFlags() {
		if !cmd.Flags().Changed(f.Name) {
			continue
		}
		i := slices.IndexFunc(own, func(o option.Option) bool { return o.Name == f.Name })
		if i < 0 {
			return cli.Usagef("hyper endmembers: --%s is for %s, not for %s", f.Name, strings.Join(f.methods, ", "), s.method)
		}
		if err := own[i].Set(flagText(cmd.Flags(), f.Name)); err != nil {
			return cli.Usagef("hyper endmembers: --%w", err)
		}
	}
	return checkMean(cmd, s.Mean)
}

// flagText returns the value of a flag as text.
func flagText(flags *pflag.FlagSet, name string) string { return flags.Lookup(name).Value.String() }

// hint extends an error by the flag that helps.
func (s *searchOptions) hint(err error) error {
	var apart *endmember.ApartError
	if errors.As(err, &apart) && apart.Apart > 0 {
		return fmt.Errorf("%w; --apart is %g rad, a smaller one gives more endmembers", err, apart.Apart)
	}
	return err
}
