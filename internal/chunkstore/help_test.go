package chunkstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"drx/axial"
	"drx/internal/state"
	"drx/internal/vfs"
	"drx/internal/vfs/vfstest"
)

const (
	size = 24
	slot = 32

	tablePage = 4096 // bytes by which the chunk table grows
)

var errFault = errors.New("injected")

// files creates the two files of a store in a file system.
func files(t testing.TB, fsys vfs.FS, prefix string) (data, table vfs.File) {
	t.Helper()
	var err error
	if data, err = fsys.Create(prefix + "a.xta"); err == nil {
		table, err = fsys.Create(prefix + "a.xck")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(data.Close(), table.Close()) })
	return data, table
}

// failing is a file system in memory whose operations fail that fails is true of.
func failing(fails func(op vfstest.Op, name string) bool) vfs.FS {
	return vfstest.Faulty{FS: vfs.NewMem(), Fail: func(op vfstest.Op, name string) error {
		if fails(op, name) {
			return errFault
		}
		return nil
	}}
}

func newStore(t testing.TB) *Writer {
	t.Helper()
	data, table := files(t, vfs.NewMem(), "")
	return OpenWriter(Files{Data: data, Table: table}, size, slot)
}

// A store is the common part of all roles.
type store interface{ base() *Store }

func (s *Store) base() *Store { return s }

// reopened is the store as another process would open it.
func reopened(s store) *Writer {
	return OpenWriter(s.base().files, s.base().size, s.base().slot)
}

// chunk returns the bytes of version v of chunk q.
func chunk(q axial.Number, v int) []byte {
	b := bytes.Repeat([]byte{byte(v)}, size)
	binary.LittleEndian.PutUint64(b, uint64(q))
	return b
}

func mustWrite(t testing.TB, s interface {
	Write(q axial.Number, buf []byte) error
}, q axial.Number, v int,
) {
	t.Helper()
	if err := s.Write(q, chunk(q, v)); err != nil {
		t.Fatal(err)
	}
}

// mustShare turns a writer into a sharer.
func mustShare(t testing.TB, w *Writer) *Sharer {
	t.Helper()
	s, err := OpenSharer(w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustSync(t testing.TB, s interface{ Prepare() error }) {
	t.Helper()
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
}

// wantChunk checks that chunk q holds version v; version 0 is one never written.
func wantChunk(t testing.TB, s store, q axial.Number, v int) {
	t.Helper()
	buf := make([]byte, size)
	err := s.base().Read(q, buf)
	written, werr := s.base().Written(q)
	switch {
	case v == 0 && (err != ErrUnwritten || written || werr != nil):
		t.Fatalf("chunk %d: %v, written %v, %v, want it never written", q, err, written, werr)
	case v != 0 && (err != nil || !written || werr != nil || !bytes.Equal(buf, chunk(q, v))):
		t.Fatalf("chunk %d: %v, written %v, %v: %x, want version %d", q, err, written, werr, buf, v)
	}
}

// wantBytes wants chunk q to be this, or never written if that is nil.
func wantBytes(t testing.TB, s store, q axial.Number, want []byte) {
	t.Helper()
	buf := make([]byte, s.base().size)
	switch err := s.base().Check(q, buf); {
	case want == nil && err != ErrUnwritten:
		t.Fatalf("chunk %d: %v, want none", q, err)
	case want != nil && (err != nil || !bytes.Equal(buf, want)):
		t.Fatalf("chunk %d: %v: %x, want %x", q, err, buf[:size], want[:size])
	}
}

// A model has the expected contents of the chunks of a store, nil for one that was never written.
type model [][]byte

// put applies pieces to a chunk.
func (m model) put(q axial.Number, pieces []Piece) {
	for _, p := range pieces {
		copy(m[q][p.At:], p.Bytes)
	}
}

func (m model) check(t testing.TB, s store) {
	t.Helper()
	for q, want := range m {
		wantBytes(t, s, axial.Number(q), want)
	}
}

// checkCommitted commits what s has, and checks it and a store that opens its files.
func (m model) checkCommitted(t testing.TB, s *Writer) {
	t.Helper()
	if s.files.Durability == Full {
		commitPatches(t, s, 1)
	}
	mustSync(t, s)
	m.check(t, s)
	m.check(t, reopened(s))
}

// wantDamage checks that err says that the file is corrupt.
func wantDamage(t testing.TB, err error, file string) {
	t.Helper()
	if !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %v, want one line saying that %s is corrupt", err, file)
	}
}

// each returns what Each finds: the good chunks and the number of damaged ones.
func each(t testing.TB, s store, limit axial.Number) (good []axial.Number, damaged int) {
	t.Helper()
	last := axial.Number(-1)
	err := s.base().Each(limit, func(q axial.Number, err error) error {
		if q <= last || q >= limit {
			t.Errorf("chunk %d after %d, limit %d", q, last, limit)
		}
		last = q
		if err != nil {
			wantDamage(t, err, "a.xck")
			damaged++
		} else {
			good = append(good, q)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return good, damaged
}
