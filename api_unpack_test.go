package drx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"testing"

	"drx/dtype"
	"drx/internal/enumtest"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
	"drx/nd"
)

// packedOn creates an array with holes, filled with value, on a disk, and returns its stream.
func packedOn(t *testing.T, codec string, rows int, value int16) []byte {
	t.Helper()
	disk := vfs.NewMem()
	a, err := Create("a", Spec{DType: dtype.Int16, Shape: []int{rows, 50}, ChunkShape: []int{16, 32}, Codec: codec, Options: Options{fs: disk}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	p, err := NewPacker(&b, "a", false)
	if err == nil {
		err = errors.Join(
			a.SetAttr("value", value), Fill(a, nd.Sec(nd.Span(0, 20), nd.Span(10, 50)), value),
			Fill(a, nd.Sec(nd.Span(rows-3, rows), nd.Span(0, 9)), value+1), a.Sync(),
			p.Add(context.Background(), "a", a, nil), p.Close(), a.Close(),
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpackOn unpacks a stream on a disk.
func unpackOn(fsys vfs.FS, r io.Reader, to string, again bool) (*Unpacker, error) {
	u, err := NewUnpacker(r)
	if err != nil {
		return nil, err
	}
	u.fs = fsys
	if _, err = u.Next(); err != nil {
		return nil, err
	}
	if again {
		return u, u.UnpackAgain(context.Background(), to)
	}
	return u, u.Unpack(context.Background(), to)
}

// packedFrom returns the stream of the array "b" on a disk, or nil if there is none.
func packedFrom(t *testing.T, disk vfs.FS, name string) []byte {
	t.Helper()
	a, err := Open(name, Options{fs: disk, Write: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	p, err := NewPacker(&b, "a", false)
	if err == nil {
		err = errors.Join(p.Add(context.Background(), "a", a, nil), p.Close(), a.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestUnpackCrash crashes at every operation of an Unpack, in several files or in one, alone or
// with remains: of this stream, of another one, or a whole array that the caller declares unused.
// Afterwards the array is complete or does not exist; the next attempt makes it, and continues from
// what exists.
func TestUnpackCrash(t *testing.T) {
	enumtest.Single(t)
	all := enumtest.Sampled(t, soak)
	stream, other := packedOn(t, "zstd", 70, 3), packedOn(t, "none", 200, -1)
	want := map[string][]byte{}
	for _, to := range []string{"b", "b.drx"} {
		disk := vfs.NewMem()
		if _, err := unpackOn(disk, bytes.NewReader(stream), to, false); err != nil {
			t.Fatal(err)
		}
		want[to] = packedFrom(t, disk, to)
	}
	var resumed int64
	for _, to := range []string{"b", "b.drx"} {
		for what, before := range map[string]func(vfs.FS) error{
			"nothing": func(vfs.FS) error { return nil },
			"half of it": func(disk vfs.FS) error {
				_, err := unpackOn(disk, bytes.NewReader(stream[:len(stream)/2]), to, false)
				return ignoring(err, ErrCorrupt)
			},
			"half of another": func(disk vfs.FS) error {
				_, err := unpackOn(disk, bytes.NewReader(other[:len(other)-20]), to, false)
				return ignoring(err, ErrCorrupt)
			},
			"another": func(disk vfs.FS) error {
				_, err := unpackOn(disk, bytes.NewReader(other), to, false)
				return err
			},
		} {
			again := what == "another"
			for k, ended := 0, false; !ended; k++ {
				disk := vfstest.NewCrash()
				if err := before(disk); err != nil {
					t.Fatal(err)
				}
				disk.CrashAfter(k)
				_, err := unpackOn(disk, bytes.NewReader(stream), to, again)
				ended = err == nil
				for _, policy := range slices.Sorted(maps.Keys(vfstest.Policies(30, uint64(k)))) {
					if !all.Try() {
						continue
					}
					left := disk.After(vfstest.Policies(30, uint64(k))[policy])
					if ended || !again { // nobody has declared an existing array complete
						is := packedFrom(t, left, to)
						if is != nil && !bytes.Equal(is, want[to]) || ended && is == nil {
							t.Fatalf("%s before, %s, crash at operation %d, policy %s: another array, or none", what, to, k, policy)
						}
						if is != nil {
							continue
						}
					}
					u, err := unpackOn(left, bytes.NewReader(stream), to, again)
					if err != nil {
						t.Fatalf("%s before, %s, crash at operation %d, policy %s: not unpacked again: %v", what, to, k, policy, err)
					}
					resumed += u.Resumed()
					if !bytes.Equal(packedFrom(t, left, to), want[to]) {
						t.Fatalf("%s before, %s, crash at operation %d, policy %s: another array", what, to, k, policy)
					}
				}
			}
		}
	}
	if all.Want(1000); resumed == 0 {
		t.Error("nothing was ever resumed")
	}
}

// ignoring returns err, or nil if it is of the given kind.
func ignoring(err, kind error) error {
	if errors.Is(err, kind) {
		return nil
	}
	return err
}

// TestUnpackFaults lets every write of an Unpack fail as on a full disk. The next attempt, with
// space, continues from what was written, and writes only the rest.
func TestUnpackFaults(t *testing.T) {
	errFull := errors.New("no space left on device")
	stream := packedOn(t, "lz4", 300, 3)
	for _, to := range []string{"b", "b.drx"} {
		most := int64(0)
		for k, ended := 0, false; !ended; k++ {
			disk, count := vfstest.NewCrash(), 0
			full := func(op vfstest.Op, _ string) error {
				if op == vfstest.OpWrite {
					if count++; count > k {
						return errFull
					}
				}
				return nil
			}
			_, err := unpackOn(&vfstest.Faulty{FS: disk, Fail: full}, bytes.NewReader(stream), to, false)
			if ended = err == nil; ended {
				break
			}
			if !errors.Is(err, errFull) || packedFrom(t, disk, to) != nil {
				t.Fatalf("%s, full at write %d: %v, or there is an array", to, k, err)
			}
			u, err := unpackOn(disk, bytes.NewReader(stream), to, false)
			if err != nil || packedFrom(t, disk, to) == nil {
				t.Fatalf("%s, full at write %d: once more: %v", to, k, err)
			}
			if u.Resumed() < most {
				t.Errorf("%s, full at write %d: %d bytes were not written again, %d after a write less", to, k, u.Resumed(), most)
			}
			most = u.Resumed()
		}
		if most == 0 {
			t.Errorf("%s: nothing was ever resumed", to)
		}
	}
}

// A removal deletes the remains of an interrupted Unpack.
func TestRemoveUnpacked(t *testing.T) {
	stream := packedOn(t, "none", 70, 3)
	for _, to := range []string{"b", "b.drx", "w.drx/b"} {
		t.Chdir(t.TempDir())
		u, err := NewUnpacker(bytes.NewReader(stream[:len(stream)-1]))
		if err == nil {
			_, err = u.Next()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Unpack(context.Background(), to); !errors.Is(err, ErrCorrupt) || !u.Kept() {
			t.Errorf("%s: %v, kept %t", to, err, u.Kept())
		}
		if exists, err := Exists(to); exists || err != nil {
			t.Errorf("%s exists: %v", to, err)
		}
		if err := Remove(to); err != nil {
			t.Error(err)
		}
		if err := Remove(to); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, once more: %v", to, err)
		}
	}
}
