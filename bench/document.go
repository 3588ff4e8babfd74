package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// document writes the figures of a run into the documents: for each experiment that ran a page in
// the folder perf, with its tables and plots, and the plots themselves in the folder plots. The
// page of targets keeps the lines of experiments that did not run.
func document(dir string, s settings, tables map[string]*table) error {
	suite, perf, plots := s.suite(), filepath.Join(dir, "perf"), filepath.Join(dir, "plots")
	if err := os.MkdirAll(perf, 0o777); err != nil {
		return err
	}
	if suite.goals != nil {
		name := filepath.Join(perf, suite.targets)
		old, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text := page("Targets", "", updatedTargets(string(old), suite.goals, tables))
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return err
		}
		if suite.targets == shortPageTargets && len(tables) > 0 {
			if err := shortPage(filepath.Join(dir, "PERFORMANCE.md"), text, tables); err != nil {
				return err
			}
		}
	}
	for _, e := range suite.experiments {
		t := tables[e.name]
		if t == nil {
			continue
		}
		if err := report(plots, e, t); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(perf, e.name+".md"), []byte(e.page(suite.command, t)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// shortTargets returns the targets of the codecs that all peers have.
func shortTargets(tables map[string]*table) string {
	goals := slices.DeleteFunc(packedTargets(), func(g target) bool {
		return !strings.HasSuffix(g.series, lz4Shuffled) && !strings.HasSuffix(g.series, zstdShuffled)
	})
	text, _, _ := strings.Cut(targetTable(goals, tables), "\n\n")
	return text
}

// shortPageTargets is the file whose targets the short page counts.
const shortPageTargets = "targets.md"

var targetsLine = regexp.MustCompile(`(?m)^\d+ of \d+ measured targets are met\.$`)

// shortPage writes the parts of the short page that depend on a run: the tables of the experiments
// that ran, and the number of targets that are met.
func shortPage(name, targets string, tables map[string]*table) error {
	parts := map[string]string{}
	if t := tables[codecs.name]; t != nil {
		parts["compressed"] = shortTargets(tables)
	}
	if t := tables[codecsReal.name]; t != nil && len(t.rows) > 0 {
		parts["real data"] = t.realTable()
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	page := targetsLine.ReplaceAllLiteralString(string(text), targetsLine.FindString(targets))
	for part, table := range parts {
		begin, end := "<!-- "+part+" -->\n", "<!-- end of "+part+" -->"
		head, rest, ok := strings.Cut(page, begin)
		_, tail, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			return fmt.Errorf("%s has no lines %s and %s", name, strings.TrimSpace(begin), end)
		}
		page = head + begin + strings.TrimRight(table, "\n") + "\n" + end + tail
	}
	return os.WriteFile(name, []byte(page), 0o666)
}

// page returns a page that a run writes as a whole.
func page(title, about, tables string) string {
	return fmt.Sprintf("<!-- Written by scripts/bench.sh -doc. -->\n# %s\n\n%s%s\n", title, about, strings.TrimRight(tables, "\n"))
}

// page returns the page of an experiment, which command measures.
func (e experiment) page(command string, t *table) string {
	about := fmt.Sprintf("`%s -only '^%s$'`", command, e.name)
	if e.figure != "" {
		about += ", figure " + e.figure + " of the thesis"
	}
	text := t.markdown()
	for _, p := range e.plots {
		if len(t.columns(p.metric)) > 0 {
			text += fmt.Sprintf("![%s](../plots/%s)\n", cmp.Or(p.title, e.title), plotName(e, p))
		}
	}
	return page(e.title, about+"\n\n", text)
}

// markdown returns a table per metric, with a row per series. CPU times, if measured, follow the
// wall times.
func (t *table) markdown() string {
	var b strings.Builder
	var metrics []string
	for _, r := range t.rows {
		if !slices.Contains(metrics, r.metric) {
			metrics = append(metrics, r.metric)
		}
	}
	for _, m := range metrics {
		columns, series := t.columns(m), t.series(m)
		first, _ := t.find(m, series[0], columns[0])
		fmt.Fprintf(&b, "| %s (%s) | %s |\n|---%s|\n", m, first.unit, strings.Join(columns, " | "), strings.Repeat("|---:", len(columns)))
		for _, s := range series {
			fmt.Fprintf(&b, "| %s |", s)
			for _, p := range columns {
				r, ok := t.find(m, s, p)
				fmt.Fprintf(&b, " %s |", r.text(ok))
			}
			b.WriteString("\n")
		}
		b.WriteString(t.verdict(m, columns) + "\n")
	}
	return b.String()
}

// verdict returns a row that says for each column whether a series reaches the wanted number, and
// which. It is empty if no number is wanted for the metric. Numbers are compared as they are
// printed.
func (t *table) verdict(metric string, columns []string) string {
	cells, any := make([]string, len(columns)), false
	for i, p := range columns {
		cells[i] = "–"
		for _, w := range []string{wantedAtMost, wantedAtLeast} {
			want, ok := t.find(metric, w, p)
			if !ok {
				continue
			}
			var by []string
			for _, r := range t.rows {
				if r.metric == metric && r.at() == p && !r.limit && (r.written() == want.written() || (r.written() < want.written()) == (w == wantedAtMost)) {
					by = append(by, r.series)
				}
			}
			any, cells[i] = true, "missed"
			if by != nil {
				cells[i] = "met by " + strings.Join(by, ", ")
			}
		}
	}
	if !any {
		return ""
	}
	return fmt.Sprintf("| met or missed | %s |\n", strings.Join(cells, " | "))
}

// written returns the value, rounded to the digits that documents print.
func (r row) written() float64 {
	// no error: it is a number
	v, _ := strconv.ParseFloat(fmt.Sprintf("%.*g", cmp.Or(r.digits, 3), r.value), 64)
	return v
}

// text returns the median, with the CPU time in parentheses.
func (r row) text(measured bool) string {
	switch {
	case !measured:
		return "–"
	case r.cpu == 0:
		return fmt.Sprintf("%.*g", cmp.Or(r.digits, 3), r.value)
	}
	return fmt.Sprintf("%.3g (%.3g)", r.value, r.cpu)
}
