package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drx"
	"drx/dtype"
)

func newCreate() *cobra.Command {
	var o struct{ dtype, shape, chunk, lo, fill, dims, order string }
	var align int
	cmd := &cobra.Command{
		Use:     "create ARRAY --dtype TYPE --shape N,N,...",
		Short:   "Create an array",
		GroupID: groupArray,
		Long: `Create an array of the given element type and shape.

An extent may be zero: the dimension is to grow. Without --chunk, chunks of about 1 MiB are
chosen, thin along such dimensions. Nothing is written but the description: elements read as
the fill value until they are written.

--order is that of the elements inside a chunk, and decides what is fast: rows of a chunk
(row), columns (col), or neighbours in all dimensions alike, along a curve (morton, hilbert).`,
		Example: `  drx create radar --dtype int16 --shape 0,512,512 --dims time,y,x
  drx create A --dtype float64 --shape 10,12 --chunk 2,3 --fill NaN`,
		Args:              exactly("ARRAY"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := requireFlags(cmd, "dtype", "shape"); err != nil {
				return err
			}
			spec := drx.Spec{Order: drx.ElementOrder(o.order), Align: align}
			var err error
			if spec.DType, err = dtype.Parse(o.dtype); err != nil {
				return usageError{err}
			}
			for _, list := range []struct {
				flag, text string
				to         *[]int
			}{{"--shape", o.shape, &spec.Shape}, {"--chunk", o.chunk, &spec.ChunkShape}, {"--lo", o.lo, &spec.Lo}} {
				if *list.to, err = parseInts(list.flag, list.text); err != nil {
					return err
				}
			}
			if o.fill != "" {
				spec.FillValue = o.fill
			}
			if err := checkElementOrder(o.order); err != nil {
				return err
			}
			if o.dims != "" {
				spec.Dims = strings.Split(o.dims, ",")
			}
			if err := checkNames(spec.Dims...); err != nil {
				return err
			}
			a, err := drx.Create(args[0], spec)
			if err != nil {
				return valueError(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %v %s, chunks of %s\n", shown(a.Name()), a.DType(), times(a.Shape()), times(a.ChunkShape()))
			return a.Close()
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dtype, "dtype", "", "element `type`: "+strings.Join(dtypeNames(), ", "))
	f.StringVar(&o.shape, "shape", "", "`extents`, in elements")
	f.StringVar(&o.chunk, "chunk", "", "`extents` of a chunk, in elements (default: about 1 MiB)")
	f.StringVar(&o.lo, "lo", "", "low `bounds` (default: zeros)")
	f.StringVar(&o.fill, "fill", "", "`value` of elements never written (default: 0)")
	f.StringVar(&o.dims, "dims", "", "`names` of the dimensions")
	f.StringVar(&o.order, "order", "row", "`order` of the elements inside a chunk: "+orList(elementOrders))
	f.IntVar(&align, "align", 0, "begin every chunk at a multiple of so many `bytes`")
	for flag, choices := range map[string][]string{"dtype": dtypeNames(), "order": elementOrders} {
		completeFlag(cmd, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// elementOrders are the orders that elements can have inside a chunk.
var elementOrders = []string{string(drx.RowOrder), string(drx.ColOrder), string(drx.MortonOrder), string(drx.HilbertOrder)}

func checkElementOrder(order string) error {
	if !slices.Contains(elementOrders, order) {
		return usagef("--order %q: want %s", order, orList(elementOrders))
	}
	return nil
}

// orList writes a list as a person does: a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func dtypeNames() []string {
	var names []string
	for _, t := range dtype.All() {
		names = append(names, t.String())
	}
	return names
}

// times writes extents as a person does: 10 x 12.
func times(extents []int) string { return strings.ReplaceAll(joinInts(extents), ",", " x ") }
