package drx

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// A writer that was killed at any operation of a commit has left its journal, and then a block of
// the journal was lost. The array has the contents after the commit, or, if nobody can have seen
// the commit, those before, or it is reported as damaged. It never has a mixture.
func TestLostBlocksOfJournal(t *testing.T) { inAllForms(t, testLostBlocksOfJournal) }

func testLostBlocksOfJournal(t *testing.T) {
	enumtest.Single(t)
	for _, commit := range []string{"of data", "with a line", "that clears"} {
		t.Run(commit, func(t *testing.T) {
			seen, all := map[string]int{}, enumtest.Sampled(t, soak)
			for op := 0; ; op++ {
				fsys, earlier, done := killedInCommit(t, commit, op)
				if done {
					break
				}
				journal := journalNamed(named(t, "a"))
				if id, err := vfs.IfExists(fsys.Identity(journal)); err != nil || id == nil {
					continue
				}
				damageJournal(t, fsys, journal, earlier, func(what string) {
					t.Helper()
					if !all.Try() {
						return
					}
					for how, o := range map[string]Options{"reader": {fs: fsys.Killed()}, "writer": {fs: fsys.Killed(), Write: true}} {
						outcome, err := readCommitOf(named(t, "a"), commit, o)
						if err != nil {
							t.Errorf("killed at %d, %s, %s: %v", op, what, how, err)
						}
						seen[outcome]++
					}
				})
			}
			all.Want(200)
			for _, outcome := range []string{"the commit", "the one before", "damage"} {
				if all.Share(40) == 40 && seen[outcome] < 40 { // a sample may miss one
					t.Errorf("%d states are %s: %v", seen[outcome], outcome, seen)
				}
			}
		})
	}
}

// rowsBefore and rowsAfter are the values of the rows before and after the commit.
var (
	rowsBefore = []int64{1, 1, 1, 1, 1, 1}
	rowsAfter  = map[string][]int64{
		"of data":     {2, 2, 2, 2, 1, 1},
		"with a line": {2, 2, 2, 2, 1, 1, 5, 5},
		"that clears": {2, 2, 2, 2, 1},
	}
)

const rowLen = 80 // of 640 bytes, more than a block of 512

// killedInCommit returns the files that a writer leaves if it is killed before operation op of a
// commit, and its journal as of the commit before. done means that the commit has fewer operations.
func killedInCommit(t *testing.T, commit string, op int) (fsys *vfstest.Crash, earlier []byte, done bool) {
	t.Helper()
	fsys = vfstest.NewCrash()
	a := mustCreate(t, Spec{
		DType: dtype.Int64, Shape: []int{6, rowLen}, ChunkShape: []int{1, rowLen}, FillValue: 5,
		Options: Options{fs: fsys},
	})
	setRows := func(from, to int, v int64) error {
		return Write(a, nd.Sec(nd.Span(from, to), nd.Span(0, rowLen)), slices.Repeat([]int64{v}, (to-from)*rowLen))
	}
	if err := errors.Join(setRows(0, 6, 3), a.Sync(), setRows(0, 6, 1)); err != nil {
		t.Fatal(err)
	}
	earlier = journalOfCommit(t, fsys, a)
	if err := setRows(0, 4, 2); err != nil {
		t.Fatal(err)
	}
	switch commit {
	case "with a line":
		if _, err := a.Extend(0, 2); err != nil {
			t.Fatal(err)
		}
	case "that clears":
		if err := a.Shrink(0, 1); err != nil {
			t.Fatal(err)
		}
	}
	fsys.CrashAfter(op)
	err := a.Sync()
	return fsys.Killed(), earlier, err == nil
}

// journalOfCommit commits, and returns the complete journal.
func journalOfCommit(t *testing.T, fsys *vfstest.Crash, a *Array) (journal []byte) {
	t.Helper()
	for op := 0; ; op++ {
		fsys.CrashAfter(op)
		err := a.Sync()
		if b := contentOf(t, fsys.Killed(), journalNamed(named(t, "a"))); len(b) > len(journal) {
			journal = b
		}
		if err == nil {
			return journal
		}
	}
}

// damageJournal damages each block of the journal in turn, calls each, and restores the block.
func damageJournal(t *testing.T, fsys *vfstest.Crash, journal string, earlier []byte, each func(what string)) {
	t.Helper()
	whole := contentOf(t, fsys, journal)
	earlier = append(bytes.Clone(earlier), make([]byte, max(0, len(whole)-len(earlier)))...)
	f, err := fsys.Open(journal, true)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, n := range []int{512, 4096, 65536} {
		for at := 0; at < len(whole); at += n {
			end := min(at+2*n, len(whole))
			was := whole[at:end]
			if len(bytes.Trim(was, "\x00")) == 0 {
				continue // in the gap between the block and its copy
			}
			for what, harm := range harms {
				b := bytes.Clone(was)
				if harm(b, earlier[at:end], 0, n); bytes.Equal(b, was) {
					continue
				}
				_, err := f.WriteAt(b, int64(at))
				each(fmt.Sprintf("%d bytes of the journal at %d %s", n, at, what))
				if _, restoreErr := f.WriteAt(was, int64(at)); errors.Join(err, restoreErr) != nil {
					t.Fatal(err, restoreErr)
				}
			}
		}
	}
}

// readCommitOf reads the rows and returns which commit they belong to, or that there is damage. The
// rows that can be read beside damage must belong to one commit, too.
func readCommitOf(name, commit string, o Options) (outcome string, err error) {
	a, err := Open(name, o)
	if errors.Is(err, ErrCorrupt) {
		return "damage", nil
	}
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, a.Discard()) }()
	rows := make([]int64, a.Shape()[0])
	damaged := false
	for i := range rows {
		row, err := Read[int64](a, nd.Sec(nd.At(i), nd.Span(0, rowLen)))
		switch {
		case errors.Is(err, ErrCorrupt):
			damaged, rows[i] = true, -1
		case err != nil:
			return "", err
		case !slices.Equal(row, slices.Repeat(row[:1], rowLen)):
			return "", fmt.Errorf("row %d is %v", i, row)
		default:
			rows[i] = row[0]
		}
	}
	is := func(want []int64) bool {
		return slices.EqualFunc(rows, want, func(got, want int64) bool { return got == want || got == -1 })
	}
	switch {
	case is(rowsAfter[commit]) && damaged || is(rowsBefore) && damaged:
		return "damage", nil
	case is(rowsAfter[commit]):
		return "the commit", nil
	case is(rowsBefore):
		return "the one before", nil
	}
	return "", fmt.Errorf("the rows are %v, damaged %v: want %v or %v", rows, damaged, rowsBefore, rowsAfter[commit])
}
