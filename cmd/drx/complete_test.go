package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Names of arrays are completed without the extensions of their files, and folders with a slash.
// After a dimension and = come its labels, or the values of its coordinate.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		"create @/k --dtype i2 --shape 2 --dims x", `attr @/k labels/0/0=["ab","ac"]`, "create @/one.drx --dtype i2 --shape 2",
		"create @/ds --dataset", "create @/ds/time --dtype int32 --shape 2 --dims time", "fill @/ds/time --at time=1 --value 7",
	} {
		mustRun(t, dir, line)
	}
	for _, test := range []struct{ line, last, want string }{
		{"read", "@/", "@/ds/ @/k @/one.drx :4"},
		{"read", "@/k", "@/k :4"},
		{"read", "@/d", "@/ds/ :6"},
		{"read @/k --sel", "", "x= :6"},
		{"read @/k --sel", "x=", "x=ab x=ac :36"},
		{"read @/k --sel", "x=a", "x=ab x=ac :36"},
		{"read @/k --sel", "x=ab|", "x=ab|ab x=ab|ac :36"},
		{"export @/ds --sel", "time=", "time=0 time=7 :36"},
		{"export @/ds --sel", "time=0,", "time=0,time= :6"},
	} {
		args := append([]string{"__complete"}, words(dir, test.line)...)
		_, out, _ := drxRun(t, append(args, strings.ReplaceAll(test.last, "@", dir))...)
		if got := strings.ReplaceAll(strings.Join(strings.Fields(out), " "), dir, "@"); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.line, test.last, got, test.want)
		}
	}
}

// Without the package bash-completion the script for bash must divide a line itself.
func TestBashCompletionAlone(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash")
	}
	_, script, _ := drxRun(t, "completion", "bash")
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bash, "--norc", "-c", `source "$0"; COMP_LINE="drx read k --sel x="; COMP_POINT=${#COMP_LINE}
_get_comp_words_by_ref -n =: cur prev words cword; echo "$cword/$prev/$cur/${#words[@]}"
COMP_LINE="drx read "; COMP_POINT=9; _get_comp_words_by_ref cur; echo "$cword/$prev/$cur/"`, file).CombinedOutput()
	if err != nil || string(out) != "4/--sel/x=/5\n2/read//\n" {
		t.Errorf("%s, %v", out, err)
	}
}
