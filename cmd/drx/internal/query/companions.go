package query

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dataset"
	"drx/dataset/stats"
)

// companionFlags are the flags of stats that name further arrays, for weights and a mask.
type companionFlags struct {
	weights string
	where   []string
	opened  []*drx.Array
}

// addTo adds the flags. --where was once the name of --sel, and scripts may still use it so: a
// value with a comparison operator is a mask, any other is a condition of --sel. The normalization
// that makes --where an alias of --sel is therefore switched off.
func (c *companionFlags) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName { return pflag.NormalizedName(name) })
	f.StringVar(&c.weights, "weights", "", "weigh elements by `area`, of cells by their latitude, or by an array of the dataset")
	f.StringArrayVar(&c.where, "where", nil, "reduce only elements where this `condition` on an array of the dataset holds: mask>0, depth<=200")
	cli.CompleteFlag(cmd, "weights", cobra.FixedCompletions([]string{"area"}, cobra.ShellCompDirectiveDefault))
}

// apply sets the weights and the mask of a request. The arrays stay open until close.
func (c *companionFlags) apply(a *drx.Array, req *stats.Request) error {
	for _, text := range c.where {
		if !isComparison(text) {
			continue
		}
		if req.Where != nil {
			return cli.Usagef("--where %q: give one comparison", text)
		}
		m, err := c.mask(a, text)
		if err != nil {
			return err
		}
		req.Where = m
	}
	switch c.weights {
	case "":
		return nil
	case "area":
		axes, err := dataset.AxesOf(a)
		if err != nil {
			return err
		}
		if req.Weights, err = stats.AreaWeights(a, axes); err != nil {
			return cli.AsUsageError(err)
		}
		return nil
	}
	w, err := c.open(a, c.weights)
	req.Weights = &stats.Weights{Array: w}
	return err
}

// conditions returns the values of --where that are conditions of --sel.
func (c *companionFlags) conditions() (list []string) {
	for _, text := range c.where {
		if !isComparison(text) {
			list = append(list, text)
		}
	}
	return list
}

// operators are the comparisons of --where. Longer ones come first, since ">=" contains ">".
var operators = []string{">=", "<=", "==", "!=", ">", "<"}

func isComparison(text string) bool {
	for _, op := range operators {
		if strings.Contains(text, op) {
			return true
		}
	}
	return false
}

// mask returns the mask of a comparison, as in depth<=200.
func (c *companionFlags) mask(a *drx.Array, text string) (*stats.Mask, error) {
	for _, op := range operators {
		name, number, ok := strings.Cut(text, op)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || strings.TrimSpace(name) == "" {
			break
		}
		other, err := c.open(a, strings.TrimSpace(name))
		return &stats.Mask{Array: other, Op: op, Value: value}, err
	}
	return nil, cli.Usagef("--where %q: want an array, a comparison and a number, as in depth<=200", text)
}

// open opens the array of that name in the folder of a, or else the one that the name denotes by
// itself.
func (c *companionFlags) open(a *drx.Array, name string) (*drx.Array, error) {
	sibling := filepath.Join(filepath.Dir(a.Name()), name)
	other, err := drx.Open(sibling, drx.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		other, err = drx.Open(name, drx.Options{})
	}
	if err != nil {
		return nil, err
	}
	c.opened = append(c.opened, other)
	return other, nil
}

// close closes the arrays that apply has opened.
func (c *companionFlags) close() (err error) {
	for _, a := range c.opened {
		err = errors.Join(err, a.Close())
	}
	return err
}
