package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// document inserts the tables between the markers of the suite's document and writes the plots to
// the folder plots beside it. Tables and targets of experiments that did not run stay as they are.
// An experiment without markers gets a new section at the end.
func document(dir string, s settings, tables map[string]*table) error {
	suite := s.suite()
	name := filepath.Join(dir, suite.document)
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text := string(raw)
	if suite.goals != nil {
		if text, err = splice(text, "targets", updatedTargets(text, suite.goals, tables)); err != nil {
			return err
		}
	}
	for _, e := range suite.experiments {
		t := tables[e.name]
		if t == nil {
			continue
		}
		if err := report(filepath.Join(dir, "plots"), e, t); err != nil {
			return err
		}
		if !strings.Contains(text, "<!-- "+e.name+" -->\n") {
			text += fmt.Sprintf("\n### %s\n\n`%s -only '^%s$'`\n\n<!-- %[3]s -->\n<!-- /%[3]s -->\n", e.title, suite.command, e.name)
		}
		if text, err = splice(text, e.name, t.markdown()); err != nil {
			return err
		}
	}
	return os.WriteFile(name, []byte(text), 0o666)
}

// splice replaces the text between the lines "<!-- name -->" and "<!-- /name -->".
func splice(text, name, content string) (string, error) {
	open, shut := "<!-- "+name+" -->\n", "<!-- /"+name+" -->\n"
	head, rest, ok := strings.Cut(text, open)
	_, tail, ok2 := strings.Cut(rest, shut)
	if !ok || !ok2 {
		return "", fmt.Errorf("no place for %s between %q and %q", name, strings.TrimSpace(open), strings.TrimSpace(shut))
	}
	return head + open + "\n" + strings.TrimRight(content, "\n") + "\n\n" + shut + tail, nil
}

// markdown returns a table per metric, with a row per series and a column per place. CPU times, if
// measured, follow the wall times.
func (t *table) markdown() string {
	var b strings.Builder
	var metrics []string
	for _, r := range t.rows {
		if !slices.Contains(metrics, r.metric) {
			metrics = append(metrics, r.metric)
		}
	}
	for _, m := range metrics {
		places, series := t.places(m), t.series(m)
		first, _ := t.find(m, series[0], places[0])
		fmt.Fprintf(&b, "| %s (%s) | %s |\n|---%s|\n", m, first.unit, strings.Join(places, " | "), strings.Repeat("|---:", len(places)))
		for _, s := range series {
			fmt.Fprintf(&b, "| %s |", s)
			for _, p := range places {
				r, ok := t.find(m, s, p)
				fmt.Fprintf(&b, " %s |", r.text(ok))
			}
			b.WriteString("\n")
		}
		b.WriteString(t.verdict(m, places) + "\n")
	}
	return b.String()
}

// verdict returns a row that says of each place whether the number which is wanted there is met,
// and by which series. It is empty if none is wanted for the metric. Numbers are compared as they
// are written.
func (t *table) verdict(metric string, places []string) string {
	cells, any := make([]string, len(places)), false
	for i, p := range places {
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

// written returns the value with the digits that it has in documents.
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
