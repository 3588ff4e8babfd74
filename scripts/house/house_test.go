package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// layers are the layers of the modules in testdata.
var layers = []layer{
	{"low", "low internal/kernel", "low", true},
	{"store", "internal/vfs", "low store", false},
	{"root", ".", "low store", false},
	{"libraries", "lib other third more/...", "low root libraries", false},
	{"programs", "cmd/...", "low root libraries programs", false},
}

// TestPlanted checks modules that break rules: every violation is reported with its position and
// the remedy.
func TestPlanted(t *testing.T) {
	for name, h := range map[string]rules{
		"clean":        {reach: []exception{{who: "internal/vfs"}, {who: "cmd/..."}}},
		"wrong-import": {reach: []exception{{who: "internal/vfs"}, {who: "lib/gone.go"}}},
		"tangle":       {tangles: []ceiling{{pkg: "other", files: 7}, {pkg: "third", files: 8}}},
		"no-comment":   {},
		"widths":       {},
		"error-text":   {errorTexts: []exception{{who: "low"}, {who: "lib/gone.go"}}},
		"ending":       {kinds: []string{"ErrBounds"}, ownKinds: []exception{{"low", "ErrFormat", ""}}},
		"flags":        {flagTexts: []exception{{who: "other"}, {who: "lib/gone.go"}}},
		"extension":    {spell: []exception{{who: "low"}, {who: "lib/other.go"}}},
	} {
		t.Run(name, func(t *testing.T) {
			root, want := extract(t, filepath.Join("testdata", name+".txtar"))
			h.layers = layers
			got, err := check(root, h, []string{"", "mpi"})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("violations:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// extract writes an archive to a folder, except for the file want, whose lines it returns.
func extract(t *testing.T, name string) (root string, want []string) {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	for _, f := range a.Files {
		if f.Name == "want" {
			want = strings.FieldsFunc(string(f.Data), func(r rune) bool { return r == '\n' })
			continue
		}
		path := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root, want
}

// TestCheckReportsTypeErrors: a module that does not compile gives an error, not an empty list of
// violations.
func TestCheckReportsTypeErrors(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module house\n\ngo 1.26\n", "x.go": "// Package x is wrong.\npackage x\n\nvar x int = \"\"\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := check(root, rules{layers: layers}, []string{""}); err == nil || !strings.Contains(err.Error(), "x.go:4") {
		t.Errorf("error %v, want one that names x.go:4", err)
	}
}

// TestCycles compares with small graphs made by hand.
func TestCycles(t *testing.T) {
	ring := func(prefix string, n int, graph map[string][]string) {
		for i := range n {
			from, to := prefix+string(rune('a'+i)), prefix+string(rune('a'+(i+1)%n))
			graph[from] = append(graph[from], to)
		}
	}
	graph := map[string][]string{"xa": {"ya", "outside"}, "inside": {"xa"}}
	ring("x", few+1, graph)
	ring("y", few+2, graph)
	ring("z", few, graph)
	sets := cycles(graph)
	if len(sets) != 2 || len(sets[0]) != few+1 || len(sets[1]) != few+2 || sets[0][0] != "xa" || sets[1][0] != "ya" {
		t.Errorf("sets %v, want the rings of x and y", sets)
	}
	graph["ya"] = append(graph["ya"], "xa")
	if sets := cycles(graph); len(sets) != 1 || len(sets[0]) != 2*few+3 {
		t.Errorf("sets %v, want the rings of x and y as one", sets)
	}
}
