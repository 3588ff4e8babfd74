package drx

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"drx/axial"
	"drx/dtype"
	"drx/nd"
)

const (
	overwrittenChunks = 24
	overwrittenBytes  = 32 << 10 // of a chunk
)

// An overwriteHistory is an array with chunks that commits overwrite with longer and shorter
// versions. The array's name and the number of a commit determine which ones. Each commit writes
// its number at the beginning of chunk 0.
type overwriteHistory struct {
	name   string
	seed   uint64
	commit uint64 // the last one
	chunks [overwrittenChunks][]byte
	mixed  int // number of kills that left chunks of several codecs
}

func newOverwriteHistory(name string) *overwriteHistory {
	sum := fnv.New64()
	_, _ = sum.Write([]byte(filepath.Base(name)))
	return &overwriteHistory{name: name, seed: sum.Sum64()}
}

// next returns the chunks that the next commit overwrites: all of them the first time.
func (o *overwriteHistory) next() map[int][]byte {
	rng := rand.New(rand.NewPCG(o.seed, o.commit+1))
	changed := map[int][]byte{}
	for q := range overwrittenChunks {
		if o.commit > 0 && q > 0 && rng.IntN(6) > 0 {
			continue
		}
		row := make([]byte, overwrittenBytes)
		noise := rng.IntN(overwrittenBytes+overwrittenBytes/4) % (overwrittenBytes + 1)
		for j := 0; j+8 <= noise; j += 8 {
			binary.LittleEndian.PutUint64(row[j:], rng.Uint64())
		}
		changed[q] = row
	}
	binary.LittleEndian.PutUint64(changed[0], o.commit+1)
	return changed
}

// advance records that a commit is the last one.
func (o *overwriteHistory) advance(commit uint64) {
	for ; o.commit < commit; o.commit++ {
		for q, row := range o.next() {
			o.chunks[q] = row
		}
	}
}

// write writes the chunks of the next commit, and does not commit them.
func (o *overwriteHistory) write(a *Array) error {
	for q, row := range o.next() {
		if err := a.WriteBytes(nd.Sec(nd.At(q), nd.Span(0, overwrittenBytes)), row, nil); err != nil {
			return err
		}
	}
	return nil
}

// found returns the number of the last commit in an array.
func (o *overwriteHistory) found(a *Array) (uint64, error) {
	b := make([]byte, 8)
	err := a.ReadBytes(nd.Sec(nd.At(0), nd.Span(0, 8)), b, nil)
	return binary.LittleEndian.Uint64(b), err
}

// However often chunks are overwritten by longer and shorter versions, the file occupies exactly
// the blocks that the stored bytes need, also after discarded commits and after writers that were
// killed, some of them within a Recompress, so that chunks have several codecs. In make test each
// codec has a few hundred overwrites, in a soak 25,000.
func TestOverwritesTakeNoMore(t *testing.T) {
	if name := os.Getenv("DRX_TEST_OVERWRITE"); name != "" {
		overwriteUntilKilled(t, name)
		return
	}
	commits, kills := uint64(40), 3
	if soak {
		commits, kills = 5000, 200
	}
	for i := range 2 * len(testedCodecs) {
		c, form := testedCodecs[i%len(testedCodecs)], i/len(testedCodecs)
		if !soak && i%2 != form {
			continue
		}
		name := formOf(fmt.Sprint("a", i), uint64(form))
		t.Run(c+" "+name, func(t *testing.T) {
			o := newOverwriteHistory(filepath.Join(t.TempDir(), name))
			a, err := Create(o.name, Spec{
				DType: dtype.Uint8, Shape: []int{overwrittenChunks, overwrittenBytes}, ChunkShape: []int{1, overwrittenBytes}, Codec: c,
			})
			if err == nil {
				err = o.overwrite(a, commits)
			}
			if err != nil {
				t.Fatal(err)
			}
			o.wantBlocks(t)
			for kill := range kills {
				o.kill(t, kill%3 != 0)
				o.wantBlocks(t)
			}
			if t.Logf("%d of %d kills left several codecs", o.mixed, kills); soak && o.mixed == 0 {
				t.Error("no writer was killed within a Recompress")
			}
			o.endRecompress(t)
			o.wantBlocks(t)
		})
	}
}

// overwrite makes commits, some of which are discarded at first, and closes the array.
func (o *overwriteHistory) overwrite(a *Array, commits uint64) (err error) {
	rng := rand.New(rand.NewPCG(o.seed, 0))
	for o.commit < commits {
		if err := o.write(a); err != nil {
			return err
		}
		if rng.IntN(8) > 0 {
			if err := a.Sync(); err != nil {
				return err
			}
			o.advance(o.commit + 1)
			continue
		}
		end := a.Discard
		if rng.IntN(2) == 0 { // without closing it, like a killed process
			end = func() error { return errors.Join(a.store.Close(true), a.file.Close()) }
		}
		if err := end(); err != nil {
			return err
		}
		if a, err = Open(o.name, Options{Write: true}); err != nil {
			return err
		}
	}
	return a.Close()
}

// overwriteUntilKilled makes commits, and prints their numbers, until the process is killed. If
// DRX_TEST_RECOMPRESS is set, it gives the array another codec after each commit.
func overwriteUntilKilled(t *testing.T, name string) {
	o := newOverwriteHistory(name)
	a, err := Open(name, Options{Write: true, Cache: 4 * overwrittenBytes}) // so that much is written before a commit
	if err != nil {
		t.Fatal(err)
	}
	if o.commit, err = o.found(a); err != nil {
		t.Fatal(err)
	}
	for ; ; o.commit++ {
		if err := errors.Join(o.write(a), a.Sync()); err != nil {
			t.Fatal(err)
		}
		fmt.Println(o.commit + 1)
		if os.Getenv("DRX_TEST_RECOMPRESS") == "" {
			continue
		}
		codec := testedCodecs[rand.IntN(len(testedCodecs))]
		if err := a.Recompress(t.Context(), codec, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// endRecompress completes a Recompress that a killed writer may have left, with another one.
func (o *overwriteHistory) endRecompress(t *testing.T) {
	t.Helper()
	a, err := Open(o.name, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	to := "zstd:1"
	if a.Layout().Codec == to {
		to = "lz4"
	}
	if err := a.Recompress(t.Context(), to, nil); err != nil || a.Recompressing() {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// kill lets another process make commits, with recompressions between them, and kills it at a
// random moment.
func (o *overwriteHistory) kill(t *testing.T, recompress bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestOverwritesTakeNoMore$")
	cmd.Env = append(os.Environ(), "DRX_TEST_OVERWRITE="+o.name)
	if recompress {
		cmd.Env = append(cmd.Env, "DRX_TEST_RECOMPRESS=1")
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	acknowledged, lines := o.commit, bufio.NewScanner(out)
	for lines.Scan() {
		n, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			t.Fatalf("the writer failed: %s", lines.Text())
		}
		if acknowledged == o.commit { // its first one
			time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
		}
		acknowledged = n
	}
	if err := cmd.Wait(); err == nil || acknowledged == o.commit {
		t.Fatalf("the writer was not killed: %v", err)
	}
	a, err := Open(o.name, Options{Write: true}) // which recovers
	if err != nil {
		t.Fatal(err)
	}
	n, err := o.found(a)
	if err != nil || n < acknowledged || n > acknowledged+1 {
		t.Errorf("the last commit is %d, and %d was acknowledged, %v", n, acknowledged, err)
	}
	o.advance(n)
	if a.Recompressing() {
		o.mixed++
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// wantBlocks checks that an array has the chunks of its last commit, and its file exactly the
// blocks that the stored bytes need. ext4 counts the block with the list of a file's extents, which
// it needs for more than the four that the inode holds.
func (o *overwriteHistory) wantBlocks(t *testing.T) {
	t.Helper()
	a, err := Open(o.name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	want, before := int64(0), int64(0)
	for q := range axial.Number(overwrittenChunks) { // also of chunks with an earlier codec
		u, err := a.store.Usage(q + 1)
		if err != nil {
			t.Fatal(err)
		}
		want += (u.Stored - before + 4095) / 4096 * 4096
		before = u.Stored
	}
	u, err := a.Usage()
	if list := u.DataBytes - want; err != nil || list != 0 && list != 4096 {
		t.Errorf("after commit %d %d bytes are stored, in blocks %d, and the file takes %d, %v", o.commit, u.StoredBytes, want, u.DataBytes, err)
	}
	for q, row := range o.chunks {
		got := make([]byte, overwrittenBytes)
		if err := a.ReadBytes(nd.Sec(nd.At(q), nd.Span(0, len(got))), got, nil); err != nil || !bytes.Equal(got, row) {
			t.Errorf("after commit %d chunk %d is another one, %v", o.commit, q, err)
		}
	}
}
