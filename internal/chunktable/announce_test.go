package chunktable

import (
	"errors"
	"testing"

	"drx/axial"
	"drx/internal/state"
	"drx/internal/vfs"
)

// An announcement shows that intact entries of its commit are missing, until the head records the
// commit.
func TestLostAnnouncedEntries(t *testing.T) {
	const from, written = 300, 600 // on two pages
	table := newTable(t)
	file, err := vfs.NewMem().Create("a.xpm")
	if err != nil {
		t.Fatal(err)
	}
	table.SetPresence(file)
	for q := axial.Number(0); q < written; q++ {
		if err := table.Put(q, NewEntry(uint32(q), 32, 2)); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Sync(); err != nil {
		t.Fatal(err)
	}
	n, err := table.CountFrom(from)
	if err != nil || n != written-from {
		t.Fatalf("%d entries, %v", n, err)
	}
	now := Head{Commits: 2, Digits: [8]byte{'2'}}
	err = errors.Join(table.Presence().SetHead(Head{Commits: 1, Digits: [8]byte{'1'}}),
		table.Presence().Announce(Announcement{now.Digits, from, n}))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, now Head, want int64) {
		t.Helper()
		again := New(table.file, table.data, table.slot, file) // without pages in memory
		var lost *LostEntriesError
		err := again.CheckAnnounced(now)
		if errors.As(err, &lost) != (want > 0) || want > 0 && (lost.Chunks != want || !errors.Is(err, state.ErrCorrupt)) {
			t.Errorf("%s: %v, want %d lost", what, err, want)
		}
	}
	check("whole", now, 0)
	for _, q := range []axial.Number{10, from, written - 1} { // the first is not one of the commit
		if err := table.WriteEntry(q, Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	check("lost", now, 2)
	if err := table.WriteBytes(from+1, [EntrySize]byte{1}); err != nil {
		t.Fatal(err)
	}
	check("one damaged", now, 3)
	check("another line", Head{Commits: 2, Digits: [8]byte{'3'}}, 0)
	if err := table.Presence().Announce(Announcement{Digits: now.Digits, From: from}); err != nil {
		t.Fatal(err)
	}
	check("announced anew, without entries", now, 0)
	if err := errors.Join(table.Presence().Announce(Announcement{now.Digits, from, n}), table.Presence().SetHead(now)); err != nil {
		t.Fatal(err)
	}
	check("the commit is known", now, 0)
}
