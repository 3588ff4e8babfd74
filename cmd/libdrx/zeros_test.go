package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var prototype = regexp.MustCompile(`(?m)^int ((?:drx_|xta)\w+)\(([^;]*)\);`)

// TestZeros calls every function with zeros and NULL for all arguments, then with valid handles and
// NULL for everything else. A call that needs a handle fails without one; no call crashes, panics
// or hangs.
func TestZeros(t *testing.T) {
	t.Parallel()
	notCalled := map[string]bool{"drx_abi": true, "drx_signals": true, "drx_dtype_parse": true}
	closing := regexp.MustCompile(`_(close|discard)$`)
	var without, with strings.Builder
	calls := 0
	for _, m := range prototype.FindAllStringSubmatch(header(t, "drx"), -1) {
		name, handles := m[1], 0
		if notCalled[name] {
			continue
		}
		var zeros, right []string
		for param := range strings.SplitSeq(spaces.ReplaceAllString(m[2], " "), ",") {
			param = strings.TrimSpace(param)
			zeros = append(zeros, "0")
			switch {
			case strings.Contains(param, "*"):
				right = append(right, "0")
			case strings.HasPrefix(param, "drx_array"):
				right, handles = append(right, "a"), handles+1
			case strings.HasPrefix(param, "drx_dataset"):
				right, handles = append(right, "d"), handles+1
			default:
				right = append(right, "0")
			}
		}
		calls++
		want := "code >= 0"
		if handles > 0 {
			want = "code == DRX_EHANDLE || code == DRX_EINVAL || code == DRX_ERANK"
		}
		writef(&without, "\tcode = %s(%s);\n\tCHECK((%s) && code != DRX_EINTERNAL);\n", name, strings.Join(zeros, ", "), want)
		if handles > 0 && !closing.MatchString(name) {
			writef(&with, "\tcode = %s(%s);\n\tCHECK(code >= 0 && code < DRX_EINTERNAL);\n", name, strings.Join(right, ", "))
		}
	}
	if calls < 65 {
		t.Fatalf("%d functions in drx.h: the test does not read it well", calls)
	}
	source := fmt.Sprintf(`#include "check.h"
int main(void)
{
	drx_array a;
	drx_dataset d;
	int64_t shape[] = {3};
	int code;

	OK(drx_create("a", DRX_INT16, 1, shape, NULL, &a));
	OK(drx_dataset_create("d", NULL, &d));
%s%s	OK(drx_close(a));
	OK(drx_dataset_close(d));
	return 0;
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
	compile(t, file, "-I"+testdata).run(t)
}
