package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mpArguments are the arguments for the parameters of drxmp.h by their types, in a call with valid
// handles.
var mpArguments = map[string]string{"drxmp_array": "a", "DRXMDHdl": "a", "drxmp_global": "g", "DRXMDMemHdl": "m", "MPI_Comm": "MPI_COMM_SELF", "DRXComm": "MPI_COMM_SELF"}

// TestMPZeros is TestZeros for drxmp.h, in a job of one process.
func TestMPZeros(t *testing.T) {
	mp := regexp.MustCompile(`(?m)^int ((?:drxmp|DRXMP)_\w+)\(([^;]*)\);`)
	closing := regexp.MustCompile(`_([Cc]lose|discard|[Tt]erminate|free)$`)
	var without, with strings.Builder
	calls := 0
	for _, m := range mp.FindAllStringSubmatch(header(t, "drxmp"), -1) {
		var zeros, right []string
		handles := 0
		for param := range strings.SplitSeq(spaces.ReplaceAllString(m[2], " "), ",") {
			kind, _, _ := strings.Cut(strings.TrimSpace(param), " ")
			pointer := strings.Contains(param, "*")
			switch argument, is := mpArguments[kind]; {
			case kind == "void" && !pointer:
			case is && !pointer && strings.HasSuffix(strings.ToLower(kind), "comm"):
				zeros, right = append(zeros, "MPI_COMM_NULL"), append(right, argument)
			case is && !pointer:
				zeros, right, handles = append(zeros, "0"), append(right, argument), handles+1
			default:
				zeros, right = append(zeros, "0"), append(right, "0")
			}
		}
		calls++
		want := "code >= 0"
		if handles > 0 {
			want = "code == DRX_EHANDLE || code == DRX_EINVAL || code == DRX_ERANK"
		}
		writef(&without, "\tcode = %s(%s);\n\tTRUE((%s) && code != DRX_EINTERNAL);\n", m[1], strings.Join(zeros, ", "), want)
		if !closing.MatchString(m[1]) {
			writef(&with, "\tcode = %s(%s);\n\tTRUE(code >= 0 && code != DRX_EINTERNAL && code < DRXMP_EFAILED);\n", m[1], strings.Join(right, ", "))
		}
	}
	if calls < 65 {
		t.Fatalf("%d functions in drxmp.h: the test does not read it well", calls)
	}
	source := fmt.Sprintf(`#include "mp.h"
int main(int argc, char **argv)
{
	drxmp_array a;
	drxmp_global g;
	DRXMDMemHdl m;
	int64_t shape[] = {3};
	int code;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
%s	OK(drxmp_create(MPI_COMM_WORLD, "a", DRX_INT16, 1, shape, NULL, &a));
	OK(drxmp_global_create(a, &g));
	OK(DRXMP_Mem_init(&m, a, 1, NULL, NULL, NULL));
%s	OK(DRXMP_Mem_free(m));
	OK(drxmp_global_close(g));
	OK(drxmp_close(a));
	return finish();
}
`, &without, &with)
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "zeros.c")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := compileMP(t, file, "-I"+testdata).mpirun(t, 1); out != "good\n" {
		t.Errorf("calls with zeros print\n%s", out)
	}
}
