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
		for _, file := range []string{lockName(Log(name)), lockName(Data(name) + NewExt), lockName(Journal(name)), lockName(name + LockExt + "-0a1b.new")} {
			if want := name + LockExt; file != want || BaseName(file) != name || !IsFile(file+"-0a1b") || !IsFile(file+"-0a1b.new") {
				t.Errorf("the lock file is %s, want %s", file, want)
			}
		}
		if other := OtherForm(name); OneFile(other) == OneFile(name) || OtherForm(other) != name {
			t.Errorf("the other form of %s is %s", name, other)
		}
	}
	if file := lockName("folder/c.drx.b%2Fa.xjl"); file != "folder/c.drx.xlk" {
		t.Errorf("the lock file of a journal beside a file with several arrays is %s", file)
	}
	for _, file := range []string{".xmd", "folder/.xjl3", "a.txt", "a.xjl123", "a"} {
		if got := BaseName(file); got != file {
			t.Errorf("%s belongs to %s, want itself", file, got)
		}
	}
}
