package drx

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"drx/axial"
	"drx/dtype"
	"drx/internal/codec"
	"drx/nd"
)

// AutoCodec is the word with which programs request the choice of ChooseCodec. It is no codec
// itself: a Spec needs the name of the chosen one.
const AutoCodec = "auto"

// A CodecChoice is a codec and its result on the chunks that it was tried on.
type CodecChoice struct {
	Codec  string // as Spec.Codec
	Tried  int64  // bytes of chunks that were compressed
	Stored int64  // bytes that the codec stores for them
	Blocks int64  // Stored, each chunk rounded up to blocks of 4 KiB, in which file systems allocate
}

// String describes the choice for people: "blosc:zstd:3:shuffle, which stores 1 / 3.41 of the 4 MiB
// that were tried".
func (c CodecChoice) String() string {
	switch {
	case c.Tried == 0:
		return c.Codec + ", as there are no elements to try others on"
	case c.Codec == codec.None:
		return c.Codec + ", as none of the codecs that were tried saves 5 % of the space"
	}
	return fmt.Sprintf("%s, which stores 1 / %.2f of the chunks that were tried", c.Codec, float64(c.Tried)/float64(max(1, c.Stored)))
}

const (
	// codecSamples is the largest number of chunks that codecs are tried on.
	codecSamples = 8
	// codecSampleBytes limits the bytes of a chunk that codecs are tried on.
	codecSampleBytes = 512 << 10
)

// ChooseCodec returns the codec for an array whose chunks resemble the given ones, of elements of
// type t. It uses the first 512 KiB of each chunk. It tries blosc with lz4 and zstd, and zstd.
// Among the codecs that need at most 10 percent more space than the best one it chooses the
// fastest, and none at all if less than 5 percent would be saved. Speed is ranked in advance and
// not measured, so the choice depends only on the chunks and not on the machine or its load.
func ChooseCodec(t dtype.DType, chunks ...[]byte) CodecChoice {
	samples := make([][]byte, len(chunks))
	for i, c := range chunks {
		samples[i] = c[:min(len(c), codecSampleBytes)]
	}
	trial, err := codec.Choose(samples, t.Size())
	if err != nil {
		panic(err) // the candidates are codecs, and types have sizes
	}
	return newCodecChoice(trial)
}

func newCodecChoice(t codec.Trial) CodecChoice {
	return CodecChoice{t.Spec.String(), t.Tried, t.Stored, t.Blocks}
}

// CodecSamples returns sections of at most eight chunks, spread over an array with the given bounds
// that is about to be created from other data. The elements of a section, in row-major order, are a
// chunk for ChooseCodec, or its leading part. It returns none if the chunk extents do not fit such
// an array.
func CodecSamples(t dtype.DType, bounds nd.Section, chunk []int) []nd.Section {
	lo, hi := bounds.Bounds()
	first, last := make([]int, len(lo)), make([]int, len(lo))
	if len(chunk) != len(lo) {
		return nil
	}
	chunks := 1
	for d, n := range chunk {
		if lo[d] == hi[d] || n < 1 {
			return nil
		}
		first[d], last[d] = nd.FloorDiv(lo[d], n), nd.CeilDiv(hi[d], n)
		var err error
		if chunks, err = nd.Product(chunks, last[d]-first[d]); err != nil {
			chunks = math.MaxInt
		}
	}
	var samples []nd.Section
	for i := range min(chunks, codecSamples) {
		number, sec := chunks/min(chunks, codecSamples)*i, make(nd.Section, len(lo))
		for d := len(lo) - 1; d >= 0; d-- {
			index := first[d] + number%(last[d]-first[d])
			number /= last[d] - first[d]
			sec[d] = nd.Span(max(lo[d], index*chunk[d]), min(hi[d], (index+1)*chunk[d]))
		}
		samples = append(samples, firstBytes(sec, t.Size()))
	}
	return samples
}

// firstBytes returns the leading part of a section of at most codecSampleBytes: it limits the
// indices of the first dimensions.
func firstBytes(sec nd.Section, elemSize int) nd.Section {
	within := codecSampleBytes / elemSize // elements allowed in dimensions d and above
	part := slices.Clone(sec)
	for d := len(sec) - 1; d >= 0; d-- {
		n := min(sec[d].Len(), max(1, within))
		part[d] = nd.Span(sec[d].Lo, sec[d].Lo+n)
		within /= n
	}
	return part
}

// ChooseCodec is the function ChooseCodec for at most eight chunks of the array, spread over the
// written ones. It may miss changes since the last Sync. The error wraps ErrCorrupt for a damaged
// chunk, ErrClosed, or is the file system's.
func (a *Array) ChooseCodec() (CodecChoice, error) {
	samples, err := a.codecSamples()
	if err != nil {
		return CodecChoice{}, a.errorf("choice of a codec", err)
	}
	return ChooseCodec(a.DType(), samples...), nil
}

// TryCodec returns the result of one codec on the chunks that ChooseCodec would use. The error is
// that of ChooseCodec, or wraps fs.ErrInvalid if there is no such codec.
func (a *Array) TryCodec(name string) (CodecChoice, error) {
	samples, err := a.codecSamples()
	if err != nil {
		return CodecChoice{}, a.errorf("trial of a codec", err)
	}
	spec, err := parseCodec(name)
	if err != nil {
		return CodecChoice{}, a.errorf("trial of a codec", err)
	}
	trial, err := codec.Try(spec, samples, a.DType().Size())
	return newCodecChoice(trial), err
}

// A CodecTrial is the result of a codec on chunks, and the time that one core needs for all of
// them, in the shortest of several attempts.
type CodecTrial struct {
	CodecChoice
	Encode time.Duration // to compress the Tried bytes
	Decode time.Duration // to decompress them
}

// codecTrialTime is the time after which no other attempt to measure a codec begins.
const codecTrialTime = 50 * time.Millisecond

// TimeCodecs returns the results of codecs on the chunks that ChooseCodec would use, and measures
// their speed, in the order of their names. The time of a codec includes copying the chunks that it
// does not shorten, so that of "none" is the time of a copy. It takes the memory of one chunk and
// of 12 MiB, and per codec a tenth of a second or, if one attempt takes longer, the time of that.
// The error is that of TryCodec. Without written chunks there are no bytes tried.
func (a *Array) TimeCodecs(names ...string) ([]CodecTrial, error) {
	samples, err := a.codecSamples()
	if err != nil {
		return nil, a.errorf("trial of codecs", err)
	}
	var trials []CodecTrial
	for _, name := range names {
		t, err := timeCodec(name, samples, a.DType().Size())
		if err != nil {
			return nil, a.errorf("trial of codecs", err)
		}
		trials = append(trials, t)
	}
	return trials, nil
}

// timeCodec returns the result of one codec on samples of chunks.
func timeCodec(name string, samples [][]byte, elemSize int) (CodecTrial, error) {
	spec, err := parseCodec(name)
	if err != nil {
		return CodecTrial{}, err
	}
	trial, err := codec.Try(spec, samples, elemSize)
	if err != nil {
		return CodecTrial{}, err
	}
	c, err := codec.New(spec, elemSize)
	t := CodecTrial{newCodecChoice(trial), math.MaxInt64, math.MaxInt64}
	for begin := time.Now(); err == nil && (t.Encode == math.MaxInt64 || time.Since(begin) < codecTrialTime); {
		var encode, decode time.Duration
		encode, decode, err = codecTimes(c, samples)
		t.Encode, t.Decode = min(t.Encode, encode), min(t.Decode, decode)
	}
	return t, err
}

// codecTimes returns how long a codec takes to encode and decode samples.
func codecTimes(c codec.Codec, samples [][]byte) (encode, decode time.Duration, err error) {
	var memory []byte
	chunk := make([]byte, codecSampleBytes)
	for _, s := range samples {
		chunk = chunk[:len(s)]
		begin := time.Now()
		frame, ok := c.Encode(memory, s)
		if memory = frame; !ok {
			copy(chunk, s)
		}
		encoded := time.Now()
		if ok {
			err = c.Decode(chunk, frame)
		} else {
			copy(chunk, s)
		}
		if err != nil {
			return 0, 0, err
		}
		encode, decode = encode+encoded.Sub(begin), decode+time.Since(encoded)
	}
	return encode, decode, nil
}

// errSampled ends the walk over the chunks when there are enough samples.
var errSampled = errors.New("enough samples")

// codecSamples returns the first bytes of chunks spread over the written ones.
func (a *Array) codecSamples() (samples [][]byte, err error) {
	done, err := a.begin("choice of a codec", false)
	if err != nil {
		return nil, err
	}
	defer done()
	s := a.state.Load()
	usage, err := a.store.Usage(s.Grid.Chunks())
	if err != nil {
		return nil, err
	}
	n := min(usage.Written, codecSamples)
	seen, chunk := int64(0), make([]byte, a.store.ChunkBytes())
	err = a.store.Each(s.Grid.Chunks(), func(q axial.Number, err error) error {
		if err != nil {
			return err
		}
		if int64(len(samples)) == n {
			return errSampled
		}
		if seen++; seen-1 < usage.Written/n*int64(len(samples)) {
			return nil
		}
		if err := a.store.Read(q, chunk); err != nil {
			return err
		}
		samples = append(samples, slices.Clone(chunk[:min(len(chunk), codecSampleBytes)]))
		return nil
	})
	if errors.Is(err, errSampled) {
		err = nil
	}
	return samples, err
}
