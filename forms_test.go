package drx

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"drx/axial"
	"drx/internal/fileset"
	"drx/internal/onefile"
	"drx/internal/vfs"
	"drx/nd"
)

// bothForms are the names of an array in several files and of one in one file.
var bothForms = []string{"a", "a.drx"}

// several is the name of a file with several arrays.
const several = "w.drx"

// arraysMade counts the arrays that Create has made in several files and in one.
var arraysMade [2]atomic.Int64

func init() {
	created = func(name string) {
		arraysMade[formNumber(name)].Add(1)
	}
}

// formNumber returns the index in arraysMade of the form of an array.
func formNumber(name string) int {
	if fileset.OneFile(name) {
		return 1
	}
	return 0
}

// inBothForms runs a test for arrays in several files and for arrays in one. In one of these forms
// they are compressed, see inCodecs. The test creates arrays with the name that named returns: an
// array with a fixed name would be tested twice in the same form, which is an error.
func inBothForms(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	inForms(t, bothForms, test)
}

// inAllForms is inBothForms, and also runs the test for an array in a file with several.
func inAllForms(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	inForms(t, append(slices.Clone(bothForms), several), test)
}

func inForms(t *testing.T, names []string, test func(t *testing.T)) {
	t.Helper()
	for _, name := range names {
		form := formNumber(name)
		t.Run(name, func(t *testing.T) {
			before, others := arraysMade[form].Load(), arraysMade[1-form].Load()
			inCodecs(t, form, test)
			if arraysMade[form].Load() == before || arraysMade[1-form].Load() > others {
				t.Errorf("%d arrays like %s were made, and %d of the other form, want all like %s: see named",
					arraysMade[form].Load()-before, name, arraysMade[1-form].Load()-others, name)
			}
		})
	}
}

// named returns the name with which a test of inBothForms creates an array. The array is also found
// by the name without extension.
func named(t testing.TB, name string) string {
	switch {
	case strings.Contains(t.Name()+"/", "/a.drx/"):
		name += OneFileExt
	case inSeveral(t):
		name = several + "/" + name + OneFileExt
	}
	return name
}

// inSeveral reports whether a test runs for a file with several arrays.
func inSeveral(t testing.TB) bool { return strings.Contains(t.Name()+"/", "/"+several+"/") }

// journalNamed returns the name of the journal of an array that was named by named.
func journalNamed(name string) string {
	if inside, ok := strings.CutPrefix(name, several+"/"); ok {
		name = several + "." + strings.TrimSuffix(inside, OneFileExt)
	}
	return name + journalExt
}

// atJournalComplete and atLineWritten are the last operations, as a recorder names them, of a
// writer of array a that is killed in a commit: the log does not have the commit yet, or it does,
// but the chunks are not in their slots.
func atJournalComplete(t testing.TB) []string { return []string{"sync " + journalNamed(named(t, "a"))} }

func atLineWritten(t testing.TB) []string {
	log, _, _ := strings.Cut(fileset.Log(named(t, "a")), "/")
	return append(atJournalComplete(t), "write "+log)
}

// formOf returns the name of an array that is in one file for every other seed.
func formOf(name string, seed uint64) string {
	if seed%2 == 1 {
		name += OneFileExt
	}
	return name
}

// member opens a file of array a for writing, or the corresponding stream of array a in one file.
func member(t testing.TB, fsys vfs.FS, ext string) vfs.File {
	t.Helper()
	name := named(t, "a")
	if !fileset.OneFile(name) || strings.HasPrefix(ext, journalExt) {
		f, err := fsys.Open(name+ext, true)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f, err := fileset.In(fsys).Open(name, true)
	if err != nil {
		t.Fatal(err)
	}
	c, err := onefile.Open(f, true)
	if err != nil {
		t.Fatal(err)
	}
	switch ext {
	case logExt:
		return c.Log()
	case dataExt:
		return c.Data()
	case tableExt:
		return c.Table()
	}
	return c.Presence()
}

// memberBytes returns the bytes of a file of array a, or of the corresponding stream of array a in
// one file.
func memberBytes(t testing.TB, fsys vfs.FS, ext string) []byte {
	t.Helper()
	f := member(t, fsys, ext)
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, size)
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// soak makes tests try all states, as make soak does.
var soak = os.Getenv("DRX_SOAK") != ""

// reserveSide calls a.Reserve or, for axial.Low, a.ReserveLow.
func reserveSide(a *Array, dim, by int, side axial.Side) (nd.Section, error) {
	if side == axial.Low {
		return a.ReserveLow(dim, by)
	}
	return a.Reserve(dim, by)
}
