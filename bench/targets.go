package main

import (
	"fmt"
	"strings"
)

// A target is a ratio that DRX should reach: the time of the reference divided by that of DRX in
// the same run.
type target struct {
	work       string // a description for the report
	experiment string
	metric     string
	column     string
	series     string // if empty, "drx"
	reference  string // a series of the same metric
	at         string // the reference's column, if it differs
	least      float64
	cpu        bool // compare CPU times

	// A target with a limit is also met if DRX has limitShare of the speed of that series: the
	// machine may not allow the ratio.
	limit      string
	limitShare float64
}

// ratio returns the time of the reference divided by that of DRX, and false if one of the two was
// not measured.
func (g target) ratio(tables map[string]*table, reference string) (float64, bool) {
	t := tables[g.experiment]
	if t == nil {
		return 0, false
	}
	series, at := g.series, g.at
	if series == "" {
		series = drxDefault.series
	}
	if at == "" {
		at = g.column
	}
	own, ok := t.find(g.metric, series, g.column)
	ref, ok2 := t.find(g.metric, reference, at)
	if g.cpu {
		own.value, ref.value = own.cpu, ref.cpu
	}
	return ref.value / own.value, ok && ok2 && own.value > 0
}

// targetTable returns a table in Markdown of the targets of the experiments that ran, including
// those that were not measured. It is empty if there are none.
func targetTable(targets []target, tables map[string]*table) string {
	return updatedTargets("", targets, tables)
}

// updatedTargets is targetTable, but keeps the lines of an old table for experiments that did not
// run.
func updatedTargets(old string, targets []target, tables map[string]*table) string {
	var lines []string
	passed, measured := 0, 0
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
			passed++
		}
		if !strings.HasSuffix(line, "| not measured | |") {
			measured++
		}
	}
	if lines == nil {
		return ""
	}
	return fmt.Sprintf("| work | compared with | at least | reached | |\n|---|---|---:|---:|---|\n%s\n\n%d of %d measured targets are met.\n",
		strings.Join(lines, "\n"), passed, measured)
}

// line returns the target's line in the table.
func (g target) line(tables map[string]*table) string {
	ratio, ok := g.ratio(tables, g.reference)
	if !ok {
		return g.head() + "not measured | |"
	}
	reached, passed := fmt.Sprintf("%.3g", ratio), ratio >= g.least
	if share, ok := g.ratio(tables, g.limit); g.limit != "" && ok {
		reached += fmt.Sprintf(", %.3g", share)
		passed = passed || share >= g.limitShare
	}
	verdict := "miss"
	if passed {
		verdict = "pass"
	}
	return fmt.Sprintf("%s%s | %s |", g.head(), reached, verdict)
}

// head returns the beginning of the target's line, which does not depend on the results.
func (g target) head() string {
	return fmt.Sprintf("| %s | %s | %.4g | ", g.work, g.against(), g.least)
}

// oldLine returns the target's line in an old table, or an empty string.
func (g target) oldLine(table string) string {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, g.head()) {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}

// against returns the name of the reference.
func (g target) against() string {
	words := g.reference
	if g.at != "" {
		words = g.reference + " at " + g.at
	}
	if g.cpu {
		words += ", CPU time"
	}
	if g.limit != "" {
		words += fmt.Sprintf(", or %g of %s", g.limitShare, g.limit)
	}
	return words
}

// The rows of numbers to reach: limits with these names.
const (
	wantedAtMost  = "wanted, at most"
	wantedAtLeast = "wanted, at least"
)
