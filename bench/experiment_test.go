package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"drx/bench/chart"
)

func TestMedianAndSpan(t *testing.T) {
	for _, test := range []struct {
		values            []float64
		median, low, high float64
	}{{nil, 0, 0, 0}, {[]float64{4}, 4, 4, 4}, {[]float64{9, 1, 5}, 5, 1, 9}, {[]float64{8, 2, 4, 6}, 5, 2, 8}} {
		before := slices.Clone(test.values)
		low, high := span(test.values)
		if m := median(test.values); m != test.median || low != test.low || high != test.high {
			t.Errorf("%v: median %g, span %g to %g", test.values, m, low, high)
		}
		if !slices.Equal(before, test.values) {
			t.Errorf("the values were changed to %v", test.values)
		}
	}
}

// A race must rotate the entrant that is first, give all the same seeds, and record the median time
// per operation.
func TestRace(t *testing.T) {
	l := &lab{reps: 3, log: io.Discard}
	var order []string
	runner := func(name string, ops float64) entrant {
		return entrant{series: name, run: func(seed uint64) (result, error) {
			order = append(order, fmt.Sprint(name, seed))
			return result{wall: time.Duration(seed) * time.Microsecond, cpu: time.Millisecond, ops: ops, check: fmt.Sprint(seed)}, nil
		}}
	}
	no := entrant{series: "no", run: func(uint64) (result, error) { return result{}, fmt.Errorf("dance: %w", errUnsupported) }}
	var tab table
	found, err := l.race(&tab, cell{metric: "m", x: 2, unit: nanoseconds}, runner("a", 10), runner("b", 0), no)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a1", "b1", "b2", "a2", "a3", "b3"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	a, _ := tab.find("m", "a", "2")
	b, _ := tab.find("m", "b", "2")
	if a.value != 200 || b.value != 2000 || a.low != 100 || a.high != 300 || a.cpu != 1e5 || len(tab.rows) != 2 {
		t.Errorf("rows %+v", tab.rows)
	}
	if len(found["a"]) != 3 || found["no"] != nil {
		t.Errorf("results %v", found)
	}
}

// A slow entrant must make fewer repetitions, but at least two; the others must make all.
func TestRaceEndsEarly(t *testing.T) {
	l := &lab{reps: 6, log: io.Discard}
	runner := func(name string, wall, enough time.Duration) entrant {
		return entrant{series: name, enough: enough, run: func(seed uint64) (result, error) {
			return result{wall: wall, check: fmt.Sprint(seed)}, nil
		}}
	}
	found, err := l.race(&table{}, cell{metric: "m", unit: nanoseconds},
		runner("slow", 2*time.Second, 2*time.Second), runner("slower", time.Second, 5*time.Second),
		runner("fast", time.Second, 7*time.Second), runner("patient", time.Minute, 0))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"slow": 2, "slower": 5, "fast": 6, "patient": 6} {
		if n := len(found[name]); n != want {
			t.Errorf("%s: %d repetitions, want %d", name, n, want)
		}
	}
}

func TestRaceFindsWrongValues(t *testing.T) {
	l := &lab{reps: 2, log: io.Discard}
	says := func(name, check string, err error) entrant {
		return entrant{series: name, run: func(uint64) (result, error) { return result{check: check}, err }}
	}
	if _, err := l.race(&table{}, cell{metric: "m"}, says("a", "1", nil), says("b", "2", nil)); err == nil || !strings.Contains(err.Error(), "b found 2, a found 1") {
		t.Errorf("different values: error %v", err)
	}
	broken := errors.New("broken")
	if _, err := l.race(&table{}, cell{metric: "m"}, says("a", "1", nil), says("b", "", broken)); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if _, err := l.race(&table{}, cell{metric: "m"}, says("a", "1", nil), says("b", "", nil)); err != nil {
		t.Errorf("what is not checked: %v", err)
	}
}

func testTable() *table {
	t := &table{}
	for _, r := range []row{
		{series: "drx", x: 1, value: 2, cpu: 3},
		{series: "hdf5 default", x: 1, value: 9},
		{series: "hdf5 64 MiB", x: 1, value: 5, cpu: 6},
		{series: "drx", x: 10, value: 4},
		{series: "hdf5 default", x: 10, value: 7},
		{series: "hdf5 64 MiB", x: 10, value: 8},
		{series: "memcpy", x: 1, value: 1, limit: true},
	} {
		r.metric, r.unit, r.reps = "m", "ns", 5
		t.add(r)
	}
	return t
}

func TestBestAndChart(t *testing.T) {
	tab := testTable()
	tab.best("m", "hdf5")
	for column, want := range map[string]float64{"1": 5, "10": 7} {
		if r, ok := tab.find("m", "hdf5 best", column); !ok || r.value != want {
			t.Errorf("best at %s: %v, want %g", column, r, want)
		}
	}
	if got := tab.series("m"); got[len(got)-1] != "memcpy" {
		t.Errorf("series %v: limits belong to the end", got)
	}
	c := tab.chart(experiment{title: "t", figure: "6.4.1"}, plot{metric: "m", series: []string{"drx", "hdf5 best"}})
	if c.Title != "t" || c.Kind != chart.Lines || len(c.Series) != 2 || !slices.Equal(c.Series[1].Points, []chart.Point{{X: 1, Y: 5}, {X: 10, Y: 7}}) {
		t.Errorf("chart %+v", c)
	}
}

// divide must compute ratios column by column and change no other row.
func TestDivide(t *testing.T) {
	tab := testTable()
	before := len(tab.rows)
	tab.add(row{metric: "m", series: "hdf5 default", x: 100, value: 1}) // here drx was not measured
	tab.divide("m", "ratio", "drx")
	for series, want := range map[string][2]float64{"hdf5 default": {4.5, 1.75}, "hdf5 64 MiB": {2.5, 2}, "memcpy": {0.5, 0}} {
		for i, column := range []string{"1", "10"} {
			r, ok := tab.find("ratio", series, column)
			if r.value != want[i] || ok != (want[i] != 0) || r.cpu != 0 || r.limit != (ok && series == "memcpy") {
				t.Errorf("%s at %s: %+v, want %g", series, column, r, want[i])
			}
		}
	}
	if n := len(tab.rows); n != before+1+5 {
		t.Errorf("%d rows", n)
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	if err := testTable().writeCSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"m", "1", "drx", "false", "2", "ns", "3", "0", "0", "5"}; len(records) != 8 || !slices.Equal(records[1], want) {
		t.Errorf("records %v", records)
	}
}

func TestTargets(t *testing.T) {
	tables := map[string]*table{"e": testTable()}
	gs := []target{
		{work: "w1", experiment: "e", metric: "m", column: "1", reference: "hdf5 64 MiB", least: 2.5},
		{work: "w2", experiment: "e", metric: "m", column: "1", reference: "hdf5 64 MiB", least: 2.6},
		{work: "w3", experiment: "e", metric: "m", column: "10", reference: "drx", at: "1", least: 0.5},
		{work: "w4", experiment: "e", metric: "m", column: "1", reference: "hdf5 64 MiB", least: 2, cpu: true},
		{work: "w5", experiment: "e", metric: "m", column: "99", reference: "drx", least: 1},
		{work: "w6", experiment: "other", metric: "m", column: "1", reference: "drx", least: 1},
		{work: "w7", experiment: "e", metric: "m", column: "1", reference: "hdf5 64 MiB", least: 2.6, limit: "memcpy", limitShare: 0.5},
		{work: "w8", experiment: "e", metric: "m", column: "1", reference: "hdf5 64 MiB", least: 2.6, limit: "memcpy", limitShare: 0.6},
		{work: "w9", experiment: "e", metric: "m", column: "10", reference: "hdf5 64 MiB", least: 2, limit: "memcpy", limitShare: 0.6},
	}
	text := targetTable(gs, tables)
	for _, want := range []string{
		"| w1 | hdf5 64 MiB | 2.5 | 2.5 | pass |", "| 2.6 | 2.5 | miss |", "drx at 1 | 0.5 | 0.5 | pass |", "CPU time | 2 | 2 | pass |", "| w5 | drx | 1 | not measured |",
		"| w7 | hdf5 64 MiB, or 0.5 of memcpy | 2.6 | 2.5, 0.5 | pass |", "0.6 of memcpy | 2.6 | 2.5, 0.5 | miss |", "| 2 | 2 | pass |", "5 of 7 measured",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "w6") || targetTable(gs, nil) != "" {
		t.Error("a target of an experiment that did not run is reported")
	}
	old := strings.ReplaceAll(text, "| 2.5 | pass |", "| 0.1 | miss |")
	if got := updatedTargets(old, gs, nil); got != strings.Replace(old, "5 of 7", "4 of 7", 1) {
		t.Errorf("lines of experiments that did not run:\n%s", got)
	}
	if got := updatedTargets(old, gs, tables); got != text {
		t.Errorf("lines of experiments that ran again:\n%s", got)
	}
}

// Every target must name an experiment and a metric of its plots that exist.
func TestTargetsNameExperiments(t *testing.T) {
	names := map[string]bool{"batch": true}
	seen := map[string]bool{}
	for _, e := range experiments {
		if seen[e.name] {
			t.Errorf("two experiments are called %s", e.name)
		}
		seen[e.name] = true
		for _, p := range e.plots {
			names[p.metric] = true
		}
	}
	for _, g := range targets {
		if !seen[g.experiment] || !names[g.metric] {
			t.Errorf("%s: no experiment %s with metric %s", g.work, g.experiment, g.metric)
		}
	}
}

// A run must write a page for every experiment and keep the targets of those that did not run.
func TestDocument(t *testing.T) {
	dir := t.TempDir()
	tables := map[string]*table{}
	for _, e := range experiments {
		tables[e.name] = testTable()
	}
	short := filepath.Join(dir, "PERFORMANCE.md")
	if err := document(dir, settings{}, tables); err == nil || !strings.Contains(err.Error(), short) {
		t.Errorf("without the short page: %v", err)
	}
	text := "A\n7 of 9 measured targets are met.\n<!-- compressed -->\nold\n<!-- end of compressed -->\nB\n<!-- real data -->\n<!-- end of real data -->\nC\n"
	if err := os.WriteFile(short, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := document(dir, settings{}, tables); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(short); err != nil || !regexp.MustCompile(
		`^A\n\d+ of \d+ measured targets are met\.\n<!-- compressed -->\n\| work [^<]*decode[^<]*\|\n<!-- end of compressed -->\nB\n<!-- real data -->\n\| ratio[^<]*\n<!-- end of real data -->\nC\n$`).Match(raw) {
		t.Errorf("the short page: %s, %v", raw, err)
	}
	for _, e := range experiments {
		if text := readPage(t, dir, e.name+".md"); strings.Count(text, "| hdf5 64 MiB | 5 (6) | 8 |") != 1 || !strings.Contains(text, "# "+e.title+"\n") {
			t.Errorf("the page of %s: %s", e.name, text)
		}
	}
	all := readPage(t, dir, "targets.md")
	if err := document(dir, settings{}, map[string]*table{}); err != nil {
		t.Fatal(err)
	}
	if again := readPage(t, dir, "targets.md"); again != all || !strings.Contains(all, "| not measured |") {
		t.Errorf("targets after a run of no experiment: %s, before: %s", again, all)
	}
}

// readPage returns a page of figures below dir.
func readPage(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "perf", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every experiment must have a page that the documents link to, and its figures.
func TestPages(t *testing.T) {
	var text string
	for _, name := range []string{"perf/README.md", "PERFORMANCE-MP.md", "HYPER.md"} {
		raw, err := os.ReadFile(filepath.Join("../docs", name))
		if err != nil {
			t.Fatal(err)
		}
		text += string(raw)
	}
	for _, s := range []settings{{}, {parallel: true}, {hyper: true}} {
		for _, e := range s.suite().experiments {
			if page := readPage(t, "../docs", e.name+".md"); !strings.HasPrefix(page, "<!-- Written") || !strings.Contains(page, "\n|---|") {
				t.Errorf("%s: the page has no table", e.name)
			}
			if !strings.Contains(text, e.name+".md)") {
				t.Errorf("no document links to docs/perf/%s.md", e.name)
			}
		}
	}
}

// The targets in docs/PERFORMANCE.md must be those of the last run.
func TestSummary(t *testing.T) {
	summary, err := os.ReadFile("../docs/PERFORMANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	targets, shown := readPage(t, "../docs", "targets.md"), 0
	for line := range strings.Lines(string(summary)) {
		if strings.HasSuffix(line, "| pass |\n") || strings.HasSuffix(line, "| miss |\n") {
			if shown++; !strings.Contains(targets, line) {
				t.Errorf("docs/perf/targets.md has no line %s", line)
			}
		}
	}
	if shown < 10 {
		t.Errorf("docs/PERFORMANCE.md shows %d targets", shown)
	}
	if last := targets[strings.LastIndex(strings.TrimSpace(targets), "\n")+1:]; !strings.Contains(string(summary), strings.TrimSpace(last)) {
		t.Errorf("docs/PERFORMANCE.md does not say: %s", last)
	}
}

func TestParseFlags(t *testing.T) {
	s, err := parseFlags([]string{"-short", "-only", "^mem"})
	if err != nil || s.reps != 3 || !s.only.MatchString("memory") || s.only.MatchString("append") {
		t.Errorf("settings %+v, %v", s, err)
	}
	if s, err = parseFlags(nil); err != nil || s.reps != 5 {
		t.Errorf("settings %+v, %v", s, err)
	}
	if _, err = parseFlags([]string{"-only", "("}); err == nil {
		t.Error("no error for a bad pattern")
	}
}

// A whole experiment must run, from the start of the peers to the files that it writes.
func TestEndToEnd(t *testing.T) {
	for _, test := range []struct {
		experiment, arrays string
		files              []string
	}{
		{"opening", "opening-*", []string{"opening.csv", "opening-reopen.svg"}},
		{"sections-small", "small-*", []string{"sections-small.csv", "sections-small-hot.svg", "sections-small-ratio.svg"}},
	} {
		t.Run(test.experiment, func(t *testing.T) {
			l := testLab(t)
			s := settings{only: regexp.MustCompile("^" + test.experiment + "$"), out: filepath.Join(l.dir, "out")}
			if err := runIn(l, s); err != nil {
				t.Fatal(err)
			}
			for _, name := range test.files {
				if info, err := os.Stat(filepath.Join(s.out, name)); err != nil || info.Size() < 200 {
					t.Errorf("%s: %v, %v", name, info, err)
				}
			}
			left, err := filepath.Glob(filepath.Join(l.dir, test.arrays))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

func TestStorage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for name, size := range map[string]int{"a": 100, "a.xta": 8192, "ab": 1} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	apparent, allocated, err := storeSize(path)
	if err != nil || apparent != 8292 || allocated < 0 {
		t.Errorf("size %d, allocated %d, %v", apparent, allocated, err)
	}
	if share, err := resident(path); err == nil && (share < 0 || share > 1) {
		t.Errorf("resident share %g", share)
	}
	if err := touchMemory(1 << 20); err != nil {
		t.Error(err)
	}
	if err := removeStore(path); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

func TestParseAnswer(t *testing.T) {
	r, err := parseAnswer("ok 1000 2000 3 77\n")
	if err != nil || r.wall != time.Microsecond || r.cpu != 2*time.Microsecond || r.ops != 3 || r.check != "77" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := parseAnswer("unsupported gather\n"); !errors.Is(err, errUnsupported) {
		t.Errorf("error %v", err)
	}
	for _, bad := range []string{"", "ok 1 2 3", "ok 1 2 x 4", "error", "error it broke", "hello"} {
		if _, err := parseAnswer(bad); err == nil || errors.Is(err, errUnsupported) {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}

// Random positions must lie within the shape and be aligned; every value must be below the modulus.
func TestStartsAndValues(t *testing.T) {
	shape, size := []int{100, 37, 11}, []int{8, 1, 11}
	for _, align := range []int{1, 4} {
		at := make([]int, 300*3)
		starts(5, shape, size, align, at)
		seen := map[int]bool{}
		for i, v := range at {
			d := i % 3
			if v < 0 || v+size[d] > shape[d] || v%align != 0 {
				t.Fatalf("place %d of dimension %d, align %d", v, d, align)
			}
			if d == 0 {
				seen[v] = true
			}
		}
		if len(seen) < 20 {
			t.Errorf("only %v", slices.Sorted(maps.Keys(seen)))
		}
	}
	buf := make([]float64, 6)
	fillBox(box{[]int{1, 2, 3}, []int{1, 2, 3}}, buf)
	for i, v := range buf {
		if want := float64(valueAt([]int{1, 2 + i/3, 3 + i%3})); v != want || v >= valueModulus {
			t.Errorf("element %d is %g, want %g", i, v, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("read size=1,2 n=3")
	f.Add("ok 1 2 3 4")
	f.Fuzz(func(t *testing.T, line string) {
		if q, err := parseRequest(line); err == nil {
			for key := range q.args {
				if list, err := q.numbers(key); err == nil && commaed(list) == "" {
					t.Errorf("%q: no numbers and no error", line)
				}
			}
		}
		if r, err := parseAnswer(line); err == nil && r.check == "" {
			t.Errorf("%q: an answer without a check", line)
		}
	})
}

// A series meets the number wanted of a metric at a column if its number, as it is printed, reaches
// it; limits do not count.
func TestVerdict(t *testing.T) {
	tab := &table{}
	for _, r := range []row{
		{metric: "m", series: "a", column: "x", value: 0.1204},
		{metric: "m", series: "b", column: "x", value: 0.3},
		{metric: "m", series: "a", column: "y", value: 97},
		{metric: "m", series: "b", column: "y", value: 96.9},
		{metric: "m", series: "a", column: "z", value: 1},
		{metric: "m", series: "published", column: "x", value: 0, limit: true},
		{metric: "m", series: wantedAtMost, column: "x", value: 0.12, limit: true},
		{metric: "m", series: wantedAtLeast, column: "y", value: 98, limit: true},
		{metric: "n", series: "a", column: "x", value: 1},
	} {
		tab.add(r)
	}
	if got, want := tab.verdict("m", tab.columns("m")), "| met or missed | met by a | missed | – |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := tab.verdict("n", tab.columns("n")); got != "" {
		t.Errorf("%q where nothing is wanted", got)
	}
}
