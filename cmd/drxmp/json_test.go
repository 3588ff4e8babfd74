package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/shared"
	"drx/cmd/internal/jsontest"
	"drx/dtype"
)

// jsonRuns are command lines for each verb. An exclamation mark marks one that must fail after it
// has printed its result.
var jsonRuns = []string{
	"verify a", "!verify bad", "!verify short",
	"stat a", "stat none",
	"stats a", "stats a --over r --median",
	"copy a b --chunk 3,7 --plan", "copy a b --chunk 3,7", "copy a b --chunk 3,7 --resume", "copy empty c",
	"fill b --value 5",
	"hyper stats cube", "hyper count cube",
	"bench --extent 40 --chunk 7 --rounds 1 --dir .",
}

// TestJSON runs every verb with --json and compares what it prints with docs/JSON.md.
func TestJSON(t *testing.T) {
	page := jsontest.Read(t, "../../docs/JSON.md")
	t.Chdir(t.TempDir())
	makeJSONArrays(t)
	tested := map[string]bool{}
	for _, line := range jsonRuns {
		line, fails := strings.CutPrefix(line, "!")
		args := append(strings.Fields(line), "--json", "--procs", "2")
		section := page["drxmp "+args[0]]
		if args[0] == "hyper" {
			section = page["drx hyper "+args[1]]
		} else if isShared(args[0]) {
			section = page["drx "+args[0]]
		}
		if section == nil {
			t.Fatalf("docs/JSON.md has no section about drxmp %s", args[0])
		}
		tested[args[0]] = true
		var out bytes.Buffer
		root := (&command{}).root()
		root.SetArgs(args)
		root.SetOut(&out)
		if err := root.Execute(); fails != (err != nil) {
			t.Errorf("%s: %v", line, err)
			continue
		}
		section.Check(t, out.String())
	}
	for _, cmd := range (&command{}).root().Commands() {
		if cmd.Hidden {
			continue
		}
		if !tested[cmd.Name()] {
			t.Errorf("%s has no run with --json here", cmd.Name())
			continue
		}
		if !isShared(cmd.Name()) { // the tests of drx have the others
			page["drxmp "+cmd.Name()].Done(t)
		}
	}
}

// isShared reports whether a verb is one of drx, which prints the same.
func isShared(name string) bool {
	return slices.ContainsFunc(shared.Verbs(), func(v shared.Verb) bool { return v.New(shared.Team{}).Name() == name })
}

func makeJSONArrays(t *testing.T) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "bad", "short"} {
		check(counting(name, 9, 10))
	}
	for name, shape := range map[string][]int{"none": {2}, "empty": {0}} {
		a, err := drx.Create(name, drx.Spec{DType: dtype.Float32, Shape: shape, FillValue: "NaN"})
		check(err)
		check(a.Close())
	}
	cube, err := drx.Create("cube", drx.Spec{DType: dtype.Uint8, Shape: []int{8, 9, 3}, Dims: []string{"line", "sample", "band"}})
	check(err)
	data := make([]uint8, 8*9*3)
	for i := range data {
		data[i] = uint8(i * i)
	}
	check(drx.Write(cube, nil, data))
	check(cube.Close())
	f, err := os.OpenFile("bad.xta", os.O_WRONLY, 0)
	check(err)
	_, err = f.WriteAt([]byte{99}, 1)
	check(err)
	check(f.Close())
	// The log of short lacks its last line.
	text, err := os.ReadFile("short.xmd")
	check(err)
	lines := strings.SplitAfter(string(text), "\n")
	check(os.WriteFile("short.xmd", []byte(strings.Join(lines[:len(lines)-2], "")), 0o600))
}
