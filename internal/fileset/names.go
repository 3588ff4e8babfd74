// Package fileset handles the files of an array as a set: their names, and how they are created,
// locked, opened, replaced, renamed and removed. No other package spells their extensions.
//
//	name.xmd             the log; without it there is no array, whatever other files exist
//	name.xta             the principal array: the chunks
//	name.xck             the chunk table
//	name.xpm             the presence map; arrays of version 1 have none
//	name.xst             the checkpoint of a long log; it may be missing, damaged or old
//	name.xjl             the journal of a writer that has the array open, or died
//	name.xjl0 .. .xjl63  the journals of processes that share the array
//	name.xcp             the mark: if it exists, the files with names in .new count
//	name.xmd.new ..      files that are to replace log, data, table and presence map
//	name.xcv             the mark of a conversion: the array, if it exists, takes the place of
//	                     the one in the other form
//	name.xlk, .xlk-...   the lock of a writer where the file system's locks may be local, see
//	                     package remote
//
// An array with a name that ends in .drx has the first four in one file, see package onefile:
//
//	name.drx                   log, chunks, chunk table and presence map
//	name.drx.xjl, .xjl0 ..     journals
//	name.drx.new               a file that is to replace it
//	name.drx.xcv               the mark of a conversion
//	name.drx.xlk               the lock, also of all arrays in a file with several
//
// So no array in several files has a name that ends in .drx.
//
// # Invariants
//
//  1. Without a log that has a commit there is no array, and the other files with its name may be
//     removed.
//  2. A process that replaces, renames or removes files holds the locks of a writer.
//  3. An operation on several files takes effect by a single operation on a directory: the creation
//     of the mark, the renaming or replacement of the log, or the removal of the log. If it is
//     interrupted before that, it has no effect; if it is interrupted afterwards, the next writer,
//     or the same call again, completes it.
package fileset

import (
	"path/filepath"
	"regexp"
	"strings"

	"drx/internal/chunkstore"
)

// The extensions of the files of an array. NewExt follows one of the others.
const (
	LogExt      = ".xmd"
	DataExt     = ".xta"
	TableExt    = ".xck"
	PresenceExt = ".xpm"
	StateExt    = ".xst"
	JournalExt  = ".xjl"
	MarkExt     = ".xcp"
	ConvertExt  = ".xcv"
	LockExt     = ".xlk"
	NewExt      = ".new"
	OneFileExt  = ".drx"
)

// mainExts are the extensions of the files that are created and replaced together, in the order of
// creation.
var mainExts = [...]string{LogExt, DataExt, TableExt, PresenceExt}

// OneFile reports whether the name is that of an array in one file: it has the extension
// OneFileExt.
func OneFile(name string) bool {
	base, is := strings.CutSuffix(name, OneFileExt)
	return is && base != "" && !strings.HasSuffix(base, "/")
}

// OtherForm returns the name that the array would have in the other form: of one file, or of
// several.
func OtherForm(name string) string {
	if OneFile(name) {
		return strings.TrimSuffix(name, OneFileExt)
	}
	return name + OneFileExt
}

// exts returns the extensions of the files that are created and replaced together, in the order of
// creation.
func exts(name string) []string {
	if OneFile(name) {
		return []string{""}
	}
	return mainExts[:]
}

// fileName returns the name of an array's file with an extension. For an array in one file this is
// the array's name.
func fileName(name, ext string) string {
	if OneFile(name) {
		return name
	}
	return name + ext
}

// Log returns the name of the log of the named array.
func Log(name string) string { return fileName(name, LogExt) }

// Data returns the name of the principal array, which holds the chunks.
func Data(name string) string { return fileName(name, DataExt) }

// Table returns the name of the chunk table.
func Table(name string) string { return fileName(name, TableExt) }

// Presence returns the name of the presence map.
func Presence(name string) string { return fileName(name, PresenceExt) }

// Checkpoint returns the name of the checkpoint of the log. An array in one file has none.
func Checkpoint(name string) (file string, ok bool) { return name + StateExt, !OneFile(name) }

// Journal returns the name of the journal of a single writer.
func Journal(name string) string { return name + JournalExt }

// conversionMark returns the name of the mark of a conversion: the named array, if it exists, takes
// the place of that in the other form, which is to be removed.
func conversionMark(name string) string { return name + ConvertExt }

// namesButLog returns the names of all files that an array may have, except its log.
func namesButLog(name string) []string {
	names := append(chunkstore.Journals(Journal(name)), conversionMark(name))
	if OneFile(name) {
		return names
	}
	return append(names, name+StateExt, Presence(name), Table(name), Data(name))
}

// newNames returns the names of the files that are to replace those of an array.
func newNames(name string) (names []string) {
	for _, ext := range exts(name) {
		names = append(names, name+ext+NewExt)
	}
	return names
}

// firstJournals returns the names of two journals, one of which exists if any journal with a commit
// does, because sharers number theirs without gaps.
func firstJournals(name string) []string { return []string{Journal(name), Journal(name) + "0"} }

// laterJournals returns the names of the others.
func laterJournals(name string) []string { return chunkstore.Journals(Journal(name))[2:] }

// BaseName returns the name of the array to which a file belongs: the file's name without the
// extension, if that is one of the extensions of an array's files, and otherwise the name itself.
func BaseName(name string) string {
	if strings.Contains(name, JournalExt) {
		name = sharerExt.ReplaceAllString(name, "$1"+JournalExt)
	}
	if at := lockExt.FindStringIndex(name); at != nil {
		return name[:at[0]+1]
	}
	for _, ext := range []string{LogExt, DataExt, TableExt, PresenceExt, StateExt, JournalExt, MarkExt, ConvertExt} {
		if base, ok := strings.CutSuffix(name, ext); ok && base != "" && !strings.HasSuffix(base, "/") {
			return base
		}
	}
	return name
}

// IsFile reports whether the name of a file is one that belongs to an array.
func IsFile(name string) bool {
	if old, isNew := strings.CutSuffix(name, NewExt); isNew && (BaseName(old) != old || OneFile(old)) {
		name = old
	}
	return OneFile(name) || BaseName(name) != name
}

// sharerExt matches the extension of a sharer's journal.
var sharerExt = regexp.MustCompile(`([^/])` + regexp.QuoteMeta(JournalExt) + `[0-9]{1,2}$`)

// lockExt matches the extension of a lock file, of the file of a process that takes a lock over,
// and of one that is being written.
var lockExt = regexp.MustCompile(`[^/]` + regexp.QuoteMeta(LockExt) + `(-[0-9a-z]+)?(` + regexp.QuoteMeta(NewExt) + `)?$`)

// lockName returns the name of the lock file of a file. A file with several arrays has one, for
// which the journals beside it count too.
func lockName(file string) string {
	file = BaseName(strings.TrimSuffix(file, NewExt))
	if dir, last := filepath.Split(file); !OneFile(last) {
		if container, _, beside := strings.Cut(last, OneFileExt+"."); beside && container != "" {
			file = dir + container + OneFileExt
		}
	}
	return file + LockExt
}

// isChecked reports whether the contents of a file have checksums in another one.
func isChecked(file string) bool { return strings.HasSuffix(strings.TrimSuffix(file, NewExt), DataExt) }
