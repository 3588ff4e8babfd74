package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/interrupt"
	"drx/dtype"
)

// start starts drx as a separate process. The caller must wait for it.
func start(t *testing.T, dir string, stdout io.Writer, args ...string) (cmd *exec.Cmd, complaint *bytes.Buffer) {
	t.Helper()
	complaint = &bytes.Buffer{}
	cmd = &exec.Cmd{Path: os.Args[0], Args: append([]string{"drx"}, args...), Dir: dir, Stdout: stdout, Stderr: complaint}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, complaint
}

// endOf interrupts a process once, after a while, and returns its exit code, or -1 if the process
// does not end.
func endOf(t *testing.T, cmd *exec.Cmd, after time.Duration) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	soon := time.After(after)
	late := time.After(after + 20*interrupt.GraceTime)
	for {
		select {
		case err := <-ended:
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			return cmd.ProcessState.ExitCode()
		case <-soon:
			_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended, which Wait reports
		case <-late:
			_ = cmd.Process.Kill()
			<-ended
			return -1
		}
	}
}

// A verb that blocks because nobody reads its output does not notice an interruption, but must end
// anyway.
func TestInterruptedWhileNobodyReads(t *testing.T) {
	dir := t.TempDir()
	if code, _, complaint := drxIn(t, dir, "create", "A", "--dtype", "uint8", "--shape", "100000,100"); code != 0 {
		t.Fatal(complaint)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd, complaint := start(t, dir, w, "read", "A", "--csv")
	w.Close()
	if code := endOf(t, cmd, 500*time.Millisecond); code != interrupt.ExitSignal || complaint.String() != "drx: interrupted\n" {
		t.Errorf("exit code %d, %q", code, complaint)
	}
}

// The array that append has created must not stay unless a file is complete, even if a read blocks.
func TestInterruptedCreation(t *testing.T) {
	npy := []byte("\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (40, 3)}")
	npy = append(append(npy, bytes.Repeat([]byte(" "), 127-len(npy))...), '\n', 1, 2, 3)
	for _, test := range []struct {
		args  string
		input []byte
	}{
		{"append A --dim time --create -", npy},
		{"append A --coords day --value v --create -", []byte("day,v\n1,2\n")},
	} {
		dir := t.TempDir()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		complaint := &bytes.Buffer{}
		cmd := &exec.Cmd{Path: os.Args[0], Args: append([]string{"drx"}, strings.Fields(test.args)...), Dir: dir, Stdin: r, Stderr: complaint}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(test.input); err != nil {
			t.Fatal(err)
		}
		code := endOf(t, cmd, time.Second)
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		if code != interrupt.ExitSignal || len(files) > 0 {
			t.Errorf("%s: exit code %d, %q, files %s", test.args, code, complaint, files)
		}
		w.Close()
		r.Close()
	}
}

// Several processes may create the same array; each must append to it in turn.
func TestCreatedByOneOfSeveral(t *testing.T) {
	dir := t.TempDir()
	makeNPY(t, filepath.Join(dir, "one.npy"), 2, 3)
	var running []*exec.Cmd
	var complaints []*bytes.Buffer
	for range 6 {
		cmd, complaint := start(t, dir, io.Discard, "append", "A", "--dim", "time", "--create", "--wait", "one.npy")
		running, complaints = append(running, cmd), append(complaints, complaint)
	}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, complaints[i])
		}
	}
	a, err := drx.Open(filepath.Join(dir, "A"), drx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if n := a.Shape()[0]; n != 6 {
		t.Errorf("%d frames", n)
	}
}

// An interruption must end --wait.
func TestInterruptedWait(t *testing.T) {
	dir := t.TempDir()
	a, err := drx.Create(filepath.Join(dir, "A"), drx.Spec{DType: dtype.Int8, Shape: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	cmd, complaint := start(t, dir, io.Discard, "fill", "A", "--value", "1", "--wait")
	if code := endOf(t, cmd, 2*time.Second); code != interrupt.ExitSignal || !strings.Contains(complaint.String(), "A: waiting for another process") {
		t.Errorf("exit code %d, %q", code, complaint)
	}
}

// On an array of 2^38 chunks, a few of which are written, every verb must end soon, by itself or
// when interrupted, and leave the array intact.
func TestVerbsOnEnormousArrays(t *testing.T) {
	if testing.Short() {
		t.Skip("starts some thirty programs, of which some are interrupted")
	}
	dir := t.TempDir()
	for _, line := range []string{
		"create A --dtype uint8 --shape 137438953472,10 --dims y,x --chunk 1,8",
		"fill A --value 3 --section 7:9,0:10",
		"fill A --value 3 --section 1000000:1000002,0:10",
	} {
		if code, _, complaint := drxIn(t, dir, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: %d, %s", line, code, complaint)
		}
	}
	const interrupted = interrupt.ExitSignal // the others end by themselves
	for _, c := range []struct {
		line string
		want int
	}{
		{"info A", 0},
		{"info A --json --all", 0},
		{"map A", cli.ExitFailure},
		{"map A --at y=0:100", 0},
		{"map --order axial --shape 1099511627776,10", cli.ExitUsage},
		{"verify A", 0},
		{"log A", 0},
		{"ls .", 0},
		{"addr A --element 5,5", 0},
		{"attr A", 0},
		{"labels A --dim y", 0},
		{"advise A --access 1,10:1", 0},
		{"read A", 0},
		{"read A --csv", interrupted},
		{"read A --section 0:137438953472:3,0:10:3 --csv", interrupted},
		{"read A -o out.npy", cli.ExitFailure},
		{"sum A", 0},
		{"sum A --over y", 0},
		{"view A -o out.png", interrupted},
		{"fill A --value 1", interrupted},
		{"copy A B --chunk 1024,10", interrupted},
		{"copy A C --permute 1,0", interrupted},
		{"watch A", 0}, // interrupted, as it always ends
		{"compact A", 0},
		{"recover A D", 0},
		{"shrink A --dim x --by 1", 0},
		{"extend A --dim x --by 1", 0},
		{"extend A --dim x --by 9 --low", 0},
		{"extend A --dim x --by 9 --cubical", cli.ExitUsage},
		{"shrink A --dim y --by 68719476736", 0},
		{"reserve A --dim y --by 8", 0},
		{"shrink A --dim x --by 9 --low", 0},
		{"adddim A z", 0},
	} {
		t.Run(c.line, func(t *testing.T) {
			began := time.Now()
			cmd, complaint := start(t, dir, io.Discard, strings.Fields(c.line)...)
			after := time.Second
			if c.want != interrupted && c.line != "watch A" {
				after = time.Minute // no verb takes that long, however busy the machine is
			}
			code := endOf(t, cmd, after)
			t.Logf("exit code %d after %.1f s: %.300s", code, time.Since(began).Seconds(), complaint)
			if code != c.want {
				t.Errorf("exit code %d, want %d: %.300s", code, c.want, complaint)
			}
			if code, _, complaint := drxIn(t, dir, "verify", "A"); code != 0 {
				t.Errorf("afterwards: %s", complaint)
			}
		})
	}
}

// A long verb that is interrupted while it changes an array must leave the array as it was, or with
// the files that it reports as committed. No journal may remain, and the array must take no more
// space than before.
func TestInterruptedChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("writes arrays that are larger than the cache")
	}
	const rows, side = 20 << 10, 8192 // an array of 160 MiB, which exceeds the cache
	type verb struct {
		line string
		rows int    // committed rows, of 64 indices each
		says string // text after "interrupted; "
		one  bool   // the arrays are one-file arrays
		in   string // or all in this file
	}
	for name, v := range map[string]verb{
		"fill":                   {line: "fill A --value 2", says: "A is as it was before"},
		"fill new chunks":        {line: "fill N --value 2", says: "N.drx is as it was before", one: true},
		"fill in one of several": {line: "fill W.drx/A --value 2", says: "W.drx/A is as it was before", in: "W.drx/"},
		"append to one of several": {
			line: "append W.drx/A --dim 0 row.npy row.npy -", rows: 2, in: "W.drx/",
			says: "2 of 3 files are appended and committed, the rest is rolled back",
		},
		"write":            {line: "write A -", says: "A is as it was before"},
		"append":           {line: "append A --dim 0 -", says: "A is as it was before"},
		"append two files": {line: "append A --dim 0 row.npy row.npy -", rows: 2, says: "2 of 3 files are appended and committed, the rest is rolled back", one: true},
		"reserve": {
			line: "reserve A --dim 0 row.npy -", rows: 1,
			says: "1 of 2 files are written and committed, the rest of section 20480:41024,0:8192 reads as the fill value",
		},
		"reserve nothing": {line: "reserve A --dim 0 -", says: "section 20480:40960,0:8192 is reserved but not filled", one: true},
		"compact":         {line: "compact A", says: "A is as it was before"},
		"recover":         {line: "recover A R"},
		"append rows":     {line: "append T --coords t --value v more.csv -", says: "1 of 2 files are appended and committed, the rest is rolled back"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, form := t.TempDir(), ""
			if v.one {
				form = drx.OneFileExt
			}
			for _, line := range []string{
				fmt.Sprintf("create %sA%s --dtype uint8 --shape %d,%d --chunk 64,%d", v.in, form, rows, side, side), "fill " + v.in + "A --value 1",
				fmt.Sprintf("create %sN%s --dtype uint8 --shape %d,%d --chunk 64,%d", v.in, form, 8*rows, side, side), // never filled completely
				fmt.Sprintf("read %sA --section 0:64,: -o %s", v.in, filepath.Join(dir, "row.npy")),
			} {
				if code, _, complaint := drxIn(t, dir, strings.Fields(line)...); code != 0 {
					t.Fatalf("%s: %s", line, complaint)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "rows.csv"), []byte("t,v\na,1\nb,2\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "more.csv"), []byte("t,v\nd,4\n"), 0o666); err != nil { // a new label: the log grows
				t.Fatal(err)
			}
			if code, _, complaint := drxIn(t, dir, "append", v.in+"T"+form, "--coords", "t", "--value", "v", "--create", "rows.csv"); code != 0 {
				t.Fatal(complaint)
			}
			before := diskUse(t, dir)
			cmd, complaint, fed := startEndless(t, dir, v.line, rows, side)
			waitForChange(t, dir, before, v.line, fed)
			code := endOf(t, cmd, 0)
			if want := strings.TrimSuffix("drx: interrupted; "+v.says, "; ") + "\n"; code != interrupt.ExitSignal || complaint.String() != want {
				t.Errorf("exit code %d, %q, want %q", code, complaint, want)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.xjl")); len(left) > 0 {
				t.Errorf("left %s", left)
			}
			slack := int64(64 << 10)
			// The system may keep the page of zeros at the start of each MiB of freed chunks.
			if v.in != "" {
				slack += 4096 * rows * side / 2 >> 20
			}
			if after, most := diskUse(t, dir), before+int64(v.rows*64*side)+slack; after > most {
				t.Errorf("the files take %d bytes, before %d, and at most %d are allowed", after, before, most)
			}
			for _, array := range []string{"A", "N", "T"} {
				if code, _, complaint := drxIn(t, dir, "verify", v.in+array); code != 0 {
					t.Errorf("%s", complaint)
				}
			}
			// One row of every chunk: all of them take long under the race detector.
			all := fmt.Sprintf("0:%d:64,:", rows+64*v.rows)
			if code, out, complaint := drxIn(t, dir, "sum", v.in+"A", "--section", all); code != 0 || !strings.Contains(out, strconv.Itoa((rows/64+v.rows)*side)) {
				t.Errorf("the sum of one row of every chunk of A is %q, %s", out, complaint)
			}
		})
	}
}

// startEndless starts a command, writes the first half of an array to its standard input, and keeps
// that open. fed is closed when the command has read it.
func startEndless(t *testing.T, dir, line string, rows, side int) (cmd *exec.Cmd, complaint *bytes.Buffer, fed chan bool) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	complaint, fed = &bytes.Buffer{}, make(chan bool)
	cmd = &exec.Cmd{Path: os.Args[0], Args: append([]string{"drx"}, strings.Fields(line)...), Dir: dir, Stdin: r, Stderr: complaint}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(fed)
		if strings.HasSuffix(line, ".csv -") {
			_, _ = io.WriteString(w, "t,v\nc,3\n")
			return
		}
		head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d)}", rows, side)
		_, _ = fmt.Fprintf(w, "\x93NUMPY\x01\x00\x76\x00%-117s\n", head)
		half := bytes.Repeat([]byte{2}, side)
		for range rows / 2 {
			if _, err := w.Write(half); err != nil {
				return // the command has ended
			}
		}
	}()
	return cmd, complaint, fed
}

// waitForChange waits until a command has changed something: the files take more space, or a log is
// longer. A command that reads standard input must have read all of it.
func waitForChange(t *testing.T, dir string, before int64, line string, fed chan bool) {
	t.Helper()
	enough := before + 4<<20
	if strings.HasSuffix(line, " -") {
		<-fed
		enough = before
	}
	if strings.HasSuffix(line, ".csv -") {
		enough = before + 1
	}
	for end := time.Now().Add(time.Minute); diskUse(t, dir) < enough; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not change anything", line)
		}
	}
}

// diskUse returns the bytes that the files of a folder take on the device; for logs it counts their
// lengths.
func diskUse(t *testing.T, dir string) (sum int64) {
	t.Helper()
	for _, name := range filesIn(t, dir) {
		var s syscall.Stat_t
		switch err := syscall.Stat(filepath.Join(dir, name), &s); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			t.Fatal(err)
		case filepath.Ext(name) == ".xmd":
			sum += s.Size
		default:
			sum += s.Blocks * 512
		}
	}
	return sum
}
