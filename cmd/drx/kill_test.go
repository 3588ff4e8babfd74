package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"drx"
	"drx/cmd/drx/internal/cli"
	"drx/cmd/drx/internal/demo"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// killEnv is the environment variable that makes a test process kill itself before the file
// operation with the given number.
const killEnv = "DRX_TEST_KILL_BEFORE"

// changing lists the operations that change files. A kill before any other operation leaves the
// files as they were after the last change, so it needs no test of its own.
var changing = []vfstest.Op{vfstest.OpCreate, vfstest.OpRemove, vfstest.OpRename, vfstest.OpLink, vfstest.OpWrite, vfstest.OpTruncate, vfstest.OpPunch}

// armKill makes this process kill itself if killEnv is set.
func armKill() {
	limit, err := strconv.ParseInt(os.Getenv(killEnv), 10, 64)
	if err != nil {
		return
	}
	var count atomic.Int64
	vfs.OS = &vfstest.Faulty{FS: vfs.OS, Fail: func(op vfstest.Op, _ string) error {
		if slices.Contains(changing, op) && count.Add(1) >= limit {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
		return nil
	}}
}

// A victim is a verb that changes files. In its command lines @ stands for the folder of a test.
type victim struct {
	before []string // make the files that exist before
	verb   string   // the verb to kill
	// steps are command lines that together have the effect of the verb. A kill may leave the state
	// after any of them. The last step may be omitted: it is then the verb itself.
	steps []string
	array string // the array that it changes; empty is A
	makes bool   // fails if the array exists already
	// partly allows the elements of each chunk to be as before or as after the verb.
	partly bool
	// formed reports that the form of the arrays matters for the names in its command lines.
	formed bool
}

const makeA = "create @/A --dtype int16 --shape 5,7 --chunk 2,3 --dims y,x --fill -1"

// grownA is an array with a history, attributes and data.
var grownA = []string{makeA, "write @/A @/five.npy", "extend @/A --dim x --by 4 --low", "attr @/A units=K scale=0.5", "fill @/A --section 1:3,-3:2 --value 9"}

var victims = map[string]victim{
	"create":       {verb: makeA, makes: true},
	"extend":       {before: grownA, verb: "extend @/A --dim y --by 3"},
	"shrink":       {before: grownA, verb: "shrink @/A --dim x --by 4"},
	"regrow":       {before: append(slices.Clip(grownA), "shrink @/A --dim x --by 4"), verb: "extend @/A --dim x --by 3"},
	"adddim":       {before: grownA, verb: "adddim @/A time"},
	"rename":       {before: grownA, verb: "rename @/A x lon"},
	"attr":         {before: grownA, verb: "attr @/A units=m new=[1,2]"},
	"attr delete":  {before: grownA, verb: "attr @/A --delete units"},
	"labels":       {before: grownA, verb: "labels @/A --dim y --set-from @/labels.txt"},
	"fill":         {before: grownA, verb: "fill @/A --section 1:5,-2:6 --value 3"},
	"write":        {before: grownA, verb: "write @/A @/five.npy --at 0,-4"},
	"write afresh": {before: []string{makeA}, verb: "write @/A @/five.npy"},
	"append": {
		before: grownA, verb: "append @/A --dim x @/five.npy @/frame.npy",
		steps: []string{"append @/A --dim x @/five.npy", "append @/A --dim x @/frame.npy"},
	},
	"append low": {before: grownA, verb: "append @/A --dim x --low @/five.npy"},
	"reserve": {
		before: grownA, verb: "reserve @/A --dim x @/five.npy",
		steps:  []string{"extend @/A --dim x --by 7", "write @/A @/five.npy --at 0,7"},
		partly: true, // appended elements of other processes go to the same chunks
	},
	"append rows": {
		before: []string{"append @/A --coords item,day --value n --create @/rows.csv"},
		verb:   "append @/A --coords item,day --value n --combine sum @/more.csv",
	},
	"append --create": {
		verb:  "append @/A --coords item,day --value n --create @/rows.csv",
		steps: []string{"append @/A --coords item,day --value n --create @/none.csv", "append @/A --coords item,day --value n @/rows.csv"},
	},
	"append frames --create": {
		verb: "append @/A --dim x --create --dims y,x --fill -1 @/five.npy @/frame.npy",
		steps: []string{
			"create @/A --dtype int16 --shape 5,0 --dims y,x --fill -1",
			"append @/A --dim x @/five.npy", "append @/A --dim x @/frame.npy",
		},
	},
	"append with labels": {
		before: []string{"create @/A --dtype int32 --shape 0,5 --chunk 2,3 --dims time,x"},
		verb:   "append @/A --dim time --label mon --label tue @/frame.npy @/frame.npy",
		steps:  []string{"append @/A --dim time --label mon @/frame.npy", "append @/A --dim time --label tue @/frame.npy"},
	},
	"write a frame": {before: grownA, verb: "write @/A @/row.npy --at 2,-3"},
	"recompress":    {before: grownA, verb: "recompress @/A --codec zstd:3"},
	"compact":       {before: append(slices.Clip(grownA), "shrink @/A --dim x --by 3 --low"), verb: "compact @/A"},
	"copy":          {before: grownA, verb: "copy @/A @/B --chunk 4,1 --resume", array: "B"},
	"copy in passes": {
		before: []string{"create @/A --dtype int8 --shape 64,64 --chunk 1,64", "fill @/A --section 3:60,5:64 --value 7"},
		verb:   "copy @/A @/B --permute 1,0 --chunk 1,64 --memory 2KiB --resume", array: "B",
	},
	"cp":      {before: grownA, verb: "cp @/A @/B", array: "B", makes: true},
	"cut":     {before: grownA, verb: "cut @/A @/B --at x=1 --resume", array: "B"},
	"sort":    {before: append(slices.Clip(grownA), `attr @/A labels/0/0=["e","d","c","b","a"]`), verb: "sort @/A @/B --by y --resume", array: "B"},
	"recover": {before: grownA, verb: "recover @/A @/B", array: "B", makes: true},
	"unpack":  {before: append(slices.Clip(grownA), "pack @/A @/A.pack"), verb: "unpack @/A.pack @/B", array: "B", makes: true},

	"convert":        {before: grownA, verb: "convert @/A @/A.drx", formed: true},
	"convert back":   {before: append(slices.Clip(grownA), "convert @/A"), verb: "convert @/A @/A", formed: true},
	"cp to one file": {before: grownA, verb: "cp @/A @/B.drx", array: "B", makes: true, formed: true},
}

// arrayName matches the name of an array of the tests in a command line.
var arrayName = regexp.MustCompile(`@/([AB])\b`)

// inOneFile returns the victim with one-file arrays.
func (v victim) inOneFile() victim {
	rename := func(line string) string { return arrayName.ReplaceAllString(line, "@/$1"+drx.OneFileExt) }
	renameAll := func(lines []string) (renamed []string) {
		for _, line := range lines {
			renamed = append(renamed, rename(line))
		}
		return renamed
	}
	v.before, v.verb, v.steps, v.array = renameAll(v.before), rename(v.verb), renameAll(v.steps), v.array+drx.OneFileExt
	return v
}

// A preparedVictim is a victim with the states before the verb and the possible states after it.
type preparedVictim struct {
	victim
	dir          string
	valid, files []string
	ended        bool // it was not killed, because it has fewer operations
}

func (v victim) prepared(t *testing.T) *preparedVictim {
	p := &preparedVictim{victim: v, dir: t.TempDir()}
	p.valid, p.files = v.states(t)
	v.prepare(t, p.dir)
	return p
}

// TestKilledVerbs kills every verb that changes files before each of its operations that changes
// one. The array must be intact and as before or after the verb, for readers and for the next
// writer. If it is as before, the same command line must succeed. With odd operations the array is
// in several files, with even ones in one file, unless the form matters.
func TestKilledVerbs(t *testing.T) {
	for name, v := range victims {
		if v.array == "" {
			v.array = "A"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			several := v.prepared(t)
			forms := [2]*preparedVictim{several, several}
			if !v.formed {
				forms[0] = v.inOneFile().prepared(t)
			}
			moments, kills := enumtest.Of(t), 0
			for n := 1; !forms[0].ended || !forms[1].ended; n++ {
				v := forms[n%2]
				if v.ended || !moments.Try() {
					continue
				}
				dir := copyOf(t, v.dir)
				if v.ended = !killed(t, dir, v.verb, n); v.ended {
					continue
				}
				kills++
				v.check(t, dir, n, v.valid, v.files)
			}
			t.Logf("%d kills", kills)
			if kills < moments.Share(3) {
				t.Errorf("%d kills: does it change anything?", kills)
			}
		})
	}
}

// readingVerbs change no array, or have tests of their own: coarsen, which makes datasets as regrid
// does, demo, export, hyper, import, mv, pack and rm.
var readingVerbs = []string{"addr", "advise", "coarsen", "demo", "diff", "doctor", "export", "hyper", "import", "info", "log", "ls", "man", "map", "mv", "pack", "read", "regrid", "rm", "stats", "verify", "view", "watch"}

// TestKilledRm kills rm before each of its operations. It must leave the complete array, or only
// files that the next rm removes.
func TestKilledRm(t *testing.T) {
	v := victim{before: grownA, verb: "rm @/A", array: "A"}
	for _, v := range []victim{v, v.inOneFile()} {
		t.Run(v.array, func(t *testing.T) { testKilledRm(t, v) })
	}
}

func testKilledRm(t *testing.T, v victim) {
	t.Parallel()
	prepared := t.TempDir()
	v.prepare(t, prepared)
	moments, kills := enumtest.Of(t), 0
	for n := 1; ; n++ {
		if !moments.Try() {
			continue
		}
		dir := copyOf(t, prepared)
		before := v.state(t, dir)
		if !killed(t, dir, v.verb, n) {
			break
		}
		kills++
		left := v.state(t, dir)
		if left != before && left != absentState {
			t.Fatalf("killed before operation %d: left %s", n, left)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "A.*"))
		if code, complaint := tryRun(dir, v.verb); (code == 0) != (len(files) > 0) {
			t.Fatalf("killed before operation %d, files %s, once more: exit %d, %s", n, files, code, complaint)
		}
		if files, _ = filepath.Glob(filepath.Join(dir, "A.*")); len(files) > 0 {
			t.Fatalf("killed before operation %d, then once more: files %s", n, files)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(prepared, "A.*")); kills < moments.Share(len(files)) {
		t.Errorf("%d kills: does it change anything?", kills)
	}
}

// TestKilledMv kills mv before each of its operations. The array must be complete under one of the
// two names and absent under the other, and the same mv must then leave only the files of the new
// name.
func TestKilledMv(t *testing.T) {
	v := victim{before: grownA, verb: "mv @/A @/", array: "A"}
	for _, v := range []victim{v, v.inOneFile()} {
		t.Run(v.array, func(t *testing.T) { testKilledMv(t, v) })
	}
}

func testKilledMv(t *testing.T, v victim) {
	t.Parallel()
	prepared := t.TempDir()
	v.prepare(t, prepared)
	whole, form := v.state(t, prepared), filepath.Ext(v.array)
	arrays, _ := filepath.Glob(filepath.Join(prepared, "A.*"))
	for _, to := range []string{"B" + form, "folder/A" + form} {
		moments, olds, news := enumtest.Of(t), 0, 0
		for n := 1; ; n++ {
			if !moments.Try() {
				continue
			}
			dir := copyOf(t, prepared)
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			before, after := v, victim{array: to}
			before.verb += strings.TrimSuffix(to, "/"+v.array)
			if !killed(t, dir, before.verb, n) {
				break
			}
			there, other := before.state(t, dir), "bad"
			if there == whole {
				olds++
				ok, err := drx.Exists(filepath.Join(dir, to))
				if !ok && err == nil {
					other = absentState
				}
			} else {
				news++
				there, other = after.state(t, dir), there
			}
			if there != whole || other != absentState {
				t.Fatalf("killed before operation %d: left %s and %s", n, there, other)
			}
			olds, _ := filepath.Glob(filepath.Join(dir, "A.*"))
			if code, complaint := tryRun(dir, before.verb); (code == 0) != (len(olds) > 0) {
				t.Fatalf("killed before operation %d, files %s, once more: exit %d, %s", n, olds, code, complaint)
			}
			olds, _ = filepath.Glob(filepath.Join(dir, "A.*"))
			files, _ := filepath.Glob(filepath.Join(dir, strings.TrimSuffix(to, form)+".*"))
			if now := after.state(t, dir); now != whole || len(olds) > 0 || len(files) != len(arrays) {
				t.Fatalf("killed before operation %d, then once more: %s, files %s, %s", n, now, olds, files)
			}
		}
		if olds < moments.Share(len(arrays)) || news < moments.Share(len(arrays)-1) {
			t.Errorf("%d kills left the old name, %d the new one: does it change anything?", olds, news)
		}
	}
}

// TestEveryVerbIsKilled fails for a new verb that is in none of the lists.
func TestEveryVerbIsKilled(t *testing.T) {
	for _, cmd := range newRoot().Commands() {
		if cmd.IsAdditionalHelpTopicCommand() {
			continue
		}
		is := func(v victim) bool { return strings.HasPrefix(v.verb, cmd.Name()+" ") }
		if !slices.Contains(readingVerbs, cmd.Name()) && !slices.ContainsFunc(slices.Collect(maps.Values(victims)), is) {
			t.Errorf("%s is in neither victims nor readingVerbs", cmd.Name())
		}
	}
}

// TestKilledDemo kills the tour, mostly while it creates its array. The next tour must remove the
// files.
func TestKilledDemo(t *testing.T) {
	for _, n := range []int{3, 5, 30} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if !killed(t, dir, "demo --dir @", n) {
				t.Fatal("not killed")
			}
			if n > 4 { // and one where a tour that was removing an earlier one was killed
				array := filepath.Join(dir, demo.TourArray)
				if err := errors.Join(os.Rename(array+".xmd", filepath.Join(dir, demo.TourRemoved)), os.Remove(array+".xck")); err != nil {
					t.Fatal(err)
				}
			}
			if err := demo.ClearTour(dir, false); err != nil || len(filesIn(t, dir)) > 0 {
				t.Errorf("%v, files %s", err, filesIn(t, dir))
			}
		})
	}
}

// prepare creates the files that exist before the verb runs.
func (v victim) prepare(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"labels.txt": "a\nb\nc\nd\n", "none.csv": "item,day,n\n",
		"rows.csv": "item,day,n\na,1,2\nb,1,3\na,2,4\n", "more.csv": "item,day,n\na,1,5\nc,3,6\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, header := range map[string]string{"five.npy": "(5, 7)", "frame.npy": "(5,)", "row.npy": "(5,)"} {
		head := "{'descr': '<i2', 'fortran_order': False, 'shape': " + header + "}"
		head += strings.Repeat(" ", 117-len(head)) + "\n"
		n := 70
		if name != "five.npy" {
			n = 10
		}
		elements := bytes.Repeat([]byte{5, 1}, n/2)
		if err := os.WriteFile(filepath.Join(dir, name), []byte("\x93NUMPY\x01\x00\x76\x00"+head+string(elements)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range v.before {
		mustRun(t, dir, line)
	}
}

// states returns the states that a kill may leave, from the one before the verb to the one after
// it, and the files that exist when the verb has ended.
func (v victim) states(t *testing.T) (states, files []string) {
	dir := t.TempDir()
	v.prepare(t, dir)
	states = []string{v.state(t, dir)}
	for _, step := range v.steps {
		mustRun(t, dir, step)
		states = append(states, v.state(t, dir))
	}
	dir = t.TempDir()
	v.prepare(t, dir)
	mustRun(t, dir, v.verb)
	last := v.state(t, dir)
	if len(v.steps) > 0 && last != states[len(states)-1] {
		t.Errorf("the verb makes %s, its steps %s", last, states[len(states)-1])
	}
	if strings.HasPrefix(v.array, "B") && !v.makes {
		states = append(states, incompleteState)
	}
	return append(states, last), filesIn(t, dir)
}

// check checks the files after a kill before operation n.
func (v victim) check(t *testing.T, dir string, n int, states, files []string) {
	t.Helper()
	fatal := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("killed before operation %d, files %s: %s", n, filesIn(t, dir), fmt.Sprintf(format, args...))
	}
	left, last := v.state(t, dir), states[len(states)-1]
	if !v.allows(states, left) {
		fatal("left %s\nwant one of %s", left, strings.Join(states, "\n"))
	}
	if left != absentState && left != incompleteState {
		a, err := drx.Open(filepath.Join(dir, v.array), drx.Options{Write: true})
		if err == nil {
			err = a.Close()
		}
		if now := v.state(t, dir); err != nil || now != left && !(v.partly && v.allows(states, now)) {
			fatal("opened for writing: %v, left %s, now %s", err, left, now)
		}
	}
	code, complaint := tryRun(dir, v.verb)
	now := v.state(t, dir)
	switch again := left == states[0] || left == absentState || left == incompleteState; {
	case again && (code != 0 || now != last):
		fatal("left %s, once more: exit %d, %s: %s\nwant %s", left, code, complaint, now, last)
	case again && !slices.Equal(filesIn(t, dir), files):
		fatal("left %s, once more, want files %s", left, files)
	case v.makes && !again && (code != cli.ExitFailure || now != last || !strings.Contains(complaint, "exist")):
		fatal("it is there, once more: exit %d, %s: %s", code, complaint, now)
	}
}

// allows reports whether an array may be in a state.
func (v victim) allows(states []string, state string) bool {
	if slices.Contains(states, state) || !v.partly {
		return slices.Contains(states, state)
	}
	const digits = 4 // of an element
	what, elements, _ := strings.Cut(state, elementsFollow)
	for at := 0; at < len(elements); at += digits {
		if !slices.ContainsFunc(states, func(s string) bool {
			other, others, _ := strings.Cut(s, elementsFollow)
			return what == other && elements[at:at+digits] == others[at:at+digits]
		}) {
			return false
		}
	}
	return elements != ""
}

// elementsFollow separates the elements from the rest of a state.
const elementsFollow = ", elements "

// The states of arrays that cannot be opened.
const (
	absentState     = "not there"
	incompleteState = "incomplete"
)

// state returns a complete description of an array, whose chunks must be intact.
func (v victim) state(t *testing.T, dir string) string {
	t.Helper()
	a, err := drx.Open(filepath.Join(dir, v.array), drx.Options{})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absentState
	case errors.Is(err, drx.ErrIncomplete):
		return incompleteState
	case err != nil:
		return fmt.Sprintf("bad: %v", err)
	}
	defer a.Close()
	report, err := a.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) > 0 {
		return fmt.Sprintf("bad: %+v, %v", report, err)
	}
	count := a.DType().Size()
	for _, n := range a.Shape() {
		count *= n
	}
	elements := make([]byte, count)
	if err := a.ReadBytes(nil, elements, nil); err != nil {
		return fmt.Sprintf("bad: %v", err)
	}
	return fmt.Sprintf("%v %v %q, chunks of %v, attributes %s%s%s",
		a.DType(), a.Bounds(), a.Dims(), a.ChunkShape(), a.Attrs(), elementsFollow, hex.EncodeToString(elements))
}

// killed runs a command line in a separate process and reports whether it was killed before its
// operation n. It returns false if the process ended earlier.
func killed(t *testing.T, dir, line string, n int) bool {
	t.Helper()
	failed, was := killedOrFailed(t, dir, line, n)
	if failed != "" {
		t.Fatalf("killed before operation %d: %s", n, failed)
	}
	return was
}

// killedOrFailed is killed for a command line that may fail before that operation.
func killedOrFailed(t *testing.T, dir, line string, n int) (failed string, killed bool) {
	t.Helper()
	exe, err := exec.LookPath("drx") // testscript has made it from this test binary
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, words(dir, line)...)
	cmd.Env = append(os.Environ(), killEnv+"="+strconv.Itoa(n), "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return "", false
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		return fmt.Sprintf("%v: %s", err, out), false
	}
	return "", true
}

// words splits a command line into its arguments.
func words(dir, line string) []string { return strings.Fields(strings.ReplaceAll(line, "@", dir)) }

// tryRun runs a command line to its end.
func tryRun(dir, line string) (code int, complaint string) {
	var out, complaints bytes.Buffer
	code = run(context.Background(), words(dir, line), strings.NewReader(""), &out, &complaints)
	return code, complaints.String()
}

func mustRun(t *testing.T, dir, line string) {
	t.Helper()
	if code, complaint := tryRun(dir, line); code != 0 {
		t.Fatalf("%s: exit %d: %s", line, code, complaint)
	}
}

// copyOf returns a new folder with the files of another one. That is faster than to make them
// again, which syncs every file.
func copyOf(t *testing.T, prepared string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(prepared)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// filesIn returns the names of the files in a folder.
func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
