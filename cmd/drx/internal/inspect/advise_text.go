package inspect

import (
	"fmt"
	"io"
	"text/tabwriter"

	"drx"
	"drx/advise"
	"drx/cmd/drx/internal/cli"
)

// An advice is the result of advise. Other programs rely on its JSON. Sizes are in bytes, extents
// in elements.
type advice struct {
	DType   string  `json:"dtype"`
	Shape   []int   `json:"shape"` // 0 for unbounded; null if unknown
	Block   int     `json:"block"`
	Floor   int     `json:"floor"`
	Stripe  int     `json:"stripe"`  // 0 for none
	Covered float64 `json:"covered"` // fraction of the logged accesses that the classes represent
	// Choices are the advised shape and others to compare it with.
	Choices []choice `json:"choices"`
	// Codec is left out without an array that has written chunks.
	Codec *codecAdvice `json:"codec,omitempty"`
	// Larger has the advised shape. It is left out if the chunks of the array are large enough.
	Larger *largerChunks `json:"larger_chunks,omitempty"`

	name       string // of the array, if there is one
	chunkBytes int    // of the array
}

// A choice is a chunk shape with its cost. Its name is advised, default (the shape that create
// chooses), present (the shape that the array has), or best-4 and best-16 (the best shapes for a
// fourth and a sixteenth of the block).
type choice struct {
	Name string `json:"name"`
	advise.Cost
}

// advise finds the best shape, and the costs of others for comparison.
func (t *adviceRequest) advise() (*advice, error) {
	p := t.problem
	a := &advice{DType: t.dtype.String(), Shape: p.Shape, Block: p.Block, Floor: p.Floor, Stripe: p.Stripe, Covered: t.covered, Codec: t.codec, name: t.name}
	best, err := advise.Best(p)
	if err != nil {
		return nil, err
	}
	a.Choices = []choice{{"advised", best}}
	if t.larger != nil && best.Bytes >= smallForCodec {
		a.Larger = &largerChunks{t.larger.Written, best.Chunk, best.Bytes}
	}
	shape := p.Shape
	if shape == nil {
		shape = make([]int, len(best.Chunk))
	}
	for _, other := range []struct {
		name  string
		chunk []int
	}{{"default", drx.DefaultChunk(t.dtype, shape)}, {"present", t.current}} {
		if other.chunk == nil {
			continue
		}
		c, err := advise.Of(p, other.chunk)
		if err != nil {
			return nil, err
		}
		a.Choices = append(a.Choices, choice{other.name, c})
		a.chunkBytes = c.Bytes // finally that of the present shape
	}
	for _, part := range []int{4, 16} {
		p.Block = t.problem.Block / part
		p.Floor = min(t.problem.Floor, p.Block)
		if c, err := advise.Best(p); err == nil { // none if an element does not fit
			a.Choices = append(a.Choices, choice{fmt.Sprintf("best-%d", part), c})
		}
	}
	return a, nil
}

// print writes the advice for people.
func (a *advice) print(out io.Writer) error {
	best := a.Choices[0]
	fit := "that fit"
	if a.Stripe > 0 {
		fit = "whose slots fit"
	}
	fmt.Fprintf(out, "chunk %s of %s: %s, the best of all shapes %s in %s\n",
		cli.FormatShape(best.Chunk), a.DType, cli.ByteSize(int64(best.Bytes)), fit, cli.ByteSize(int64(a.Block)))
	if best.Floored {
		fmt.Fprintf(out, "smaller chunks would be touched as seldom; --floor %s made them larger\n", cli.ByteSize(int64(a.Floor)))
	}
	if a.Stripe > 0 {
		fmt.Fprintf(out, "slot %s, which divides a stripe of %s or is a multiple of it; %s of it is padding\n", cli.ByteSize(int64(best.Slot)),
			cli.ByteSize(int64(a.Stripe)), cli.Percent(float64(best.Slot-best.Bytes), float64(best.Slot)))
	}
	if a.Covered < 1 {
		fmt.Fprintf(out, "the classes represent %s of the logged accesses; the others have too many different shapes\n", cli.Percent(a.Covered, 1))
	}
	fmt.Fprint(out, "\nfor one access at a random position:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tchunk\tsize\tchunks touched\tif aligned\tbytes moved\tper byte requested")
	for _, c := range a.Choices {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", choiceNames[c.Name], cli.FormatShape(c.Chunk), cli.ByteSize(int64(c.Bytes)),
			formatNumber(c.Chunks), formatNumber(c.Estimate), cli.ByteSize(int64(c.Moved)), formatNumber(c.Moved/c.Asked))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, "\nchunks touched per access:\n")
	fmt.Fprint(w, "access\tshare\trequested")
	for _, c := range a.Choices {
		fmt.Fprintf(w, "\t%s", choiceNames[c.Name])
	}
	fmt.Fprintln(w)
	for i, class := range best.Classes {
		fmt.Fprintf(w, "%s\t%s\t%s", cli.FormatShape(class.Box), cli.Percent(class.Weight, 1), cli.ByteSize(int64(class.Asked)))
		for _, c := range a.Choices {
			fmt.Fprintf(w, "\t%s", formatNumber(c.Classes[i].Chunks))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if a.Codec != nil {
		a.Codec.print(out, a.chunkBytes)
	}
	align := ""
	if best.Align > 0 {
		align = fmt.Sprintf(" --align %d", best.Align)
	}
	if a.Larger != nil {
		fmt.Fprintln(out)
		a.Larger.print(out, a.name)
	}
	_, err := fmt.Fprintf(out, "\ndrx create ... --dtype %s --chunk %s%s\n", a.DType, cli.FormatInts(best.Chunk), align)
	return err
}

var choiceNames = map[string]string{
	"advised": "advised", "default": "default", "present": "present", "best-4": "block / 4", "best-16": "block / 16",
}

// formatNumber formats a number with four significant digits, or as an integer from 1000 on.
func formatNumber(v float64) string {
	if v >= 1e3 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}
