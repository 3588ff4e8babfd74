package codec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
)

// oracle is a Python process that compresses with numcodecs: C-Blosc, libzstd and liblz4.
type oracle struct {
	t   testing.TB
	in  io.Writer
	out *bufio.Reader
}

const python = "/usr/bin/python3" // the Python for which Debian's packages are installed

// needs skips a test if Python cannot run a program; with CI=true it fails the test.
func needs(t testing.TB, program, why string) {
	t.Helper()
	if err := exec.Command(python, "-c", program).Run(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
}

func newOracle(t testing.TB) *oracle {
	t.Helper()
	needs(t, "import numcodecs", "python3-numcodecs is not there")
	cmd := exec.Command(python, "testdata/oracle.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	check(t, err)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &oracle{t, in, bufio.NewReader(out)}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends data to the process and returns the answer: the bytes encoded or decoded by the codec,
// or the times that it takes.
func (o *oracle) ask(verb, codec string, elem int, data []byte) []byte {
	o.t.Helper()
	_, err := fmt.Fprintf(o.in, "%s %s %d %d\n", verb, codec, elem, len(data))
	check(o.t, err)
	_, err = o.in.Write(data)
	check(o.t, err)
	line, err := o.out.ReadString('\n')
	check(o.t, err)
	var n int
	if _, err := fmt.Sscan(line, &n); err != nil || n < 0 {
		o.t.Fatalf("%s by %s: %s", verb, codec, line)
	}
	result := make([]byte, n)
	_, err = io.ReadFull(o.out, result)
	check(o.t, err)
	return result
}

// randomSpec returns a random spec other than none.
func randomSpec(rng *rand.Rand) Spec {
	switch rng.IntN(5) {
	case 0:
		return Spec{Name: Zstd, Level: []int{1, 2, 3, 5, 8, 12, 22}[rng.IntN(7)]}
	case 1:
		return Spec{Name: LZ4}
	}
	level := 1 + rng.IntN(9)
	if level > 6 && rng.IntN(4) > 0 { // slow
		level -= 6
	}
	return Spec{Blosc, inners[rng.IntN(3)], level, shuffles[rng.IntN(3)]}
}

// randomChunk returns a chunk of elements of elem bytes: smooth, constant, random, or a mixture.
func randomChunk(rng *rand.Rand, elem int) []byte {
	n := rng.IntN(3000)
	if rng.IntN(5) == 0 {
		n = rng.IntN(300000) / elem
	}
	chunk := make([]byte, n*elem)
	kind := rng.IntN(4)
	value, step := rng.Uint64(), rng.Uint64N(300)
	for i := range n {
		if kind == 3 && rng.IntN(1000) == 0 {
			value, step = rng.Uint64(), rng.Uint64N(300)
		}
		value += rng.Uint64N(step + 1)
		for b := range elem {
			switch {
			case kind == 1:
				chunk[i*elem+b] = byte(b)
			case kind == 2:
				chunk[i*elem+b] = byte(rng.Uint32())
			case b < 8:
				chunk[i*elem+b] = byte(value >> (8 * b))
			}
		}
	}
	return chunk
}

var elemSizes = []int{1, 2, 3, 4, 7, 8, 12, 16, 17, 32, 255, 300}

// numcodecs reads our frames and we read theirs. For blosc the headers are equal, so the blocks
// are, too, except where we split zstd into several streams.
func TestFramesAreThoseOfTheLibraries(t *testing.T) {
	o := newOracle(t)
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 1))
		spec, elem := randomSpec(rng), elemSizes[rng.IntN(len(elemSizes))]
		chunk := randomChunk(rng, elem)
		if len(chunk) == 0 {
			continue
		}
		name := fmt.Sprintf("seed %d: %s of %d bytes in elements of %d", seed, spec, len(chunk), elem)
		c, err := New(spec, elem)
		check(t, err)
		text := spec.String()
		theirs := o.ask("encode", text, elem, chunk)
		frame, ok := c.Encode(nil, chunk)
		if ok {
			if got := o.ask("decode", text, elem, frame); !bytes.Equal(got, chunk) {
				t.Fatalf("%s: the library decodes our frame to other bytes", name)
			}
			same := spec.Name != Blosc || bytes.Equal(frame[:12], theirs[:12]) || theirs[2]&flagStored != 0
			if !same && (spec.Inner != Zstd || frame[2]&flagOneStream != 0) {
				t.Fatalf("%s: header % x, that of C-Blosc is % x", name, frame[:12], theirs[:12])
			}
		}
		got := make([]byte, len(chunk))
		if err := c.Decode(got, theirs); err != nil || !bytes.Equal(got, chunk) {
			t.Fatalf("%s: the frame of the library: %v", name, err)
		}
	}
}

// We read containers with compressors and block sizes that we do not write.
func TestBloscReadsOtherContainers(t *testing.T) {
	o := newOracle(t)
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		inner := []string{"blosclz", "zlib", "lz4", "zstd"}[rng.IntN(4)]
		elem := elemSizes[rng.IntN(len(elemSizes))]
		text := fmt.Sprintf("blosc:%s:%d:%s:%d", inner, rng.IntN(10), shuffles[rng.IntN(3)], []int{0, 512, 4096, 10000}[rng.IntN(4)])
		chunk := randomChunk(rng, elem)
		if len(chunk) == 0 {
			continue
		}
		c, err := New(Spec{Blosc, LZ4, 5, Shuffle}, elem)
		check(t, err)
		frame := o.ask("encode", text, elem, chunk)
		got := make([]byte, len(chunk))
		if err := c.Decode(got, frame); err != nil || !bytes.Equal(got, chunk) {
			t.Fatalf("seed %d: %s of %d bytes in elements of %d: %v", seed, text, len(chunk), elem, err)
		}
		from := rng.IntN(len(chunk))
		part := make([]byte, rng.IntN(len(chunk)-from+1))
		if err := c.DecodeRange(part, frame, from, len(chunk)); err != nil || !bytes.Equal(part, chunk[from:][:len(part)]) {
			t.Fatalf("seed %d: %s: bytes from %d: %v", seed, text, from, err)
		}
	}
	want, got := bytes.Repeat([]byte("snappy, "), 1250), make([]byte, 10000)
	if err := DecodeBlosc(got, o.ask("encode", "blosc:snappy:5:shuffle", 4, want)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("snappy: %v", err)
	}
}

// EncodeBlosc accepts chunks that it does not shorten, and every compressor and level that it
// documents; C-Blosc and DecodeBlosc read the result.
func TestEncodeBlosc(t *testing.T) {
	o := newOracle(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		spec := Spec{Inner: []string{LZ4, LZ4HC, Zlib, Zstd}[rng.IntN(4)], Level: rng.IntN(10), Shuffle: shuffles[rng.IntN(3)]}
		elem := elemSizes[rng.IntN(len(elemSizes))]
		chunk := randomChunk(rng, elem)
		frame, err := EncodeBlosc(chunk, spec, elem)
		check(t, err)
		got := make([]byte, len(chunk))
		if err := DecodeBlosc(got, frame); err != nil || !bytes.Equal(got, chunk) {
			t.Fatalf("seed %d: %+v of %d bytes in elements of %d: %v", seed, spec, len(chunk), elem, err)
		}
		if len(chunk) > 0 && !bytes.Equal(o.ask("decode", "blosc:lz4:5:shuffle", elem, frame), chunk) {
			t.Fatalf("seed %d: %+v: C-Blosc decodes %d bytes in elements of %d to others", seed, spec, len(chunk), elem)
		}
	}
	for _, spec := range []Spec{{Inner: "blosclz", Level: 5}, {Inner: LZ4, Level: 10}, {Inner: LZ4, Level: -1}, {}} {
		if _, err := EncodeBlosc(nil, spec, 1); !errors.Is(err, ErrSpec) {
			t.Errorf("%+v: %v", spec, err)
		}
	}
}

// HDF5's filters read the frames of our codecs (lz4 after a change of framing), and we read theirs.
func TestHDF5HasTheSameFrames(t *testing.T) {
	const blosc, lz4 = "32001", "32004"
	needs(t, "import h5py; assert h5py.h5z.filter_avail(32001) and h5py.h5z.filter_avail(32004)",
		"python3-h5py, hdf5-filter-plugin or hdf5-filter-plugin-blosc-serial is not there")
	o := newOracle(t)
	for _, elem := range []int{1, 2, 4, 8} {
		chunk := make([]byte, 40000)
		for i := range chunk {
			chunk[i] = byte(i / elem >> (8 * (i % elem)) / 3)
		}
		got := make([]byte, len(chunk))
		for _, text := range []string{"blosc:lz4:5:shuffle", "blosc:zstd:3:bitshuffle", "blosc:lz4hc:9:noshuffle"} {
			c := newCodec(t, text, elem)
			frame, ok := c.Encode(nil, chunk)
			if !ok || !bytes.Equal(o.ask("load", blosc, len(chunk), frame), chunk) {
				t.Errorf("%s in elements of %d: the filter loads another chunk", text, elem)
			}
			if err := c.Decode(got, o.ask("store", blosc, elem, chunk)); err != nil || !bytes.Equal(got, chunk) {
				t.Errorf("what the filter blosc stores: %v", err)
			}
		}
		frame, ok := lz4Codec{}.Encode(nil, chunk)
		stored, err := LZ4ToHDF5(nil, frame)
		if !ok || err != nil || !bytes.Equal(o.ask("load", lz4, len(chunk), stored), chunk) {
			t.Errorf("lz4: the filter loads another chunk: %v", err)
		}
		theirs := o.ask("store", lz4, elem, chunk)
		frame, ok, err = LZ4FromHDF5(nil, theirs)
		if !ok || err != nil {
			t.Fatalf("what the filter lz4 stores: %v %v", ok, err)
		}
		if err := (lz4Codec{}).Decode(got, frame); err != nil || !bytes.Equal(got, chunk) {
			t.Errorf("what the filter lz4 stores: %v", err)
		}
	}
}
