package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/doctor"
	"drx/internal/vfs/vfstest"
)

// doctorReport runs doctor and returns its report, and the names of the checks that failed.
func doctorReport(t *testing.T, code int, args ...string) (r doctor.Report, bad string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), append([]string{"doctor", "--json"}, args...), nil, &out, &errs); got != code {
		t.Fatalf("exit code %d, want %d: %s", got, code, &errs)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if !c.Good {
			bad += c.Name + ";"
		}
	}
	return r, bad
}

// On a file system of one machine all checks must succeed, and no file may be left.
func TestDoctorHere(t *testing.T) {
	dir := t.TempDir()
	r, bad := doctorReport(t, 0, dir)
	if strings.Contains(bad, "lock") || strings.Contains(bad, "contents") || !r.Writers || !r.Readers || r.Locks == "system" != r.Sharing {
		t.Errorf("%s: %+v", bad, r)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
}

// A folder that does not exist, or is another one, must be refused, and no file may be left.
func TestDoctorOfAnotherFolder(t *testing.T) {
	dir := t.TempDir()
	for _, other := range []string{t.TempDir(), filepath.Join(dir, "none")} {
		if code, text := tryRun(dir, "doctor @ --other "+other); code != 2 || !strings.Contains(text, "through another mount") {
			t.Errorf("exit %d, %s", code, text)
		}
	}
	if code, text := tryRun(dir, "doctor @/none"); code != 1 || !strings.Contains(text, "none") {
		t.Errorf("exit %d, %s", code, text)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
}

// On two mounts of one folder, locks are local and caches are stale. Lock files make writers safe,
// and the second process may be one that the user has started.
func TestDoctorOfFUSE(t *testing.T) {
	real, one, two := vfstest.TwoMounts(t)
	reports := map[string]func() (doctor.Report, string){
		"--other": func() (doctor.Report, string) { return doctorReport(t, 0, one, "--other", two) },
		"--other-host": func() (doctor.Report, string) {
			done := make(chan int, 1)
			go func() {
				for range 500 {
					if files, _ := os.ReadDir(real); len(files) > 0 {
						done <- run(context.Background(), []string{"doctor", two, "--answer", files[0].Name()}, nil, os.Stdout, os.Stderr)
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
				done <- -1
			}()
			r, bad := doctorReport(t, 0, one, "--other-host")
			if code := <-done; code != 0 {
				t.Errorf("the other half ends with %d", code)
			}
			return r, bad
		},
	}
	for name, report := range reports {
		r, bad := report()
		if r.System != "FUSE" || r.Locks != "file" || !r.Writers || !r.Readers || r.Sharing ||
			!strings.HasPrefix(bad, "locks of files;locks of bytes;") || strings.Contains(bad, "anew") {
			t.Errorf("%s: %s: %+v", name, bad, r)
		}
		if files, err := os.ReadDir(real); err != nil || len(files) > 0 {
			t.Error(name, files, err)
		}
	}
}

// With the flag --locks, lock files can be used anywhere.
func TestLocksFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	checkExit(t, cli.ExitUsage, "info A --locks none")
	if code, text := call(t, "create A --dtype int8 --shape 2,3 --locks file"); code != 0 {
		t.Fatal(code, text)
	}
	for _, locks := range []string{"file", "auto"} {
		text := `{"token":"00","host":"elsewhere","boot":"x","pid":1,"beat":1,"time":"` + time.Now().Format(time.RFC3339) + `"}`
		if err := os.WriteFile("A.xlk", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		code, said := call(t, "fill A --value 1 --locks "+locks)
		if locked := strings.Contains(said, "process 1 on elsewhere"); locked != (locks == "file") || locked != (code == cli.ExitFailure) {
			t.Error(locks, code, said)
		}
	}
}
