package onefile

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"testing"

	"drx/internal/vfs"
)

// While arrays are created, grow and are renamed, the cached header and directory of a process
// equal what it would read, and another file is not mistaken for the same one.
func TestRememberedIsAsRead(t *testing.T) {
	fsys, rng := vfs.NewMem(), rand.New(rand.NewPCG(1, 2))
	several(t, vfs.NewMem())
	streams, known := layOut(t, fsys, 40, 24), 0
	for i := range 400 {
		n := streams[rng.IntN(len(streams))]
		c, err := Open(NewMember(fsysFile(t, fsys), "a.drx/x", n), true)
		if err == nil {
			_, err = viewsOf(c)[logMember].WriteAt([]byte{'x'}, int64(1+rng.IntN(1<<(10+i/40))))
		}
		if err == nil && i%10 == 0 {
			err = directoryOf(t, fsys).Rename(fmt.Sprint(i/10), fmt.Sprint("new", i/20))
		}
		if err != nil {
			t.Fatal(err)
		}
		if latestSeveral.Load().unchanged(fsysFile(t, fsys)) {
			known++
		}
		wantAsRead(t, fsys)
	}
	if known < 380 {
		t.Errorf("the header was known only %d times", known)
	}
	if s := latestSeveral.Load(); len(s.recordBlocks) < 2 {
		t.Errorf("%d records are in one record block", len(s.records))
	}
}

func wantAsRead(t *testing.T, fsys vfs.FS) {
	t.Helper()
	read, err := readStreams(fsysFile(t, fsys))
	if err != nil {
		t.Fatal(err)
	}
	known, err := knownStreams(fsysFile(t, fsys))
	if err != nil || !reflect.DeepEqual(known, read) {
		t.Fatalf("the header has %d records in %d bytes, known are %d, %v", len(read.records), read.end, len(known.records), err)
	}
	d := directoryOf(t, fsys)
	latestNames.Store(nil)
	if plain := directoryOf(t, fsys); !maps.Equal(d.streams, plain.streams) || !maps.Equal(d.names, plain.names) || d.next != plain.next || d.entries != plain.entries {
		t.Fatalf("the directory has %v, known is %v", plain.streams, d.streams)
	}
}
