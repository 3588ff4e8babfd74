// Package fileset is the files of an array: their names, and how they are created, locked, opened, replaced, renamed
// and removed together. No other package spells their extensions.
//
//	name.xmd             the log; without it there is no array, whatever else there is
//	name.xta             the principal array: the chunks
//	name.xck             the chunk table
//	name.xpm             the presence map, which arrays of version 1 have not
//	name.xjl             the journal of a writer that is at work, or died
//	name.xjl0 .. .xjl63  the journals of processes that share the array
//	name.xcp             the mark: files with .new behind their names count
//	name.xmd.new ..      files that are to take the place of log, data, table and presence map
//
// # Invariants
//
//  1. Without a log that has a commit there is no array with a name, and its other files may be removed.
//  2. Whoever replaces, renames or removes files holds the locks of a writer.
//  3. What is done to several files is decided by one operation on a directory: creating the mark, renaming the log,
//     removing the log. After an interruption what came before it does not count, and what is left of the rest is done by
//     the next writer, or by the same call once more.
package fileset

import (
	"regexp"
	"strings"

	"drx/internal/chunkstore"
)

// The extensions of the files of an array. New comes behind one of the others.
const (
	LogExt      = ".xmd"
	DataExt     = ".xta"
	TableExt    = ".xck"
	PresenceExt = ".xpm"
	JournalExt  = ".xjl"
	MarkExt     = ".xcp"
	NewExt      = ".new"
)

// mainExts are the extensions of the files that are created and replaced together, in the order of their creation.
var mainExts = [...]string{LogExt, DataExt, TableExt, PresenceExt}

// Log returns the name of the log of the array with a name.
func Log(name string) string { return name + LogExt }

// Data returns the name of the principal array, which holds the chunks.
func Data(name string) string { return name + DataExt }

// Table returns the name of the chunk table.
func Table(name string) string { return name + TableExt }

// Presence returns the name of the presence map.
func Presence(name string) string { return name + PresenceExt }

// Journal returns the name of the journal of a single writer.
func Journal(name string) string { return name + JournalExt }

// besideLog returns the names of all files that an array may have, but for its log.
func besideLog(name string) []string {
	return append(chunkstore.Journals(Journal(name)), Presence(name), Table(name), Data(name))
}

// firstJournals returns the names of two journals, one of which exists if any does: sharers number theirs without gaps.
func firstJournals(name string) []string { return []string{Journal(name), Journal(name) + "0"} }

// BaseName returns the name of the array that a file belongs to: the name itself, without
// the extension of one of the array's files if it has one.
func BaseName(name string) string {
	if strings.Contains(name, JournalExt) {
		name = sharerExt.ReplaceAllString(name, "$1"+JournalExt)
	}
	for _, ext := range []string{LogExt, DataExt, TableExt, PresenceExt, JournalExt, MarkExt} {
		if base, ok := strings.CutSuffix(name, ext); ok && base != "" && !strings.HasSuffix(base, "/") {
			return base
		}
	}
	return name
}

// sharerExt matches the extension of the journal of a process that shares an array.
var sharerExt = regexp.MustCompile(`([^/])` + regexp.QuoteMeta(JournalExt) + `[0-9]{1,2}$`)
