package codec

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newCodec(t testing.TB, text string, elem int) Codec {
	t.Helper()
	spec, err := Parse(text)
	check(t, err)
	c, err := New(spec, elem)
	check(t, err)
	return c
}

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// A frame is shorter than its chunk, decodes to it as a whole and in every part, and to no other
// size.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		spec, elem := randomSpec(rng), elemSizes[rng.IntN(len(elemSizes))]
		chunk := randomChunk(rng, elem)
		c, err := New(spec, elem)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]byte, rng.IntN(2)*rng.IntN(2*len(chunk)+1))
		frame, ok := c.Encode(dst, bytes.Clone(chunk))
		if !ok {
			return
		}
		if len(frame) >= len(chunk) {
			t.Fatalf("%s: a frame of %d bytes for %d", spec, len(frame), len(chunk))
		}
		got := make([]byte, len(chunk))
		if err := c.Decode(got, frame); err != nil || !bytes.Equal(got, chunk) {
			t.Fatalf("%s, elements of %d: %v", spec, elem, err)
		}
		for i := range 10 {
			from := rng.IntN(len(chunk) + 1)
			n := rng.IntN(len(chunk) - from + 1)
			if i%2 == 0 {
				n = min(n, rng.IntN(40)) // only a few elements
			}
			part := make([]byte, n)
			if err := c.DecodeRange(part, frame, from, len(chunk)); err != nil || !bytes.Equal(part, chunk[from:][:len(part)]) {
				t.Fatalf("%s, elements of %d: %d bytes from %d of %d: %v", spec, elem, len(part), from, len(chunk), err)
			}
		}
		for _, size := range []int{0, len(chunk) - 1, len(chunk) + 1, 2 * len(chunk)} {
			if err := c.Decode(make([]byte, size), frame); !errors.Is(err, ErrFrame) {
				t.Fatalf("%s: %d bytes decode to %d: %v", spec, len(chunk), size, err)
			}
		}
		if err := c.Decode(got, frame[:rng.IntN(len(frame))]); !errors.Is(err, ErrFrame) {
			t.Fatalf("%s: a frame that is cut: %v", spec, err)
		}
	})
}

// Chunks that a codec does not shorten get no frame, whatever the capacity of dst.
func TestEncodeRefusesToLengthen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, text := range []string{"none", "zstd", "lz4", "blosc:lz4", "blosc:lz4hc", "blosc:zstd", "blosc:zstd:bitshuffle"} {
		c := newCodec(t, text, 2)
		for _, n := range []int{0, 1, 2, 3, 15, 16, 17, 127, 128, 129, 1000, 100000} {
			chunk := make([]byte, n)
			for i := range chunk {
				chunk[i] = byte(rng.Uint32())
			}
			for _, capacity := range []int{0, n, 2*n + 100} {
				if frame, ok := c.Encode(make([]byte, capacity), chunk); ok {
					t.Errorf("%s: a frame of %d bytes for %d random ones", text, len(frame), n)
				}
			}
		}
	}
}

// RangeBytes depends on the blocks of the frame, and for LZ4 on the end of the range.
func TestRangeBytes(t *testing.T) {
	field := smoothField(512, 512)
	for _, test := range []struct {
		text          string
		from, n, want int
	}{
		{"zstd", 0, 1, len(field)},
		{"lz4", 0, 1, len(field)},
		{"none", 5, 7, 7},
		{"blosc:zstd:1:shuffle", 40 << 10, 2, 32 << 10},
		{"blosc:zstd:1:shuffle", 31 << 10, 2 << 10, 64 << 10},
		{"blosc:lz4:5:shuffle", 300 << 10, 10, 44<<10 + 10},
		{"blosc:lz4:5:shuffle", 200 << 10, 100 << 10, 300 << 10},
		{"blosc:lz4:5:bitshuffle", 300 << 10, 10, 256 << 10},
	} {
		c := newCodec(t, test.text, 2)
		frame, _ := c.Encode(nil, field)
		spec, err := Parse(test.text)
		check(t, err)
		for _, c := range []Codec{c, NewAny(c, spec, 2)} {
			if got := c.RangeBytes(frame, test.from, test.n, len(field)); got != test.want {
				t.Errorf("%s: %d bytes from %d on cost %d, want %d", test.text, test.n, test.from, got, test.want)
			}
			if got := c.RangeBytes(nil, 0, 1, len(field)); got != 1 && got != len(field) {
				t.Errorf("%s: a byte of no frame costs %d", test.text, got)
			}
		}
	}
}

// The codec none copies when it decodes.
func TestNone(t *testing.T) {
	c := newCodec(t, "none", 4)
	got, part := make([]byte, 5), make([]byte, 2)
	if err := c.Decode(got, []byte("abcde")); err != nil || string(got) != "abcde" {
		t.Errorf("%q %v", got, err)
	}
	if err := c.DecodeRange(part, []byte("abcde"), 3, 5); err != nil || string(part) != "de" {
		t.Errorf("%q %v", part, err)
	}
	if err := c.Decode(got, []byte("abc")); !errors.Is(err, ErrFrame) {
		t.Error(err)
	}
	if err := c.DecodeRange(part, []byte("abc"), 3, 5); !errors.Is(err, ErrFrame) {
		t.Error(err)
	}
}

func TestDecodeRangePanicsOutside(t *testing.T) {
	for _, text := range []string{"none", "zstd", "lz4", "blosc"} {
		c := newCodec(t, text, 1)
		for _, from := range []int{-1, 7, 8} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: 4 bytes from %d of 10: no panic", text, from)
					}
				}()
				_ = c.DecodeRange(make([]byte, 4), make([]byte, 10), from, 10)
			}()
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"none": "none", "zstd": "zstd:3", "zstd:19": "zstd:19", "lz4": "lz4",
		"blosc": "blosc:lz4:5:shuffle", "blosc:zstd": "blosc:zstd:5:shuffle", "blosc:lz4hc:9": "blosc:lz4hc:9:shuffle",
		"blosc:lz4:bitshuffle": "blosc:lz4:5:bitshuffle", "blosc:2:noshuffle": "blosc:lz4:2:noshuffle",
		"blosc:shuffle": "blosc:lz4:5:shuffle", "blosc:zstd:1:bitshuffle": "blosc:zstd:1:bitshuffle",
	} {
		spec, err := Parse(text)
		if err != nil || spec.String() != want || spec.IsNone() != (text == "none") {
			t.Errorf("%s: %s %v, want %s", text, spec, err, want)
		}
		if again, err := Parse(want); err != nil || again != spec {
			t.Errorf("%s: %+v %v, want %+v", want, again, err, spec)
		}
	}
	if (Spec{}).String() != "none" || !(Spec{}).IsNone() {
		t.Error("the zero value is not none")
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       `codec "": name "" is not known: known are none, zstd, lz4, blosc`,
		"zst":                    "did you mean zstd?",
		"blsoc":                  "did you mean blosc?",
		"gzip":                   "known are none, zstd, lz4, blosc",
		"ZSTD":                   "did you mean zstd?",
		"zstd:0":                 "level 0: levels of zstd are from 1 to 22",
		"zstd:-1":                "level -1: levels of zstd are from 1 to 22",
		"zstd:23":                "level 23",
		"zstd:99999999999999999": "level 99999999999999999",
		"zstd:x":                 `zstd takes no "x"`,
		"zstd:":                  `zstd takes no ""`,
		"zstd:1:2":               `zstd takes no "2"`,
		"lz4:5":                  `lz4 takes no "5"`,
		"none:1":                 `none takes no "1"`,
		"blosc:gzip":             `compressor "gzip" is not known: known are lz4, lz4hc, zstd`,
		"blosc:lz4:10":           "levels of blosc are from 1 to 9",
		"blosc:lz4:5:bitshufle":  "did you mean bitshuffle?",
		"blosc:lz4:5:shuffle:1":  `blosc takes no "1"`,
		"blosc:\x1b:5":           `compressor "\x1b" is not known`,
	} {
		spec, err := Parse(text)
		if !errors.Is(err, ErrSpec) || !spec.IsNone() || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v %v", text, spec, err)
		}
	}
	for _, spec := range []Spec{{Name: Zstd}, {Name: Blosc, Inner: "zlib", Level: 1, Shuffle: Shuffle}, {Name: LZ4, Level: 1}, {Name: "x"}, {Name: None}} {
		if _, err := New(spec, 1); !errors.Is(err, ErrSpec) {
			t.Errorf("%+v: %v", spec, err)
		}
	}
	if _, err := New(Spec{}, 0); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
}
