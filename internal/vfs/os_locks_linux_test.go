package vfs

import (
	"strings"
	"testing"
)

func TestHasRangeLock(t *testing.T) {
	info := strings.Join([]string{
		"pos:\t0", "flags:\t02100002",
		"lock:\t1: OFDLCK  ADVISORY  WRITE -1 fd:01:1234 100 109",
		"lock:\t2: FLOCK  ADVISORY  WRITE 11 fd:01:1234 0 EOF",
		"lock:\t3: OFDLCK  ADVISORY  READ -1 fd:01:1234 500 EOF",
		"lock:\t4: OFDLCK",
	}, "\n")
	for _, c := range []struct {
		number uint64
		off, n int64
		want   bool
	}{
		{1234, 100, 1, true},
		{1234, 109, 1, true},
		{1234, 0, 101, true},
		{1234, 0, 100, false},
		{1234, 110, 390, false},
		{1234, 110, 391, true},
		{1234, 1 << 61, 1, true},
		{12345, 100, 1, false},
	} {
		if got := hasRangeLock(info, inode{0xfd01, c.number}, c.off, c.n); got != c.want {
			t.Errorf("a lock on %d bytes from %d of file %d: %v", c.n, c.off, c.number, got)
		}
	}
}

func TestFlockHolder(t *testing.T) {
	locks := strings.Join([]string{
		"1: POSIX  ADVISORY  WRITE 10 fd:01:1234 0 EOF",
		"2: OFDLCK ADVISORY  WRITE -1 fd:01:1234 0 0",
		"3: FLOCK  ADVISORY  WRITE 11 fd:01:12345 0 EOF",
		"4: FLOCK  ADVISORY  WRITE 12 fe:01:1234 0 EOF",
		"5: FLOCK  ADVISORY  WRITE 0 fd:01:1234 0 EOF",
		"6: -> FLOCK  ADVISORY  WRITE 13 fd:01:1234 0 EOF",
		"7: FLOCK  ADVISORY  READ 14 fd:01:1234 0 EOF",
		"8: FLOCK  ADVISORY  READ 15 fd:01:1234 0 EOF",
		"9: FLOCK  ADVISORY  WRITE 16 103:02:77 0 EOF",
		"FLOCK",
		"",
	}, "\n")
	for _, c := range []struct {
		file inode
		want int
	}{
		{inode{0xfd01, 1234}, 14},
		{inode{0xfd01, 12345}, 11},
		{inode{0xfe01, 1234}, 12},
		{inode{0x10302, 77}, 16},
		{inode{0xfd01, 10}, 0},
	} {
		if got := flockHolder(locks, c.file); got != c.want {
			t.Errorf("the holder of %v is %d, want %d", c.file, got, c.want)
		}
	}
	if got := flockHolder("", inode{1, 1}); got != 0 {
		t.Errorf("%d holds a lock where there is none", got)
	}
}
