//go:build ga && mpi && cgo

package main_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// functionsOf returns the functions of DRA and of PEXTA that an archive defines.
func functionsOf(t *testing.T, archive string) map[string]bool {
	t.Helper()
	out, err := exec.Command("nm", "--defined-only", archive).Output()
	if err != nil {
		t.Fatal(err)
	}
	ofPrograms := regexp.MustCompile(`^(N?DRA_|PEXTA_|(n?dra|pexta)_\w*_$)`)
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 3 && f[1] == "T" && ofPrograms.MatchString(f[2]) {
			found[f[2]] = true
		}
	}
	return found
}

// declared returns the functions of PEXTA in its two headers, as the linker names them.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^extern .*?\b(PEXTA_\w+)\(`).FindAllStringSubmatch(source(t, "../../include/pexta.h"), -1) {
		found[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^ +(?:Integer|External) +(PEXTA_\w+)$`).FindAllStringSubmatch(source(t, "../../include/pexta.fh"), -1) {
		found[strings.ToLower(m[1])+"_"] = true
	}
	return found
}

// called returns the functions that the test programs call, as the linker names them.
func called(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for pattern, language := range map[string]struct {
		comment, call *regexp.Regexp
		name          func(string) string
	}{
		"*.[ch]": {regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`), regexp.MustCompile(`\b(N?DRA_\w+|PEXTA_\w+)\(`), strings.Clone},
		"*.F90":  {regexp.MustCompile(`(?m)!.*$`), regexp.MustCompile(`\b(n?dra_\w+|pexta_\w+)\(`), func(name string) string { return name + "_" }},
	} {
		var files []string
		for _, folder := range []string{"testdata", "testdata/conformance"} {
			some, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, some...)
		}
		for _, file := range files {
			text := language.comment.ReplaceAllString(source(t, file), "")
			for _, m := range language.call.FindAllStringSubmatch(text, -1) {
				found[language.name(m[1])] = true
			}
		}
	}
	return found
}

// TestEveryName: the library has every DRA function that the library of Global Arrays has, in C and
// in Fortran, because a program could not be linked if it used a missing one. It has exactly the
// functions that the headers declare, and a test program calls each.
func TestEveryName(t *testing.T) {
	theirs, err := exec.Command("mpicc.openmpi", "-print-file-name=libga-openmpi.a").Output()
	if err != nil {
		t.Skip(err)
	}
	file, err := archive()
	if err != nil {
		t.Fatal(err)
	}
	dra, pexta, ours, tested := functionsOf(t, strings.TrimSpace(string(theirs))), declared(t), functionsOf(t, file), called(t)
	if len(dra) < 40 || len(pexta) < 39 {
		t.Errorf("Global Arrays has %d names of DRA, want 40; the headers of PEXTA have %d, want 39 at least", len(dra), len(pexta))
	}
	wanted := maps.Clone(dra)
	maps.Copy(wanted, pexta)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !ours[name] {
			t.Errorf("the library has no %s", name)
		}
		if !tested[name] {
			t.Errorf("no test program calls %s", name)
		}
	}
	for name := range ours {
		if !wanted[name] {
			t.Errorf("the library has %s, which neither DRA nor the headers of PEXTA have", name)
		}
	}
}
