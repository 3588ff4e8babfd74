package chunkstore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"drx/axial"
	"drx/internal/vfs"
)

func TestZerosAtEnd(t *testing.T) {
	for _, n := range []int{0, 1, sparseBlock - 1, sparseBlock, sparseBlock + 1, 3*sparseBlock + 5} {
		if got := zerosAtEnd(make([]byte, n)); got != n {
			t.Errorf("%d zeros: %d", n, got)
		}
		for _, last := range []int{0, n / 2, n - 1} {
			if last < 0 || last >= n {
				continue
			}
			b := make([]byte, n)
			b[last] = 1
			zeros := n - 1 - last
			if got, want := zerosAtEnd(b), zeros/sparseBlock*sparseBlock; got != want {
				t.Errorf("%d bytes with %d zeros at the end: %d, want %d", n, zeros, got, want)
			}
		}
	}
}

// sparseStores are new stores of the roles that write, on the operating system's files: 20 chunks,
// 10 of which the last commit knows of.
func sparseStores(t *testing.T, size int, slot int64) map[string]ChunkWriter {
	t.Helper()
	stores := map[string]ChunkWriter{}
	for _, role := range []string{"writer", "writer without journal", "sharer", "leader"} {
		dir := t.TempDir()
		data, table := files(t, vfs.OS, dir+string(filepath.Separator))
		f := Files{FS: vfs.OS, Data: data, Table: table, Journal: filepath.Join(dir, "a.xjl")}
		if role == "writer without journal" {
			f.Durability = None
		}
		w := OpenWriter(f, size, slot)
		w.SetCommitted(10, 1)
		stores[role] = w
		var err error
		switch role {
		case "sharer":
			stores[role], err = OpenSharer(w)
		case "leader":
			var l *Leader
			if l, err = OpenLeader(w, 0, 1); err == nil {
				err = l.Cover(20)
			}
			stores[role] = l
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return stores
}

// Zeros at the end of a new chunk take no space, in all roles, whether it is written alone or
// together with others, and the chunk is read as it was written.
func TestZerosTakeNoSpace(t *testing.T) {
	const chunkBytes = 192 << 10 // 48 blocks
	head := func(n int) []byte { return append(bytes.Repeat([]byte{7}, n), make([]byte, chunkBytes-n)...) }
	for _, c := range []struct {
		name  string
		slot  int64
		parts []int // bytes before the zeros, of each chunk
		most  int64 // blocks: those of the parts, the last one of the file, and one that ext4 may need for its own use
	}{
		{"one", chunkBytes, []int{24}, 1 + 2},
		{"one in a larger slot", chunkBytes + 4096, []int{5000}, 2 + 2},
		{"all zeros", chunkBytes, []int{0}, 2},
		{"none", chunkBytes, []int{chunkBytes}, 48 + 1},
		{"too few to count", chunkBytes, []int{chunkBytes - 4097}, 48 + 1},
		{"in a run", chunkBytes, []int{chunkBytes, 10, chunkBytes, 4097, chunkBytes}, 48 + 1 + 48 + 2 + 48 + 1},
		{"at the end of a run", chunkBytes, []int{chunkBytes, chunkBytes - 2*4096}, 48 + 46 + 2},
	} {
		for name, s := range sparseStores(t, chunkBytes, c.slot) {
			var buf []byte
			for _, n := range c.parts {
				buf = append(buf, head(n)...)
			}
			for _, q := range []axial.Number{3, 13} {
				if err := s.WriteFresh(q, buf); err != nil {
					t.Fatal(err)
				}
			}
			store := s.(store).base()
			got := make([]byte, chunkBytes)
			for i := range c.parts {
				for _, q := range []axial.Number{3, 13} {
					q += axial.Number(i)
					if err := store.Check(q, got); err != nil || !bytes.Equal(got, buf[i*chunkBytes:(i+1)*chunkBytes]) {
						t.Errorf("%s, %s: chunk %d is not what was written, %v", c.name, name, q, err)
					}
				}
			}
			size, err := store.files.Data.Size()
			if want := int64(13+len(c.parts)-1)*c.slot + chunkBytes; err != nil || size != want {
				t.Errorf("%s, %s: the file has %d bytes, %v, want %d", c.name, name, size, err, want)
			}
			if n, err := store.files.Data.Allocated(); err != nil || n > 2*c.most*4096 {
				t.Errorf("%s, %s: takes %d blocks, %v, want %d at most", c.name, name, n/4096, err, 2*c.most)
			}
		}
	}
}

// Chunks with zeros at their ends are what a model is, wherever something was left in their places,
// after they are overwritten, and for a store that opens the files.
func TestZerosAtEndModel(t *testing.T) {
	const chunkBytes = 20_000
	for _, d := range []Durability{Full, NoJournal, None} {
		for seed := range uint64(30) {
			t.Run(fmt.Sprint(d, seed), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, uint64(d)))
				data, table := files(t, vfs.NewMem(), "")
				f := Files{FS: vfs.NewMem(), Data: data, Table: table, Journal: "a.xjl", Durability: d}
				s := OpenWriter(f, chunkBytes, chunkBytes+rng.Int64N(2)*480)
				s.SetCommitted(4, 1)
				if _, err := data.WriteAt(bytes.Repeat([]byte{9}, 30_000), rng.Int64N(100_000)); err != nil { // of a writer that was killed
					t.Fatal(err)
				}
				m := make(model, 8)
				for range 40 {
					q := axial.Number(rng.IntN(len(m)))
					if m[q] != nil && rng.IntN(3) == 0 && d == None {
						if err := s.Clear([]axial.Number{q}); err != nil {
							t.Fatal(err)
						}
					}
					m[q] = make([]byte, chunkBytes)
					for i := range rng.IntN(chunkBytes + 1) {
						m[q][i] = byte(rng.Uint32())
					}
					if err := s.Write(q, m[q]); err != nil {
						t.Fatal(err)
					}
				}
				for q := range m {
					if m[q] == nil {
						m[q] = make([]byte, chunkBytes)
						if err := s.Write(axial.Number(q), m[q]); err != nil {
							t.Fatal(err)
						}
					}
				}
				m.check(t, s)
				m.checkCommitted(t, s)
			})
		}
	}
}
