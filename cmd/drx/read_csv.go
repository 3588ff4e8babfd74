package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"drx"
	"drx/nd"
)

// printCSV prints a section: a line of headings, and one per row of the last dimension in
// the given order, which begins with the indices of the others. An array of one dimension
// has a line per element.
func printCSV(ctx context.Context, to io.Writer, a *drx.Array, sec nd.Section, order nd.Order) error {
	w := bufio.NewWriter(to)
	dims := order.Dims(a.Rank())
	lead, last := dims[:len(dims)-1], dims[len(dims)-1]
	width := sec[last].Len()
	if len(dims) == 1 {
		lead, width = dims, 1
	}
	if err := csvHeadings(w, a, sec, lead, last); err != nil {
		return err
	}
	lo, hi := make([]int, len(lead)), make([]int, len(lead)) // positions
	for i, d := range lead {
		hi[i] = sec[d].Len()
	}
	position := make([]int, len(lead))
	column, size := 0, a.DType().Size()
	var buf []byte
	err := eachSlab(ctx, a, sec, order, func(slab nd.Section, n int) error {
		if cap(buf) < n {
			buf = make([]byte, n)
		}
		if err := a.ReadBytes(slab, buf[:n], order); err != nil {
			return err
		}
		for b := buf[:n]; len(b) > 0; b = b[size:] {
			if column == 0 {
				for i, d := range lead {
					fmt.Fprintf(w, "%d,", sec[d].Lo+position[i]*sec[d].Stride())
				}
			}
			w.WriteString(a.DType().Format(b[:size])) // an error sticks to w until Flush
			if column++; column < width {
				w.WriteByte(',')
				continue
			}
			column = 0
			w.WriteByte('\n')
			nd.Next(position, lo, hi)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

func csvHeadings(w *bufio.Writer, a *drx.Array, sec nd.Section, lead []int, last int) error {
	names := dimNames(a)
	heads := make([]string, len(lead))
	for i, d := range lead {
		heads[i] = names[d]
	}
	var quoted strings.Builder // a name may hold a comma
	c := csv.NewWriter(&quoted)
	if err := c.Write(heads); err != nil {
		return err
	}
	c.Flush()
	w.WriteString(strings.TrimSuffix(quoted.String(), "\n"))
	if len(sec) == 1 {
		w.WriteString(",value\n")
		return nil
	}
	for i := range sec[last].Len() {
		w.WriteByte(',')
		w.WriteString(strconv.Itoa(sec[last].Lo + i*sec[last].Stride()))
	}
	w.WriteByte('\n')
	return nil
}
