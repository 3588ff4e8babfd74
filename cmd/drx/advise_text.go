package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"drx"
	"drx/advise"
)

// An advice is what advise tells; its JSON is a contract with other programs. Bytes are bytes,
// extents elements.
type advice struct {
	DType   string  `json:"dtype"`
	Shape   []int   `json:"shape"` // 0 without bound; null if none is known
	Block   int     `json:"block"`
	Stripe  int     `json:"stripe"`  // 0 for none
	Covered float64 `json:"covered"` // part of the logged accesses that the classes are
	// Choices are the advised shape and others to compare it with.
	Choices []chosen `json:"choices"`
}

// A chosen is a chunk shape with its cost and where it comes from: advised, default (what
// create takes), present (what the array has), or best-4 and best-16, the best of a fourth
// and a sixteenth of the block.
type chosen struct {
	Name string `json:"name"`
	advise.Cost
}

// advise finds the best shape and what to compare it with.
func (t *subject) advise() (*advice, error) {
	p := t.problem
	a := &advice{DType: t.dtype.String(), Shape: p.Shape, Block: p.Block, Stripe: p.Stripe, Covered: t.covered}
	best, err := advise.Best(p)
	if err != nil {
		return nil, err
	}
	a.Choices = []chosen{{"advised", best}}
	shape := p.Shape
	if shape == nil {
		shape = make([]int, len(best.Chunk))
	}
	for _, other := range []struct {
		name  string
		chunk []int
	}{{"default", drx.DefaultChunk(t.dtype, shape)}, {"present", t.present}} {
		if other.chunk == nil {
			continue
		}
		c, err := advise.Of(p, other.chunk)
		if err != nil {
			return nil, err
		}
		a.Choices = append(a.Choices, chosen{other.name, c})
	}
	for _, part := range []int{4, 16} {
		p.Block = t.problem.Block / part
		if c, err := advise.Best(p); err == nil { // none if an element does not fit
			a.Choices = append(a.Choices, chosen{fmt.Sprintf("best-%d", part), c})
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
	fmt.Fprintf(out, "chunk %s of %s: %s, the best of all %s %s\n",
		times(best.Chunk), a.DType, byteSize(int64(best.Bytes)), fit, byteSize(int64(a.Block)))
	if a.Stripe > 0 {
		fmt.Fprintf(out, "slot %s, which divides stripes of %s or is divided by them; %s of it is padding\n", byteSize(int64(best.Slot)),
			byteSize(int64(a.Stripe)), percent(float64(best.Slot-best.Bytes), float64(best.Slot)))
	}
	if a.Covered < 1 {
		fmt.Fprintf(out, "the classes are %s of the logged accesses, the others are too various\n", percent(a.Covered, 1))
	}
	fmt.Fprint(out, "\nfor one access, anywhere:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tchunk\tsize\tchunks met\tif aligned\tmoved\tper byte asked for")
	for _, c := range a.Choices {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", choiceNames[c.Name], times(c.Chunk), byteSize(int64(c.Bytes)),
			figure(c.Chunks), figure(c.Estimate), byteSize(int64(c.Moved)), figure(c.Moved/c.Asked))
	}
	fmt.Fprint(w, "\naccess\tshare\tasked for")
	for _, c := range a.Choices {
		fmt.Fprintf(w, "\t%s", choiceNames[c.Name])
	}
	fmt.Fprintln(w)
	for i, class := range best.Classes {
		fmt.Fprintf(w, "%s\t%s\t%s", times(class.Box), percent(class.Weight, 1), byteSize(int64(class.Asked)))
		for _, c := range a.Choices {
			fmt.Fprintf(w, "\t%s", figure(c.Classes[i].Chunks))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	align := ""
	if best.Align > 0 {
		align = fmt.Sprintf(" --align %d", best.Align)
	}
	_, err := fmt.Fprintf(out, "\ndrx create ... --dtype %s --chunk %s%s\n", a.DType, joinInts(best.Chunk), align)
	return err
}

var choiceNames = map[string]string{
	"advised": "advised", "default": "default", "present": "present", "best-4": "block / 4", "best-16": "block / 16",
}

// figure writes a number with as many digits as a person reads.
func figure(v float64) string {
	if v >= 1e3 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}
