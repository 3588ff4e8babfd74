package inspect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"drx"
	"drx/cmd/drx/internal/arrays"
	"drx/cmd/drx/internal/cli"
)

// usualCodecs is the value of --codec without a list.
const usualCodecs = "usual"

// triedCodecs are the codecs that --codec tries without a list, beside those that the array has and
// that drx.ChooseCodec chooses: the fast ones first.
var triedCodecs = []string{
	"none", "lz4", "blosc:lz4:5:noshuffle", "blosc:lz4:5:shuffle", "blosc:lz4:5:bitshuffle", "blosc:zstd:1:shuffle",
	"blosc:zstd:3:shuffle", "blosc:zstd:3:bitshuffle", "blosc:zstd:9:shuffle", "zstd:3", "zstd:9",
}

// A codecTable compares codecs on chunks of an array. Other programs rely on its JSON. Sizes are in
// bytes, speeds in bytes per second of one core, before compression or after decompression.
type codecTable struct {
	DType      string       `json:"dtype"`
	Chunk      []int        `json:"chunk"`
	ChunkBytes int          `json:"chunk_bytes"`
	Tried      int64        `json:"bytes_tried"`
	Present    string       `json:"present"`
	Advised    string       `json:"advised"`
	Trials     []codecTrial `json:"trials"`
	// Larger is left out if the chunks of the array are large enough.
	Larger *largerChunks `json:"larger_chunks,omitempty"`

	name string
}

type codecTrial struct {
	codecSize
	Ratio float64 `json:"ratio"`
	Write float64 `json:"write_speed"`
	Read  float64 `json:"read_speed"`
}

// codecs carries out advise --codec.
func (o adviseOptions) codecs(cmd *cobra.Command, args []string) error {
	for _, other := range []string{"access", "from-log", "only", "dtype", "shape", "block", "floor", "stripe"} {
		if cmd.Flags().Changed(other) {
			return cli.Usagef("advise: --codec and --%s answer different questions: give one of them", other)
		}
	}
	if len(args) == 0 {
		return cli.Usagef("advise: --codec tries codecs on the chunks of an array: name it")
	}
	names := triedCodecs
	if o.codec != usualCodecs {
		names = nil
		for _, text := range strings.Split(o.codec, ",") {
			name, err := drx.ParseCodec(text)
			if err != nil {
				return cli.Usagef("--codec %s: %w", o.codec, err)
			}
			names = append(names, name)
		}
	}
	var t *codecTable
	err := arrays.With(args[0], false, func(a *drx.Array) (err error) {
		t, err = newCodecTable(a, names)
		return err
	})
	if err != nil {
		return err
	}
	if cli.WantsJSON(cmd) {
		return cli.PrintJSON(cmd.OutOrStdout(), t)
	}
	return t.print(cmd.OutOrStdout())
}

// errNoChunks is the error for an array that has no chunks to try codecs on.
var errNoChunks = errors.New("no chunk was written yet, so that there is nothing to try codecs on")

// newCodecTable tries the codecs called names on chunks of an array, and the one that it has.
func newCodecTable(a *drx.Array, names []string) (*codecTable, error) {
	best, err := a.ChooseCodec()
	if err == nil && best.Tried == 0 {
		err = fmt.Errorf("%s: %w", a.Name(), errNoChunks)
	}
	if err != nil {
		return nil, err
	}
	t := &codecTable{
		DType: a.DType().String(), Chunk: a.ChunkShape(), ChunkBytes: chunkBytes(a.DType(), a.ChunkShape()),
		Tried: best.Tried, Present: a.Layout().Codec, Advised: best.Codec, name: a.Name(),
	}
	if t.Larger, err = largerChunksFor(a); err != nil {
		return nil, err
	}
	names = slices.Clone(names)
	for _, name := range []string{t.Present, t.Advised} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	trials, err := a.TimeCodecs(names...)
	for _, c := range trials {
		t.Trials = append(t.Trials, codecTrial{
			newCodecSize(c.CodecChoice), float64(c.Tried) / float64(max(1, c.Stored)), speed(c.Tried, c.Encode), speed(c.Tried, c.Decode),
		})
	}
	return t, err
}

// speed returns bytes per second.
func speed(n int64, d time.Duration) float64 { return float64(n) / max(d, time.Nanosecond).Seconds() }

// print writes the table for people.
func (t *codecTable) print(out io.Writer) error {
	fmt.Fprintf(out, "tried on %s of %s in chunks of %s, %s each:\n\n", cli.ByteSize(t.Tried), t.DType, cli.FormatShape(t.Chunk), cli.ByteSize(int64(t.ChunkBytes)))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "codec\tstored\tin blocks of 4 KiB\tratio\twrite, one core\tread, one core\t")
	for _, c := range t.Trials {
		remark := ""
		if c.Codec == t.Present {
			remark = "present"
		}
		if c.Codec == t.Advised {
			remark = strings.TrimPrefix(remark+", advised", ", ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%.2f\t%s/s\t%s/s\t%s\n", c.Codec, cli.ByteSize(c.Stored), cli.ByteSize(c.OnDisk), c.Ratio,
			cli.ByteSize(int64(c.Write)), cli.ByteSize(int64(c.Read)), remark)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s is the fastest of those that take at most 10 %% more blocks than the best ones\n", t.Advised)
	switch {
	case t.Larger != nil:
		t.Larger.print(out, t.name)
	case t.Advised != t.Present:
		fmt.Fprintf(out, "drx recompress %s --codec %s\n", cli.Printable(t.name), t.Advised)
	}
	return nil
}
