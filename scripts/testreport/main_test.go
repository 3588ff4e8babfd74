package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const events = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"chatter\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood","Elapsed":0.1}
{"Action":"output","Package":"m/a","Test":"TestBad","Output":"it broke\n"}
{"Action":"fail","Package":"m/a","Test":"TestBad"}
{"Action":"output","Package":"m/a","Test":"TestAway","Output":"no data\n"}
{"Action":"skip","Package":"m/a","Test":"TestAway"}
{"Action":"output","Package":"m/a","Output":"FAIL\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.2}
{"Action":"build-output","ImportPath":"m/b","Output":"b.go:1: wrong\n"}
{"Action":"fail","Package":"m/b","FailedBuild":"m/b"}
{"Action":"skip","Package":"m/none"}
{"Action":"pass","Package":"m/c","Test":"TestGood"}
{"Action":"pass","Package":"m/c","Test":"TestGood/sub"}
{"Action":"pass","Package":"m/c","Elapsed":1}
go: a line that is no event`

func TestRead(t *testing.T) {
	var out strings.Builder
	got, err := read(strings.NewReader(events), &out)
	if want := (tally{passed: 3, failed: 2, skipped: 1}); err != nil || got != want {
		t.Errorf("counts %+v, %v, want %+v", got, err, want)
	}
	want := `m/a TestBad
it broke
FAIL
FAIL m/a                                 0.20s  1 passed, 1 failed, 1 skipped
b.go:1: wrong
FAIL m/b                                 0.00s  0 passed, 1 failed
ok   m/c                                 1.00s  2 passed
go: a line that is no event`
	if out.String() != want {
		t.Errorf("report:\n%s\nwant:\n%s", out.String(), want)
	}
}

func TestAppendLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	for _, line := range []string{"1 2\n", "3 4\n"} {
		if err := appendLine(path, line); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "1 2\n3 4\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if err := appendLine(filepath.Join(path, "below"), ""); err == nil {
		t.Error("no error for a file below a file")
	}
}
