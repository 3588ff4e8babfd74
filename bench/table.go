package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"drx/bench/chart"
)

// A row is one figure of a table: the median of a series in one column of a metric.
type row struct {
	metric string  // what was measured: "time", "metadata"
	series string  // the competitor or limit: "drx", "hdf5 default", "memcpy"
	limit  bool    // a limit of the machine, not a competitor
	x      float64 // position on a numeric axis
	column string  // name on an axis of names; if empty, x counts
	value  float64 // the median
	unit   string  // of value, cpu, low and high
	cpu    float64 // median CPU time of all threads; 0 if value is no time
	low    float64 // the smallest of the repetitions
	high   float64 // the largest
	reps   int
	digits int // significant ones of value in documents; 0 means 3
}

// A table holds the rows of one experiment in the order in which they were added.
type table struct{ rows []row }

func (t *table) add(r row) { t.rows = append(t.rows, r) }

// find returns the row of a series in a column. The column is a name or, on a numeric axis, the
// shortest text of x.
func (t *table) find(metric, series, column string) (row, bool) {
	for _, r := range t.rows {
		if r.metric == metric && r.series == series && r.at() == column {
			return r, true
		}
	}
	return row{}, false
}

// at returns the column as text.
func (r row) at() string {
	if r.column != "" {
		return r.column
	}
	return strconv.FormatFloat(r.x, 'g', -1, 64)
}

// columns returns the columns of a metric, in order.
func (t *table) columns(metric string) []string {
	var columns []string
	for _, r := range t.rows {
		if r.metric == metric && !slices.Contains(columns, r.at()) {
			columns = append(columns, r.at())
		}
	}
	return columns
}

// series returns the series of a metric, in order, limits last.
func (t *table) series(metric string) []string {
	var names, limits []string
	for _, r := range t.rows {
		switch {
		case r.metric != metric || slices.Contains(names, r.series) || slices.Contains(limits, r.series):
		case r.limit:
			limits = append(limits, r.series)
		default:
			names = append(names, r.series)
		}
	}
	return append(names, limits...)
}

// best adds, for every column of a metric, a row with the smallest value among the series that
// begin with prefix. The prefix "hdf5" gives the new series "hdf5 best".
func (t *table) best(metric, prefix string) {
	t.leastOf(metric, prefix+" best", func(series string) bool { return strings.HasPrefix(series, prefix) })
}

// leastOf adds, for every column of a metric, a row with the smallest value among some series as
// the new series name.
func (t *table) leastOf(metric, name string, of func(series string) bool) {
	for _, column := range t.columns(metric) {
		least := row{value: math.Inf(1)}
		for _, r := range t.rows {
			if r.metric == metric && r.at() == column && of(r.series) && r.series != name && r.value < least.value {
				least = r
			}
		}
		if least.series != "" {
			least.series = name
			t.add(least)
		}
	}
}

// divide divides the rows of a metric by the value of the given series at the same column, and adds
// the ratios as rows of the metric to.
func (t *table) divide(metric, to, series string) {
	for _, r := range t.rows {
		by, ok := t.find(metric, series, r.at())
		if r.metric != metric || r.series == series || !ok || by.value == 0 {
			continue
		}
		r.value /= by.value
		r.metric, r.unit, r.cpu, r.low, r.high = to, "/ "+series, 0, r.value, r.value
		t.add(r)
	}
}

// families lists the peers with several settings.
var families = []string{"hdf5", "netcdf", "row-major"}

// bestOfPeers adds the best setting of each peer that has several.
func (t *table) bestOfPeers(metric string) {
	for _, f := range families {
		t.best(metric, f)
	}
}

// writeCSV writes the table with a header line.
func (t *table) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	records := [][]string{{"metric", "column", "series", "limit", "median", "unit", "cpu", "low", "high", "reps"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, r := range t.rows {
		records = append(records, []string{
			r.metric, r.at(), r.series, strconv.FormatBool(r.limit), number(r.value), r.unit,
			number(r.cpu), number(r.low), number(r.high), strconv.Itoa(r.reps),
		})
	}
	if err := c.WriteAll(records); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// chart returns a plot of the table.
func (t *table) chart(e experiment, p plot) chart.Chart {
	c := chart.Chart{
		Title: p.title, X: chart.Axis{Label: p.x, Log: p.logX}, Y: chart.Axis{Label: p.y, Log: p.logY},
	}
	if c.Title == "" {
		c.Title = e.title
	}
	if e.figure != "" {
		c.Note = "after figure " + e.figure + " of Nimako's thesis (2016)"
	}
	columns := t.columns(p.metric)
	named := slices.ContainsFunc(t.rows, func(r row) bool { return r.metric == p.metric && r.column != "" })
	if named {
		c.X.Names, c.Kind = columns, chart.Dots
	}
	if p.bars {
		c.Kind = chart.Bars
	}
	names := p.series
	if names == nil {
		names = t.series(p.metric)
	}
	for _, name := range names {
		s := chart.Series{Name: name}
		for _, r := range t.rows {
			if r.metric != p.metric || r.series != name {
				continue
			}
			s.Limit = r.limit
			x := r.x
			if named {
				x = float64(slices.Index(columns, r.at()))
			}
			s.Points = append(s.Points, chart.Point{X: x, Y: r.value})
		}
		c.Series = append(c.Series, s)
	}
	return c
}
