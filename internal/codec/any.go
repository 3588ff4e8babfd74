package codec

import "encoding/binary"

// NewAny returns a codec that encodes with c, the codec of spec, and decodes frames of every codec.
// While an array is recompressed, its chunks have frames of several codecs; the first bytes of a
// frame say which one made it.
func NewAny(c Codec, spec Spec, elemSize int) *Any {
	a := &Any{Codec: c, own: spec.what(), of: map[string]Codec{Zstd: zstdCodec{defaultZstd}, LZ4: lz4Codec{}}}
	a.of[Blosc] = newBlosc(Spec{Name: Blosc, Inner: LZ4, Level: defaultBlosc, Shuffle: Shuffle}, elemSize)
	a.of[a.own] = c
	return a
}

// Any encodes with one codec and decodes the frames of all.
type Any struct {
	Codec // encodes
	own   string
	of    map[string]Codec
}

// Decode decompresses a frame of any codec, see Codec.
func (a *Any) Decode(dst, frame []byte) error { return a.codecOf(frame, len(dst)).Decode(dst, frame) }

// DecodeRange decompresses a part of a frame of any codec, see Codec.
func (a *Any) DecodeRange(dst, frame []byte, from, size int) error {
	return a.codecOf(frame, size).DecodeRange(dst, frame, from, size)
}

// RangeBytes returns what DecodeRange decodes of a frame of any codec, see Codec.
func (a *Any) RangeBytes(frame []byte, from, n, size int) int {
	return a.codecOf(frame, size).RangeBytes(frame, from, n, size)
}

// Makes reports whether a frame of a chunk of size bytes looks like those of the codec that
// encodes.
func (a *Any) Makes(frame []byte, size int) bool { return begins(a.own, frame, size) }

// codecOf returns the codec that made a frame. If the frame looks like no codec's, it returns the
// one that encodes, whose Decode then says what is wrong.
func (a *Any) codecOf(frame []byte, size int) Codec {
	if a.Makes(frame, size) {
		return a.Codec
	}
	for _, name := range []string{Zstd, LZ4, Blosc} {
		if begins(name, frame, size) {
			return a.of[name]
		}
	}
	return a.Codec
}

// begins reports whether a frame of a chunk of size bytes begins like those of the codec name.
func begins(name string, frame []byte, size int) bool {
	le := binary.LittleEndian
	switch {
	case len(frame) < 4:
		return false
	case name == Zstd:
		return le.Uint32(frame) == zstdMagic
	case name == LZ4:
		return int64(le.Uint32(frame)) == int64(size)
	case name == Blosc && len(frame) >= bloscHeader:
		return (frame[0] == 1 || frame[0] == 2) && int64(le.Uint32(frame[4:])) == int64(size) && int64(le.Uint32(frame[12:])) == int64(len(frame))
	}
	return false
}

// Confusable reports whether frames of codecs a and b, for chunks of size bytes, may begin alike. A
// frame of lz4 begins with the size of the chunk. For one size of 4 GiB that equals the magic
// number of zstd, and for some sizes above 16 MiB the first bytes of blosc.
func Confusable(a, b Spec, size int) bool {
	if a.Name == b.Name || a.Name != LZ4 && b.Name != LZ4 {
		return false
	}
	other := a.Name + b.Name
	switch n := uint32(size); other {
	case LZ4 + Zstd, Zstd + LZ4:
		return n == zstdMagic
	case LZ4 + Blosc, Blosc + LZ4:
		return n>>8&0xff == 1 && (n&0xff == 1 || n&0xff == 2)
	}
	return false
}

// Accepts reports whether a frame, whoever made it, is one that an array with this codec may have
// for a chunk of size bytes: it must be shorter than the chunk, have the compressor and the shuffle
// that the spec names, and for zstd state its size and have no checksum. Accepts does not check
// that the frame decodes.
func (s Spec) Accepts(frame []byte, size int) bool {
	if len(frame) < 6 || len(frame) >= size || !begins(s.what(), frame, size) {
		return false
	}
	switch s.Name {
	case Zstd:
		const dictionary, checksum, single, sized = 3, 1 << 2, 1 << 5, 3 << 6
		return frame[4]&(dictionary|checksum) == 0 && frame[4]&(single|sized) != 0
	case Blosc:
		sorts, flags := newBlosc(s, int(frame[3])).shuffle, frame[2]
		same := flags&(flagShuffle|flagBitShuffle) == sorts
		if frame[3] == 1 { // shuffling elements of one byte has no effect
			same = same || (sorts|flags)&flagBitShuffle == 0
		}
		return same && flags>>5 == bloscFormats[s.Inner] && flags&flagStored == 0
	}
	return true
}
