package main

import (
	"slices"
	"strings"
	"testing"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
)

// wrongCalls are command lines of every verb: with a missing array, which gives exit code 1, and
// with a wrong value, which gives exit code 2. A is an array of 2 x 3 bytes.
var wrongCalls = []struct{ verb, missing, wrong string }{
	{"adddim", "adddim none z", "adddim A y"},
	{"addr", "addr none --number 0", "addr A --element 9,9"},
	{"advise", "advise none --access 1,1", "advise A --access 1"},
	{"append", "append none --dim 0 none.npy", "append A --dim z none.npy"},
	{"attr", "attr none", "attr A =1"},
	{"coarsen", "coarsen none B x=2", "coarsen A B x"},
	{"compact", "compact none", "compact A B"},
	{"recompress", "recompress none --codec lz4", "recompress A"},
	{"convert", "convert none", "convert A B C"},
	{"copy", "copy none B", "copy A B --chunk 0,1"},
	{"cp", "cp none B", "cp A"},
	{"create", "create none/A --dtype int8 --shape 3", "create B --dtype int9 --shape 3"},
	{"cut", "cut none B --at x=1", "cut A B"},
	{"doctor", "doctor none", "doctor . --other . --other-host"},
	{"diff", "diff none A", "diff A A --atol -1"},
	{"demo", "demo --dir A.xmd/none", "demo none"},
	{"export", "export none out.npy", "export A out.none"},
	{"extend", "extend none --dim 0 --by 1", "extend A --dim 0 --by 0"},
	{"fill", "fill none --value 1", "fill A --value 300"},
	{"hyper abundance", "hyper abundance none --endmembers none.json", "hyper abundance A --endmembers none.json --method fclss"},
	{"hyper classify", "hyper classify none --endmembers none.json", "hyper classify A --endmembers none.json --measure sad"},
	{"hyper count", "hyper count none", "hyper count A --false-alarm 1"},
	{"hyper detect", "hyper detect none --method rx", "hyper detect A --method mf"},
	{"hyper endmembers", "hyper endmembers none --method vca --count 3", "hyper endmembers A --method nfinder --count 3"},
	{"hyper info", "hyper info none", "hyper info A --rgb 1,2,3"},
	{"hyper mnf", "hyper mnf none", "hyper mnf A --denoise"},
	{"hyper pct", "hyper pct none", "hyper pct A --explain 2"},
	{"hyper score", "hyper score --endmembers none.json --truth none.csv", "hyper score --endmembers none.json"},
	{"hyper stats", "hyper stats none", "hyper stats A --matrices"},
	{"hyper synth", "hyper synth made --spectra none.csv", "hyper synth made"},
	{"hyper watch", "hyper watch none --once", "hyper watch A --once --animate growth.gif"},
	{"import", "import none.npy B", "import none.npy B --chunk 0"},
	{"info", "info none", "info A --at-version 0"},
	{"labels", "labels none", "labels A --dim z"},
	{"log", "log none", "log A B"},
	{"ls", "ls none", "ls --none"},
	{"map", "map none", "map A --at y=9"},
	{"mv", "mv none B", "mv A"},
	{"pack", "pack none", "pack A B C"},
	{"read", "read none", "read A --section 9,9"},
	{"recover", "recover none B", "recover A B --in-place"},
	{"regrid", "regrid none B --to x=1", "regrid A B"},
	{"rename", "rename none a b", "rename A z t"},
	{"reserve", "reserve none --dim 0 --by 1", "reserve A --dim 0 --by 0"},
	{"rm", "rm none", "rm"},
	{"shrink", "shrink none --dim 0 --by 1", "shrink A --dim 0 --by 9"},
	{"sort", "sort none B --by x", "sort A B --by x"},
	{"stats", "stats none --over 0", "stats A --over z"},
	{"unpack", "unpack none B", "unpack A B C"},
	{"verify", "verify none", "verify A B"},
	{"view", "view none", "view A --width 99999"},
	{"watch", "watch none", "watch A --count -1"},
	{"write", "write none none.npy", "write A none.npy --at 0,x"},
}

// Every verb must exit with 1 if the array is missing and with 2 if the command line is wrong, and
// print one line.
func TestExitCodesOfEveryVerb(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := drx.Create("A", drx.Spec{DType: dtype.Int8, Shape: []int{2, 3}, Dims: []string{"y", "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for _, c := range wrongCalls {
		verbs = append(verbs, c.verb)
		failure := cli.ExitFailure
		if c.verb == "diff" { // its code 1 means that the arguments differ
			failure = cli.ExitUsage
		}
		checkExit(t, failure, c.missing)
		checkExit(t, cli.ExitUsage, c.wrong)
		checkExit(t, cli.ExitUsage, c.verb+" A --frobnicate")
	}
	for _, verb := range allVerbs() {
		if !slices.Contains(verbs, verb) {
			t.Errorf("%s is not in wrongCalls", verb)
		}
	}
	for _, line := range []string{"frobnicate", "frobnicate A --dim 0", "--frobnicate", "help frobnicate", "hyper frobnicate", "completion frobnicate", "completion bash A"} {
		checkExit(t, cli.ExitUsage, line)
	}
	for _, line := range []string{"", "--help", "help", "help info", "info --help", "hyper", "hyper info --help", "completion", "completion bash", "--version"} {
		if code, text := call(t, line); code != 0 || text != "" {
			t.Errorf("drx %s: exit code %d, %q", line, code, text)
		}
	}
}

// A file without elements along the dimension is a failure of reserve, like any other wrong file:
// the command line is right.
func TestReserveForNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{"create A --dtype int8 --shape 2,3", "create E --dtype int8 --shape 0,3", "export E e.npy"} {
		if code, text := call(t, line); code != 0 {
			t.Fatalf("drx %s: exit code %d, %q", line, code, text)
		}
	}
	checkExit(t, cli.ExitFailure, "reserve A --dim 0 e.npy")
}

// An unknown method must be reported before missing flags.
func TestUnknownMethodFirst(t *testing.T) {
	code, text := call(t, "hyper endmembers A --method nfinder")
	if code != cli.ExitUsage || !strings.Contains(text, `--method "nfinder" (did you mean nfindr?)`) {
		t.Errorf("exit code %d, %q", code, text)
	}
}

// allVerbs returns the verbs, as "info" and "hyper info"; hyper itself is not one.
func allVerbs() []string {
	var verbs []string
	for _, cmd := range newRoot().Commands() {
		switch {
		case cmd.IsAdditionalHelpTopicCommand() || cmd.Hidden:
		case cmd.HasSubCommands():
			for _, sub := range cmd.Commands() {
				verbs = append(verbs, verbIn([]string{cmd.Name(), sub.Name()}))
			}
		default:
			verbs = append(verbs, cmd.Name())
		}
	}
	return verbs
}

// verbIn returns the verb of a command line: its first word, or the first two if that verb has
// verbs of its own.
func verbIn(args []string) string {
	if args[0] == "hyper" {
		return args[0] + " " + args[1]
	}
	return args[0]
}

func checkExit(t *testing.T, want int, line string) {
	t.Helper()
	code, text := call(t, line)
	if code != want || !strings.HasPrefix(text, "drx: ") || strings.Count(text, "\n") != 1 {
		t.Errorf("drx %s: exit code %d, want %d, and one line; got %q", line, code, want, text)
	}
}

// call runs a command line and returns the exit code and the error output.
func call(t *testing.T, line string) (int, string) {
	t.Helper()
	code, _, stderr := drxRun(t, strings.Fields(line)...)
	return code, stderr
}
