package fileset

import (
	"slices"
	"testing"

	"drx/internal/chunkstore"
)

// BaseName of every file of an array returns the array's name, and no file is listed twice.
func TestNamesLeadBack(t *testing.T) {
	for _, name := range []string{"folder/a.b", "folder/a.drx"} {
		files := append(namesButLog(name), Log(name), markName(name))
		for i, file := range files {
			if got := BaseName(file); got != name || !IsFile(file) {
				t.Errorf("%s belongs to %s, is a file of an array: %v", file, got, IsFile(file))
			}
			if slices.Contains(files[:i], file) {
				t.Errorf("%s is listed twice", file)
			}
		}
		for _, file := range append(chunkstore.Journals(Journal(name)), Data(name), Table(name), Presence(name), conversionMark(name)) {
			if !slices.Contains(files, file) {
				t.Errorf("%s is not removed with the array", file)
			}
		}
		for _, ext := range exts(name) {
			if file := name + ext + NewExt; !IsFile(file) {
				t.Errorf("%s is no file of an array", file)
			}
		}
		if other := OtherForm(name); OneFile(other) == OneFile(name) || OtherForm(other) != name {
			t.Errorf("the other form of %s is %s", name, other)
		}
	}
	for _, file := range []string{".xmd", "folder/.xjl3", "a.txt", "a.xjl123", "a"} {
		if got := BaseName(file); got != file {
			t.Errorf("%s belongs to %s, want itself", file, got)
		}
	}
}
