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
	return updatedTargets("", targets, tables)
}

// updatedTargets is targetTable, with the lines of a table that was there for the experiments that did
// not run.
func updatedTargets(old string, targets []target, tables map[string]*table) string {
	var lines []string
	met, measured := 0, 0
	for _, g := range targets {
		line := g.oldLine(old)
		if tables[g.experiment] != nil {
			line = g.line(tables)
		}
		if line == "" {
			continue
		}
		lines = append(lines, line)
		if strings.HasSuffix(line, "| pass |") {
			met++
		}
		if !strings.HasSuffix(line, "| not measured | |") {
			measured++
		}
	}
	if lines == nil {
		return ""
	}
	return fmt.Sprintf("| work | compared with | at least | reached | |\n|---|---|---:|---:|---|\n%s\n\n%d of %d measured targets are met.\n",
		strings.Join(lines, "\n"), met, measured)
}

// line is the target's in the table.
func (g target) line(tables map[string]*table) string {
	ratio, ok := g.ratio(tables)
	verdict := "miss"
	switch {
	case !ok:
		return g.head() + "not measured | |"
	case ratio >= g.least:
		verdict = "pass"
	}
	return fmt.Sprintf("%s%.3g | %s |", g.head(), ratio, verdict)
}

// head is how the target's line begins.
func (g target) head() string {
	return fmt.Sprintf("| %s | %s | %.4g | ", g.work, g.against(), g.least)
}

// oldLine returns the target's line of a table, or nothing.
func (g target) oldLine(table string) string {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, g.head()) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
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
