// Package schema has the verbs that create an array and change its shape, its attributes and its
// labels.
package schema

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/datasets"
	"drx/nd"
)

// NewCreate returns the verb create.
func NewCreate() *cobra.Command {
	var o struct{ dtype, shape, chunk, lo, fill, dims, order, codec string }
	var align int
	var empty, oneFile bool
	cmd := &cobra.Command{
		Use:     "create ARRAY --dtype TYPE --shape N,N,... | FOLDER --dataset",
		Short:   "Create an array, or a dataset",
		GroupID: cli.GroupFirst,
		Long: `Create an array of the given element type and shape.

An extent may be zero if the dimension is meant to grow. Without --chunk, chunks are about
1 MiB and thin along such dimensions. Only the description is written: elements read as the
fill value until they are written. A name that ends in .drx makes an array in one file, and so
does --one-file, which adds this extension to a name without it.

--order is the order of the elements inside a chunk. It determines which accesses are fast:
along rows (row), along columns (col), or equally in all dimensions (morton, hilbert).

--codec compresses the chunks: zstd, lz4 or blosc, and after colons the level of zstd (zstd:3), or
what blosc takes (blosc:zstd:5:shuffle): its compressor lz4, lz4hc or zstd, the level, and what is
done to the bytes before, shuffle, bitshuffle or noshuffle. A compressed chunk keeps its place in
the file and uses the beginning of it; the rest is a hole, in blocks of 4 KiB.

--dataset creates an empty dataset: a folder, or what makes a folder of arrays a dataset; with
--one-file or a name that ends in .drx it is a file, which all its arrays are in. An array that is
created in it is a variable. The extents of dimensions that other variables have must agree;
without --shape they are those of these dimensions.`,
		Example: `  drx create radar --dtype int16 --shape 0,512,512 --dims time,y,x
  drx create A --dtype float64 --shape 10,12 --chunk 2,3 --fill NaN
  drx create B --one-file --dtype float64 --shape 10,12
  drx create C --dtype float32 --shape 0,720,1440 --chunk 1,720,1440 --codec blosc:zstd:5:shuffle
  drx create weather --dataset
  drx create weather/rain --dtype float32 --dims time,y,x --shape 0,50,60`,
		Args:              cli.Exactly("ARRAY"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckNewName(cmd, args[0]); err != nil {
				return err
			}
			if oneFile {
				var err error
				if args[0], err = inOneFile(args[0]); err != nil {
					return err
				}
			}
			if empty {
				if other := otherFlag(cmd, "dataset", "one-file"); other != "" {
					return cli.Usagef("create: --dataset excludes the other flags, here --%s: a dataset is created empty", other)
				}
				return datasets.Create(cmd, args[0])
			}
			if err := cli.RequireFlags(cmd, "dtype"); err != nil {
				return err
			}
			if cmd.Flags().Changed("shape") || o.dims == "" {
				if err := cli.RequireFlags(cmd, "shape"); err != nil {
					return err
				}
			}
			spec := drx.Spec{Order: drx.ElementOrder(o.order), Align: align}
			if o.codec == drx.AutoCodec {
				return cli.Usagef("create: --codec auto chooses a codec by elements, and a new array has none: name a codec, use import or append --create, or drx recompress --codec auto when there are some")
			}
			var err error
			if spec.Codec, err = cli.ParseCodec(o.codec); err != nil {
				return err
			}
			if spec.DType, err = cli.ParseType(o.dtype); err != nil {
				return err
			}
			for _, list := range []struct {
				flag, text string
				to         *[]int
			}{{"--shape", o.shape, &spec.Shape}, {"--chunk", o.chunk, &spec.ChunkShape}, {"--lo", o.lo, &spec.Lo}} {
				if *list.to, err = cli.ParseInts(list.flag, list.text); err != nil {
					return err
				}
			}
			if o.fill != "" {
				spec.FillValue = o.fill
			}
			if err := cli.CheckElementOrder(o.order); err != nil {
				return err
			}
			if o.dims != "" {
				spec.Dims = strings.Split(o.dims, ",")
			}
			if err := cli.CheckDims(spec.Dims...); err != nil {
				return err
			}
			for i, name := range spec.Dims {
				if name != "" && slices.Index(spec.Dims, name) < i {
					return cli.Usagef("--dims %s: %q is given twice", o.dims, name)
				}
			}
			if _, err := nd.Product(append(slices.Clone(spec.Shape), spec.DType.Size())...); errors.Is(err, nd.ErrOverflow) && !slices.ContainsFunc(spec.Shape, func(n int) bool { return n < 0 }) {
				return cli.Usagef("--shape %s: shape too large: more than 2^63-1 bytes", o.shape)
			}
			return datasets.CreateVariable(args[0], spec, func(a *drx.Array) error {
				cli.NoteHoles(cmd, a.Name(), spec.Codec)
				if err := a.Fits(); errors.Is(err, drx.ErrOverflow) {
					cli.Note(cmd, a, fmt.Sprintf("the last elements cannot be written here (%v)", err))
				}
				result := createResult{cli.NewArrayResult(a), a.DType().String(), a.Dims(), a.ChunkShape()}
				return cli.Confirm(cmd, result, "%s: %s %s, chunks of %s\n",
					cli.Printable(result.Name), result.DType, cli.FormatShape(result.Shape), cli.FormatShape(result.Chunk))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dtype, "dtype", "", "element `type`: "+strings.Join(cli.DtypeNames(), ", "))
	f.StringVar(&o.shape, "shape", "", "`extents`, in elements")
	f.StringVar(&o.chunk, "chunk", "", "`extents` of a chunk, in elements (default: about 1 MiB)")
	f.StringVar(&o.lo, "lo", "", "low `bounds` (default: zeros)")
	f.StringVar(&o.fill, "fill", "", "`value` of elements that were never written (default: 0)")
	f.StringVar(&o.dims, "dims", "", "`names` of the dimensions, an empty one for a dimension without a name")
	f.StringVar(&o.order, "order", "row", "`order` of the elements inside a chunk: "+cli.OrList(cli.ElementOrders))
	f.StringVar(&o.codec, "codec", "none", "`codec` that compresses the chunks: none, zstd:3, lz4, blosc:zstd:5:shuffle ...; not auto, which needs elements")
	f.BoolVar(&empty, "dataset", false, "create an empty dataset, in a folder that may exist")
	f.BoolVar(&oneFile, "one-file", false, "in one file: adds .drx to the name, unless it has that already")
	f.IntVar(&align, "align", 0, "start every chunk at a multiple of this many `bytes` in the file")
	for flag, choices := range map[string][]string{"dtype": cli.DtypeNames(), "order": cli.ElementOrders} {
		cli.CompleteFlag(cmd, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// inOneFile returns the name of an array or a dataset in one file.
func inOneFile(name string) (string, error) {
	name = filepath.Clean(name)
	if strings.HasSuffix(name, drx.OneFileExt) {
		return name, nil
	}
	if base := filepath.Base(name); base == "." || base == ".." || base == string(filepath.Separator) {
		return "", cli.Usagef("create: --one-file: %q is a folder: give the name of a file", name)
	}
	return drx.BaseName(name) + drx.OneFileExt, nil
}

// otherFlag returns a flag of the verb's own that is given beside the named ones, or "". Flags that
// all verbs have do not count.
func otherFlag(cmd *cobra.Command, known ...string) (other string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(known, f.Name) && f.Name != "json" && cmd.InheritedFlags().Lookup(f.Name) == nil {
			other = f.Name
		}
	})
	return other
}

// A createResult describes a new array.
type createResult struct {
	cli.ArrayResult
	DType string   `json:"dtype"`
	Dims  []string `json:"dims"`
	Chunk []int    `json:"chunk"`
}
