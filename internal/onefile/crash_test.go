package onefile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

// session extends log and groups in turn and syncs after each step. It returns what was durable
// when it ended.
func session(fsys vfs.FS) (lines, chunks int64, err error) {
	c, err := newOn(fsys, 512)
	if err != nil {
		return 0, 0, err
	}
	log, data := c.Log(), c.Data()
	if err := data.Lock(); err != nil {
		return 0, 0, err
	}
	for i := range int64(2) {
		text := bytes.Repeat([]byte("l"), 20_000<<i)
		if _, err := log.WriteAt(text, lines); err != nil {
			return lines, chunks, err
		}
		if err := log.Sync(); err != nil {
			return lines, chunks, err
		}
		lines += int64(len(text))
		more := bytes.Repeat([]byte("c"), 512*int(100<<i))
		if _, err := data.WriteAt(more, 512*chunks); err != nil {
			return lines, chunks, err
		}
		if err := data.Sync(); err != nil {
			return lines, chunks, err
		}
		chunks += 100 << i
	}
	return lines, chunks, nil
}

// Whatever a crash leaves of a growing file can be opened, has everything that was durable, and can
// grow further.
func TestCrashOfGrowth(t *testing.T) {
	all := enumtest.Of(t)
	for k, ended := 0, false; !ended; k++ {
		disk := vfstest.NewCrash()
		disk.CrashAfter(k)
		lines, chunks, err := session(disk)
		if ended = err == nil; !ended && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatal(err)
		}
		policies := vfstest.Policies(3, uint64(k))
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			if all.Try() {
				if err := checkGrown(disk.After(policies[name]), lines, chunks); err != nil {
					t.Fatalf("operation %d, %s: %v", k, name, err)
				}
			}
		}
	}
	all.Want(400)
}

func checkGrown(fsys vfs.FS, lines, chunks int64) error {
	f, err := fsys.Open("a.drx", true)
	if err != nil {
		if lines == 0 {
			return nil
		}
		return err
	}
	c, err := Open(f, true)
	if err != nil {
		if unborn, unbornErr := Unborn(f); lines == 0 && unborn && unbornErr == nil {
			return nil
		}
		return err
	}
	log, data := c.Log(), c.Data()
	for what, file := range map[byte]vfs.File{'l': log, 'c': data} {
		got := make([]byte, map[byte]int64{'l': lines, 'c': 512 * chunks}[what])
		if n, err := file.ReadAt(got, 0); err != nil && n < len(got) || len(bytes.Trim(got, string(what))) > 0 {
			return fmt.Errorf("%c: %d of %d bytes: %w", what, n, len(got), err)
		}
	}
	for off := int64(1 << 16); off < 1<<18; off *= 2 {
		_, logErr := log.WriteAt([]byte("\n"), off)
		_, dataErr := data.WriteAt([]byte("c"), off)
		if err := errors.Join(logErr, dataErr); err != nil {
			return err
		}
	}
	_, err = Open(f, false)
	return err
}

// longSession extends log and groups in turn, beginning when the first record block of the header
// can hold two more records.
func longSession(disk *vfstest.Crash, crashAfter int) (extents int, err error) {
	c, err := smallOn(disk)
	if err != nil {
		return 0, err
	}
	grow := func() error {
		err := c.allocate(func(s *streams) error {
			n := []int{logStream, groupStream}[extents%2]
			return c.extend(n, s.stream(n).length+[]int64{page, s.stream(groupStream).shape.group()}[extents%2])
		})
		if err == nil {
			extents++
		}
		return err
	}
	for range headRecordBlock.last() - 4 {
		if err := grow(); err != nil {
			return extents, err
		}
	}
	disk.CrashAfter(crashAfter)
	for range 3 {
		if err := grow(); err != nil {
			return extents, err
		}
	}
	return extents, nil
}

// newOn creates a container, durably.
func newOn(fsys vfs.FS, slot int64) (*Container, error) {
	f, err := fsys.Create("a.drx")
	if err != nil {
		return nil, err
	}
	c := New(f)
	return c, errors.Join(c.Format(slot, 0), f.Sync(), fsys.SyncDir("."))
}

// smallOn creates a container with the smallest groups, as in files of earlier versions, durably.
func smallOn(fsys vfs.FS) (*Container, error) {
	f, err := fsys.Create("a.drx")
	if err != nil {
		return nil, err
	}
	const groups = headerBytes + firstLogExtent
	raw := encodeHeader(form{}, []record{
		{extentKind, logStream, 0, headerBytes, firstLogExtent},
		{shapeKind, groupStream, 1, vouchPage, page},
		{extentKind, groupStream, 0, groups, page},
	})
	_, err = f.WriteAt(raw, 0)
	if err := errors.Join(err, f.Truncate(groups+page), f.Sync(), fsys.SyncDir(".")); err != nil {
		return nil, err
	}
	return Open(f, true)
}

// Whatever a crash leaves of a header that gets another record block can be opened, has all earlier
// extents, and can grow further.
func TestCrashOfRecordBlocks(t *testing.T) {
	all := enumtest.Of(t)
	for k, ended := 0, false; !ended; k++ {
		disk := vfstest.NewCrash()
		extents, err := longSession(disk, k)
		if ended = err == nil; !ended && !errors.Is(err, vfstest.ErrCrashed) {
			t.Fatal(err)
		}
		policies := vfstest.Policies(1, uint64(k))
		for _, name := range slices.Sorted(maps.Keys(policies)) {
			if !all.Try() {
				continue
			}
			f, err := disk.After(policies[name]).Open("a.drx", true)
			if err != nil {
				t.Fatal(err)
			}
			c, err := Open(f, true)
			if err != nil {
				t.Fatalf("operation %d, %s: %v", k, name, err)
			}
			has := len(c.streams.Load().stream(logStream).extents) + len(c.streams.Load().stream(groupStream).extents) - 2
			if has < extents || has > extents+1 {
				t.Fatalf("operation %d, %s: %d extents, want %d", k, name, has, extents)
			}
			_, logErr := c.Log().WriteAt([]byte("\n"), 1<<18)
			_, dataErr := c.Data().WriteAt([]byte("c"), 1<<18)
			if _, err := Open(f, true); errors.Join(err, logErr, dataErr) != nil {
				t.Fatalf("operation %d, %s: %v", k, name, errors.Join(err, logErr, dataErr))
			}
		}
	}
	all.Want(150)
}
