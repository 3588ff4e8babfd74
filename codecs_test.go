package drx

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"drx/dtype"
	"drx/internal/codec"
	"drx/internal/state"
	"drx/nd"
)

// testedCodecs are the codecs with which tests compress arrays. Two of them have blocks.
var testedCodecs = []string{"zstd:1", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle"}

// historyCodecs are the codecs of random histories: half of these do not compress.
var historyCodecs = append([]string{"", "", "", ""}, testedCodecs...)

// smallChunk is the size in bytes from which on codecs shorten the chunks that tests write. Smaller
// chunks are compressed by tail, whatever the codec.
const smallChunk = 128

func init() {
	product := newCodec
	newCodec = func(s *state.State) codec.Codec {
		c := product(s)
		switch {
		case c == nil:
			return nil
		case s.ChunkBytes < smallChunk:
			return tail{}
		}
		counts, _ := encodedBy.LoadOrStore(s.Codec.Name, new(encodeCounts))
		return countingCodec{c, counts.(*encodeCounts)}
	}
	defaultCodec = cmp.Or(os.Getenv("DRX_TEST_CODEC"), defaultCodec)
}

// encodedBy has the counts of the real codecs, by name.
var encodedBy sync.Map

// encodeCounts counts chunks that a codec has shortened, and chunks that it has not.
type encodeCounts struct{ shorter, raw atomic.Int64 }

// countingCodec counts the results of a codec.
type countingCodec struct {
	codec.Codec
	counts *encodeCounts
}

func (c countingCodec) Encode(dst, src []byte) ([]byte, bool) {
	frame, ok := c.Codec.Encode(dst, src)
	if ok {
		c.counts.shorter.Add(1)
	} else {
		c.counts.raw.Add(1)
	}
	return frame, ok
}

// wantEncoded checks that each kind of codec has shortened at least least chunks since the program
// began, and left at least as many uncompressed.
func wantEncoded(t *testing.T, least int64) {
	t.Helper()
	for _, name := range []string{codec.Zstd, codec.LZ4, codec.Blosc} {
		counts, ok := encodedBy.Load(name)
		if !ok {
			t.Errorf("%s was never used", name)
			continue
		}
		e := counts.(*encodeCounts)
		t.Logf("%s has shortened %d chunks and left %d", name, e.shorter.Load(), e.raw.Load())
		if e.shorter.Load() < least || e.raw.Load() < least {
			t.Errorf("hardly anything of %s was tested", name)
		}
	}
}

// uncompressed has the tests, run in both forms, that depend on the raw bytes of chunks.
var uncompressed = []string{
	"TestDamage", "TestJournalBytes", "TestDiscardBesideOthers", "TestWalkReadsAhead",
	"TestLogOutgrowsItsRoomWithoutMovingAChunk", "TestPatchMovesFewBytes", "TestPatchesAreSmall",
	"TestPatchOfACutFile", "TestFullTmpfsGivesSpaceBack", "TestImpossibleJournal", "TestGoldenOperations",
	"TestRowIsReadInPlace", "TestThinRowsAreWrittenAlone",
}

// inCodecs runs a test of one of the two forms. The name of the test determines in which form
// arrays are compressed, and by which codec. A soak tries each form with all codecs and without.
func inCodecs(t *testing.T, form int, test func(t *testing.T)) {
	name, _, _ := strings.Cut(t.Name(), "/")
	chosen := hashOf(name)
	switch {
	case slices.Contains(uncompressed, name):
		test(t)
	case soak:
		for _, c := range append([]string{codec.None}, testedCodecs...) {
			t.Run(c, func(t *testing.T) {
				t.Cleanup(useCodec(c))
				test(t)
			})
		}
	case chosen%2 == form:
		t.Cleanup(useCodec(testedCodecs[chosen/2%len(testedCodecs)]))
		test(t)
	default:
		test(t)
	}
}

// hashOf returns a number for choices of a test, which depends only on a name.
func hashOf(name string) int {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(name))
	return int(sum.Sum32() >> 1)
}

// useCodec sets the codec of arrays that name none, until restore is called.
func useCodec(codec string) (restore func()) {
	was := defaultCodec
	defaultCodec = codec
	return func() { defaultCodec = was }
}

// useTurn is useCodec for the n-th case of a test: every other case is not compressed, the others
// use all codecs in turn.
func useTurn(n int) (restore func()) {
	if n%2 == 0 {
		return useCodec(codec.None)
	}
	return useCodec(testedCodecs[n/2%len(testedCodecs)])
}

// A lane is the form and the codec of an array in a test of many states.
type lane struct{ array, codec string }

// lanesOf returns each array without a codec, and with one that depends on the name of the test; in
// a soak with all codecs.
func lanesOf(t testing.TB, arrays []string) (lanes []lane) {
	for i, array := range arrays {
		lanes = append(lanes, lane{array, codec.None})
		for j, c := range testedCodecs {
			if soak || (hashOf(t.Name())+i)%len(testedCodecs) == j {
				lanes = append(lanes, lane{array, c})
			}
		}
	}
	return lanes
}

// compresses reports whether arrays that name no codec are compressed.
func compresses() bool { return defaultCodec != codec.None }

// tail is a codec for chunks of any size. It omits the equal bytes at the end of a chunk. A frame
// has the number of the other bytes, these bytes, and the omitted byte.
type tail struct{}

func (tail) Encode(dst, src []byte) ([]byte, bool) {
	n := len(src)
	for n > 0 && src[n-1] == src[len(src)-1] {
		n--
	}
	dst = binary.AppendUvarint(dst[:0], uint64(n))
	dst = append(append(dst, src[:n]...), src[len(src)-1])
	return dst, len(dst) < len(src)
}

func (tail) Decode(dst, frame []byte) error { return tail{}.DecodeRange(dst, frame, 0, len(dst)) }

func (tail) DecodeRange(dst, frame []byte, from, size int) error {
	n, head := binary.Uvarint(frame)
	if head <= 0 || n >= uint64(size) || len(frame) != head+int(n)+1 {
		return codec.ErrFrame
	}
	for i := range dst {
		dst[i] = frame[head+min(from+i, int(n))]
	}
	return nil
}

func (tail) RangeBytes(_ []byte, _, n, _ int) int { return n }

// realCodecs are codecs with and without blocks.
var realCodecs = []string{"zstd:3", "lz4", "blosc:lz4:5:shuffle", "blosc:zstd:3:bitshuffle"}

// smooth returns numbers that codecs shorten; the last quarter is noise.
func smooth(n int) []int32 {
	v := make([]int32, n)
	rng := rand.New(rand.NewPCG(39, uint64(n)))
	for i := range v {
		if v[i] = int32(i / 7); i > n/4*3 {
			v[i] = int32(rng.Uint32())
		}
	}
	return v
}

// Compressed arrays have the elements that were written, read as a whole, in parts and one by one,
// and need less space, before and after they are opened again.
func TestCodecs(t *testing.T) {
	const edge, chunk = 400, 128
	for _, c := range realCodecs {
		t.Run(c, func(t *testing.T) {
			name, want := filepath.Join(t.TempDir(), "a"), smooth(edge*edge)
			spec := Spec{DType: dtype.Int32, Shape: []int{edge, edge}, ChunkShape: []int{chunk, chunk}}
			spec.Codec = c
			a, err := Create(name, spec)
			if err == nil {
				err = Write(a, nil, want)
			}
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				wantSmooth(t, a, want)
				for i := range 50 { // overwritten as a whole and in part
					want[i*edge+i] ^= 1 << i % 31
					if err := Set(a, want[i*edge+i], i, i); err != nil {
						t.Fatal(err)
					}
				}
				if err := errors.Join(a.Close(), checkSmall(name)); err != nil {
					t.Fatal(err)
				}
				if a, err = Open(name, Options{Write: true, Cache: 1 << 20}); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// checkSmall returns an error if an array needs as much space as its elements.
func checkSmall(name string) error {
	a, err := Open(name, Options{})
	if err != nil {
		return err
	}
	defer a.Close()
	u, err := a.Usage()
	if err == nil && u.DataBytes > u.LogicalBytes*2/3 {
		err = fmt.Errorf("%d bytes on the disk, %d in all chunks", u.DataBytes, u.LogicalBytes)
	}
	r, verifyErr := a.Verify(context.Background(), nil)
	if !r.Good() {
		err = fmt.Errorf("damaged: %+v", r)
	}
	return errors.Join(err, verifyErr)
}

func wantSmooth(t *testing.T, a *Array, want []int32) {
	t.Helper()
	edge := a.Shape()[0]
	got, err := Read[int32](a, nil)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("other elements, %v", err)
	}
	for i := range edge {
		v, err := At[int32](a, i, edge-1-i)
		if err != nil || v != want[i*edge+edge-1-i] {
			t.Fatalf("element %d, %d: %d, %v", i, edge-1-i, v, err)
		}
		row, err := Read[int32](a, nd.Sec(nd.At(i), nd.Span(i/2, edge)))
		if err != nil || !slices.Equal(row, want[i*edge+i/2:(i+1)*edge]) {
			t.Fatalf("row %d: %v", i, err)
		}
	}
}

// testdata/read_xta.py reads compressed chunks: lz4 by itself, the others with Python modules. It
// names a module that is missing.
func TestForeignReaderOfCodecs(t *testing.T) {
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil {
		t.Skip("needs python3")
	}
	const n = 3000
	want := smooth(n)
	var lines, elements strings.Builder
	for i := 0; i < n; i += 100 {
		fmt.Fprintln(&lines, i)
		fmt.Fprintf(&elements, "%08x\n", bits.ReverseBytes32(uint32(want[i])))
	}
	lacking := t.TempDir() // has modules that Python does not find
	for _, module := range []string{"zstandard", "blosc"} {
		text := fmt.Sprintf("raise ImportError(name=%q)\n", module)
		if err := os.WriteFile(filepath.Join(lacking, module+".py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range realCodecs {
		name := filepath.Join(t.TempDir(), "a")
		spec := Spec{DType: dtype.Int32, Shape: []int{n}, ChunkShape: []int{800}}
		spec.Codec = c
		a, err := Create(name, spec)
		if err == nil {
			err = errors.Join(Write(a, nil, want), a.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(c, ":")
		module := map[string]string{codec.Zstd: "zstandard", codec.LZ4: "", codec.Blosc: "blosc"}[kind]
		says := fmt.Sprintf("%s: chunks are compressed by %s, which takes Python's module %s\n", name, kind, module)
		for _, lacks := range []string{"", lacking} {
			cmd := exec.Command(python, "testdata/read_xta.py", name)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+lacks)
			cmd.Stdin = strings.NewReader(lines.String())
			var complaint strings.Builder
			cmd.Stderr = &complaint
			out, err := cmd.Output()
			switch {
			case module != "" && complaint.String() == says: // if Python lacks it
			case err != nil:
				t.Errorf("%s: %v: %s", c, err, complaint.String())
			case string(out) != elements.String():
				t.Errorf("%s: other elements", c)
			case module != "" && lacks != "":
				t.Errorf("%s: read without %s", c, module)
			}
		}
	}
}

// HasHoles can be called for any place of an array, existing or new, also in folders that do not
// exist yet and in files with several arrays, and leaves nothing there.
func TestHasHoles(t *testing.T) {
	dir := t.TempDir()
	a, err := Create(filepath.Join(dir, "w.drx", "a"), Spec{DType: dtype.Int8, Shape: []int{2}})
	if err == nil {
		err = a.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "none/c", "w.drx/a", "w.drx/g/d", "w.drx"} {
		if has, err := HasHoles(filepath.Join(dir, name)); !has || err != nil {
			t.Errorf("%s: %v, %v", name, has, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
