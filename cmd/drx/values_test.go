package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/dtype"
	"drx/formats/transfer"
	"drx/internal/vfs"
)

// drxIn runs a command line in a folder and returns the exit code and the output.
func drxIn(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(dir)
	return drxRun(t, args...)
}

// The exit code must be 2 for impossible values, even if they are impossible only for this array,
// and 1 for other failures. None of them may change the array.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{"create A --dtype int8 --shape 4,5 --dims y,x", "attr A a=1", "read A -o in.npy"} {
		if code, _, complaint := drxIn(t, dir, strings.Fields(line)...); code != 0 {
			t.Fatalf("%s: %d, %s", line, code, complaint)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "A.xmd"))
	if err != nil {
		t.Fatal(err)
	}
	for want, lines := range map[int]string{
		cli.ExitUsage: `
create B --dtype int8 --shape -1
create B --dtype int8 --shape 2,2 --chunk 2
create B --dtype int8 --shape 2 --chunk 0
create B --dtype int8 --shape 2 --lo 1,2
create B --dtype int8 --shape 2 --lo 9223372036854775807
create B --dtype int8 --shape 4294967296,4294967296
create B --dtype int8 --shape 2 --fill 128
create B --dtype int8 --shape 2 --fill x
create B --dtype int8 --shape 2,2 --dims y
create B --dtype int8 --shape 2,2 --dims y,y
create B --dtype int8 --shape 2,2 --dims y,` + "\xff" + `
create B --dtype int8 --shape 2,2 --order 1,0
create B --dtype int8 --shape 2,2 --order fortran
create B --dtype int8 --shape 2 --align -1
create B --dtype int7 --shape 2
create B --dtype int8 --shape x
create .. --dtype int8 --shape 2
create B --dtype int8
extend A --dim z --by 1
extend A --dim 2 --by 1
extend A --dim y --by 0
extend A --dim y --by -1
extend A --dim y --by 9223372036854775807
extend A --dim y --by x
extend A --dim x --by 1 --by
shrink A --dim z --by 1
shrink A --dim y --by 5
shrink A --dim y --by 0
adddim A y
adddim A ` + "\xff" + `
append A --dim z in.npy
reserve A --dim z --by 1
reserve A --dim y --by 0
attr A ` + "\xff" + `=1
copy A B --chunk 0,1
copy A B --chunk 2
copy A B --chunk 9223372036854775807,4
copy A B --plan --chunk 4611686018427387904,1
copy A B --section 0:9,:
fill A --value x
fill A --value 128
fill A --value 1 --section 0:9,:
fill A --value 1 --section :
write A --at 0 in.npy
write A --at 1,0 in.npy
write A --at x in.npy
read A --section 0:9,:
read A --section x
read A --order 0,0
read A --limit -1
read A --at-version 3
read A --at-version 0
read A -o out.txt
read A -o A.xmd
read A -o out
info A --at-version 99
addr A --chunk 2,0
addr A --chunk 0
addr A --number 99
addr A --number -1
addr A --element 4,0
view A --dims z,x
view A --at y=9
view A --section 2:2,:
view A --zoom -1
view A --width -1
view A --lo Inf
view A --colors jet
view A -o out.jpg
map A --dims y,y
map A --at y=7
map A -o out.jpg
log A --limit -1
watch A --count -1
nonsense
info`,
		cli.ExitFailure: `
create A --dtype int8 --shape 2
create nowhere/B --dtype int8 --shape 2
extend B --dim 0 --by 1
read B
read A -o nowhere/out.npy
append A --dim y missing.npy
write A missing.npy
attr A nothing
attr A --delete nothing
info B
verify B
recover A A
ls nowhere`,
		0: `
read A -o ok.npy
read A -o OK.NPY
view A --section 0:2,:
view A --at y=3
write A --at 0,0 in.npy`,
	} {
		for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
			code, _, complaint := drxIn(t, dir, strings.Fields(line)...)
			if code != want || (code != 0) != (strings.Count(complaint, "\n") == 1) {
				t.Errorf("%s: exit code %d, want %d: %s", line, code, want, complaint)
			}
			now, err := os.ReadFile(filepath.Join(dir, "A.xmd"))
			if err != nil || code != 0 && !bytes.Equal(now, log) {
				t.Fatalf("%s: the array has changed, %v: %s", line, err, now)
			}
			log = now
		}
	}
	for _, name := range []string{"B.xmd", "out.txt", "out", "out.jpg"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v, want none", name, err)
		}
	}
}

func TestCreateOrder(t *testing.T) {
	_, _, complaint := drxIn(t, t.TempDir(), "create", "A", "--dtype", "int8", "--shape", "2,2", "--order", "1,0")
	if want := "drx: --order \"1,0\": want row, col, morton or hilbert\n"; complaint != want {
		t.Errorf("%q, want %q", complaint, want)
	}
}

func TestReadOutputName(t *testing.T) {
	_, _, complaint := drxIn(t, t.TempDir(), "read", "A", "-o", "x.foo")
	if want := "drx: -o x.foo: want a name that ends in .npy or .csv, or - for stdout\n"; complaint != want {
		t.Errorf("%q, want %q", complaint, want)
	}
}

// Control characters in the names of arrays, dimensions and attributes must never be printed
// unescaped.
func TestControlCharacters(t *testing.T) {
	const bad = "\x1b[31mred\a\u009b\u202e"
	dir := t.TempDir()
	a, err := drx.Create(filepath.Join(dir, bad), drx.Spec{DType: dtype.Int8, Shape: []int{2, 3, 2}, ChunkShape: []int{1, 1, 1}, Dims: []string{"y\n" + bad, "x\t", "z"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.SetAttr("a"+bad, bad); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"info", bad},
		{"log", bad},
		{"attr", bad},
		{"ls"},
		{"map", bad, "--no-color"},
		{"view", bad},
		{"read", bad},
		{"read", bad, "--csv"},
		{"read", bad, "--section", "9,:,:"},
		{"verify", bad},
		{"extend", bad, "--dim", "z", "--by", "1"},
		{"extend", bad, "--dim", bad, "--by", "1"},
		{"shrink", bad, "--dim", "z", "--by", "1"},
		{"fill", bad, "--value", "1"},
		{"compact", bad},
		{"recover", bad, "new" + bad},
		{"create", "C" + bad, "--dtype", "int8", "--shape", "1"},
		{"create", bad, "--dtype", "int8", "--shape", "1"},
		{"read", "nothing" + bad},
		{"read", bad, "-o", "x" + bad},
		{bad},
		{"__complete", "extend", bad, "--dim", ""},
	} {
		_, stdout, stderr := drxIn(t, dir, args...)
		for _, r := range stdout + stderr {
			if r != '\n' && r != ' ' && cli.Escaped(string(r)) != string(r) {
				t.Errorf("%q prints %q:\n%q%q", args, r, stdout, stderr)
				break
			}
		}
		if stdout+stderr == "" {
			t.Errorf("%q prints nothing", args)
		}
	}
	// The printed name is for people; drx does not accept it as the name of the dimension.
	if _, stdout, _ := drxIn(t, dir, "info", bad); !strings.Contains(stdout, `"y\n\x1b[31mred\a\u009b\u202e", "x\t", z`) {
		t.Errorf("dimensions are not quoted in\n%s", stdout)
	}
}

// An output that cannot fit must be refused before anything is written.
func TestOutputThatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	if code, _, complaint := drxIn(t, dir, "create", "A", "--dtype", "uint8", "--shape", "1099511627776,1048576", "--chunk", "1024,1024"); code != 0 {
		t.Fatal(complaint)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-o", "out.npy"}, "drx: out.npy: needs 1.0 EiB, the file system has "},
		{[]string{"--limit", "0"}, "drx: A: a table of 1099511627776 rows and 1048576 columns has more than 4194304 elements"},
		{[]string{"--limit", "1000000"}, "drx: A: a table of 1000000 rows and 1000000 columns has more than "},
	} {
		code, stdout, complaint := drxIn(t, dir, append([]string{"read", "A"}, c.args...)...)
		if code != cli.ExitFailure || stdout != "" || !strings.HasPrefix(complaint, c.want) {
			t.Errorf("%v: exit code %d: %q, %q, want %q", c.args, code, stdout, complaint, c.want)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*out*"))
	if hidden, _ := filepath.Glob(filepath.Join(dir, ".*out*")); err != nil || len(left)+len(hidden) > 0 {
		t.Errorf("left behind: %v %v, %v", left, hidden, err)
	}
	if code, _, complaint := drxIn(t, dir, "read", "A", "--section", "0:9,0:9", "-o", "out.npy"); code != 0 {
		t.Error(complaint)
	}
	if err := transfer.CheckSpace(filepath.Join(dir, "nowhere", "x"), 1<<62); err != nil {
		t.Errorf("a folder that does not exist is a matter of the writing: %v", err)
	}
	if err := transfer.CheckSpace("/dev/null", 1<<62); err != nil {
		t.Errorf("/dev/null is full: %v", err)
	}
}

// The first interruption asks a verb to end, which a verb that waits for its input does not notice.
// The second one must end it at once.
func TestSecondInterruption(t *testing.T) {
	for _, second := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := t.TempDir()
		if code, _, complaint := drxIn(t, dir, "create", "A", "--dtype", "uint8", "--shape", "0,2"); code != 0 {
			t.Fatal(complaint)
		}
		cmd := &exec.Cmd{Path: os.Args[0], Args: []string{"drx", "append", "A", "--dim", "0", "-"}, Dir: dir}
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		waitForWriter(t, filepath.Join(dir, "A"))
		for i, signal := range []syscall.Signal{syscall.SIGTERM, second} {
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			wait := 300 * time.Millisecond
			if i == 1 {
				wait = time.Minute
			}
			select {
			case err = <-ended:
				if want := "signal: " + second.String(); i == 0 || fmt.Sprint(err) != want {
					t.Errorf("interruption %d ended it: %v, want the second one and %q", i+1, err, want)
				}
			case <-time.After(wait):
				if i == 1 {
					t.Errorf("%v as the second interruption did not end it", second)
					_ = cmd.Process.Kill()
				}
			}
		}
		_ = in.Close()
	}
}

// waitForWriter waits until another process has the array open for writing, without disturbing it.
func waitForWriter(t *testing.T, name string) {
	t.Helper()
	log, err := vfs.OS.Open(name+".xmd", false)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for end := time.Now().Add(time.Minute); !log.Locked(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody has locked the array")
		}
	}
}

// A .csv file has what --csv and --long print, with times as ISO text, and no other file has.
func TestReadToCSV(t *testing.T) {
	dir := t.TempDir()
	table := "time;temp [degC]\n31.03.2024 00:00;1,5\n31.03.2024 06:00;-9999\n"
	if err := os.WriteFile(filepath.Join(dir, "st.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"import", "st.csv", "st", "--na", "-9999"}, {"read", "st/temp", "-o", "out.csv", "--long"}} {
		if code, _, complaint := drxIn(t, dir, args...); code != 0 {
			t.Fatal(complaint)
		}
	}
	const want = "time,value\n2024-03-31,1.5\n2024-03-31T06:00,NaN\n"
	if got, err := os.ReadFile(filepath.Join(dir, "out.csv")); err != nil || string(got) != want {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	if _, out, _ := drxIn(t, dir, "attr", "st/temp", "units"); !strings.Contains(out, "degC") {
		t.Errorf("units %q", out)
	}
	if code, _, _ := drxIn(t, dir, "read", "st/temp", "-o", "out.npy", "--csv"); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
}
