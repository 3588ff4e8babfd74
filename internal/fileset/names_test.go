package fileset

import (
	"slices"
	"testing"
)

// BaseName of every file of an array returns the array's name, and no file is listed twice.
func TestNamesLeadBack(t *testing.T) {
	const name = "folder/a.b"
	files := append(namesButLog(name), Log(name), markName(name))
	for i, file := range files {
		if got := BaseName(file); got != name {
			t.Errorf("%s belongs to %s", file, got)
		}
		if slices.Contains(files[:i], file) {
			t.Errorf("%s is listed twice", file)
		}
	}
	for _, file := range append(firstJournals(name), Data(name), Table(name), Presence(name)) {
		if !slices.Contains(files, file) {
			t.Errorf("%s is not removed with the array", file)
		}
	}
	for _, file := range []string{".xmd", "folder/.xjl3", "a.txt", "a.xjl123", "a"} {
		if got := BaseName(file); got != file {
			t.Errorf("%s belongs to %s, want itself", file, got)
		}
	}
}
