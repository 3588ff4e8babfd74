package main

import (
	"fmt"
	"strings"
)

// A target is a ratio that DRX is to reach: the time of the reference by that of DRX, both
// from the same run.
type target struct {
	work       string // what is done, for the report
	experiment string
	metric     string
	place      string
	series     string // empty is "drx"
	reference  string // a series of the same metric
	at         string // the reference's place, if it is another
	least      float64
	cpu        bool // of CPU times
}

// ratio returns the ratio reached, and false when one of the two was not measured.
func (g target) ratio(tables map[string]*table) (float64, bool) {
	t := tables[g.experiment]
	if t == nil {
		return 0, false
	}
	series, at := g.series, g.at
	if series == "" {
		series = drxDefault.series
	}
	if at == "" {
		at = g.place
	}
	own, ok := t.find(g.metric, series, g.place)
	ref, ok2 := t.find(g.metric, g.reference, at)
	if g.cpu {
		own.value, ref.value = own.cpu, ref.cpu
	}
	return ref.value / own.value, ok && ok2 && own.value > 0
}

// targetTable writes the targets that were measured as a table in Markdown; what was not
// is named. It is empty if no target belongs to the experiments that ran.
func targetTable(targets []target, tables map[string]*table) string {
	var b strings.Builder
	met, measured := 0, 0
	for _, g := range targets {
		if tables[g.experiment] == nil {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("| work | compared with | at least | reached | |\n|---|---|---:|---:|---|\n")
		}
		ratio, ok := g.ratio(tables)
		if !ok {
			fmt.Fprintf(&b, "| %s | %s | %.4g | not measured | |\n", g.work, g.against(), g.least)
			continue
		}
		verdict := "miss"
		measured++
		if ratio >= g.least {
			verdict = "pass"
			met++
		}
		fmt.Fprintf(&b, "| %s | %s | %.4g | %.3g | %s |\n", g.work, g.against(), g.least, ratio, verdict)
	}
	if b.Len() > 0 {
		fmt.Fprintf(&b, "\n%d of %d measured targets are met.\n", met, measured)
	}
	return b.String()
}

// against names the reference.
func (g target) against() string {
	words := g.reference
	if g.at != "" {
		words = g.reference + " at " + g.at
	}
	if g.cpu {
		words += ", CPU time"
	}
	return words
}
