package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary serve as the peer DRX, as the program does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childFlag {
		if err := serveChild(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(runTests(m))
}

// testPeers are built once for all tests.
var testPeers *peers

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "drx-bench-test-")
	if err == nil {
		testPeers, err = newPeers(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// testLab returns a lab for tiny runs. Its peers end with the test.
func testLab(t *testing.T) *lab {
	t.Helper()
	t.Cleanup(func() {
		if err := testPeers.stopAll(); err != nil {
			t.Error(err)
		}
	})
	return &lab{dir: t.TempDir(), short: true, reps: 3, log: io.Discard, peers: testPeers}
}

// installed returns the competitors that can run here: at least DRX, and those in C if gcc is
// installed.
func installed(t *testing.T, l *lab, cs ...competitor) []competitor {
	t.Helper()
	there := l.present(cs...)
	if _, err := exec.LookPath("gcc"); err == nil && !l.peers.has(rowMajor) {
		t.Fatalf("there is gcc, but: %v", l.peers.missing["rowmajor"])
	}
	return there
}

// Every peer must answer every request about a small array of every rank with the same values.
func TestPeersAgree(t *testing.T) {
	l := testLab(t)
	cs := installed(t, l, drxDefault, drxBounded, hdf5Default, hdf5Cached, hdf5Bare, netcdfCached, netcdfBare, zarr, rowMajor, rowMap)
	for _, a := range []struct{ shape, chunk, size, by []int }{
		{[]int{50}, []int{7}, []int{9}, []int{5}},
		{[]int{40, 30}, []int{16, 8}, []int{11, 5}, []int{7, 9}},
		{[]int{9, 12, 10}, []int{4, 5, 3}, []int{3, 7, 4}, []int{2, 1, 3}},
		{[]int{5, 6, 4, 7}, []int{2, 3, 4, 2}, []int{2, 2, 3, 4}, []int{1, 2, 1, 2}},
	} {
		shape := shapeArgs(a.shape, a.chunk)
		appended := append([]string{"shape=" + commaed(append([]int{0}, a.shape[1:]...))}, shape[1])
		requests := [][]string{
			append([]string{"create"}, shape...),
			{"read", "n=5", "size=" + commaed(a.size)},
			{"read", "n=7", "rounds=3", "size=" + commaed(uniform(len(a.size), 1))},
			{"close"},
			{"open", "write=1"},
			{"gather", "n=33", "rounds=2"},
			{"scatter", "n=21"},
			{"sweep", "rows=4"},
			{"scan", "dim=0"},
			{"scan", fmt.Sprintf("dim=%d", len(a.size)-1), "n=3"},
			{"scan", "dim=0", "elements=1", "n=60"},
			{"close"},
			{"reopen", "n=2"},
			append([]string{"grow", "by=" + commaed(a.by), "steps=6", "reads=20"}, shape...),
			{"close"},
			append([]string{"grow", "by=" + commaed(a.by), "steps=6", "reads=20", "random=1", "memory=1"}, shape...),
			{"close"},
			append([]string{"append", "rows=3", "n=4", "durable=1"}, appended...),
			{"close"},
			append([]string{"extend", "n=5", "commit=1", "write=1", "fill=0"}, shape...),
			{"close"},
		}
		if len(a.size) == 2 {
			requests = append(requests[:2:2], append([][]string{{"read", "n=4", "order=col", "size=" + commaed(a.size)}}, requests[2:]...)...)
		}
		for _, q := range requests {
			agree(t, l, cs, q)
		}
	}
}

// agree sends a request to all competitors, each about its own array, and compares the checks.
func agree(t *testing.T, l *lab, cs []competitor, q []string) {
	t.Helper()
	check, of := "", ""
	for _, c := range cs {
		path := filepath.Join(l.dir, strings.ReplaceAll(c.series, " ", "-"))
		r, err := l.peers.call(c, q[0], append([]string{"path=" + path, "seed=3"}, q[1:]...)...)
		if err != nil {
			t.Fatalf("%s: %v: %v", c.series, q, err)
		}
		if of == "" {
			check, of = r.check, c.series
		}
		if r.check != check {
			t.Errorf("%v: %s found %s, %s %s", q, c.series, r.check, of, check)
		}
		if r.wall < 0 || r.cpu < 0 {
			t.Errorf("%v: %s took %v, CPU %v", q, c.series, r.wall, r.cpu)
		}
	}
	if check == "0" && strings.HasPrefix(q[0], "read") {
		t.Errorf("%v: the check is empty", q)
	}
}

// The limits that claim to copy the requested elements must do so.
func TestLimitsCopyTheSamePieces(t *testing.T) {
	l := testLab(t)
	if len(installed(t, l, copyPieces, copyPlain)) == 0 {
		t.Skip("no gcc")
	}
	shape := shapeArgs([]int{48, 64}, []int{16, 16})
	for _, c := range []competitor{drxDefault, copyPieces, copyPlain} {
		if err := l.callUntimed(c, "create", "pieces", shape...); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.peers.call(drxDefault, "close"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(l.dir, "pieces-drx")
	if err := l.callUntimed(drxDefault, "open", "pieces"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.peers.call(readChunks, "open", append([]string{"path=" + file + ".xta"}, shape...)...); err != nil {
		t.Fatal(err)
	}
	for _, q := range [][]string{
		{"size=16,16", "align=16"},
		{"size=32,32", "align=16"},
		{"size=13,21"},
		{"size=1,64"},
		{"size=48,1"},
		{"size=32,32", "align=16", "order=col"},
		{"size=13,21", "order=col"},
	} {
		want, err := l.peers.call(drxDefault, "read", append(q, "n=9")...)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []competitor{copyPieces, copyPlain} {
			got, err := l.peers.call(c, "read", append(q, "n=9")...)
			if err != nil || got.check != want.check {
				t.Errorf("%v: %s found %s, drx %s, %v", q, c.series, got.check, want.check, err)
			}
		}
	}
	want, err := l.peers.call(drxDefault, "read", "size=16,16", "align=16", "n=9")
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.peers.call(readChunks, "read", "size=16,16", "align=16", "n=9")
	if err != nil || got.check != want.check {
		t.Errorf("pread of the chunks found %s, drx %s, %v", got.check, want.check, err)
	}
}

// A child must report what is wrong with a request, and continue.
func TestChildRefuses(t *testing.T) {
	c := &child{}
	for line, want := range map[string]string{
		"":                       "error empty request",
		"dance":                  "unsupported dance",
		"read size":              `error argument "size" is not key=value`,
		"read size=1,x":          "error argument size=1,x",
		"read size=1 n=x":        "error argument n=x",
		"read size=1":            "error no array is open",
		"scan":                   "error no array is open",
		"open path=/nowhere/a":   "error",
		"create path=/nowhere/a": "error argument shape=",
		"open cache=lots":        "error argument cache=lots",
	} {
		if got := c.answer(line); !strings.HasPrefix(got, want) {
			t.Errorf("%q: answer %q, want %q", line, got, want)
		}
	}
}

func TestServeChildEnds(t *testing.T) {
	var out bytes.Buffer
	path := filepath.Join(t.TempDir(), "a")
	in := strings.NewReader("create shape=4,4 chunk=2,2 path=" + path + "\nread size=4,4\n")
	if err := serveChild(in, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[1], "ok ") {
		t.Fatalf("answers %q", lines)
	}
	var sum, first, last uint64
	for i := range 4 {
		for j := range 4 {
			v := valueAt([]int{i, j})
			sum += v * uint64(4*i+j+1)
			last = v
		}
	}
	if want := fmt.Sprint(sum + first + last); !strings.HasSuffix(lines[1], " "+want) {
		t.Errorf("answer %q, want the check %s", lines[1], want)
	}
}
