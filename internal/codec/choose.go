package codec

import (
	"bytes"
	"slices"
)

// candidates are the codecs that Choose tries, the fastest first.
var candidates = []Spec{
	{Name: Blosc, Inner: LZ4, Level: 5, Shuffle: Shuffle},
	{Name: Blosc, Inner: LZ4, Level: 5, Shuffle: BitShuffle},
	{Name: Blosc, Inner: Zstd, Level: 3, Shuffle: Shuffle},
	{Name: Blosc, Inner: Zstd, Level: 3, Shuffle: BitShuffle},
	{Name: Zstd, Level: 3},
}

const (
	// Block is the allocation unit of most file systems, in bytes.
	Block = 4 << 10

	longer = 10 // percent by which a faster codec may need more space than the best one
	worth  = 5  // percent of the space that a codec must save
)

// Trial is a codec and the sizes, in bytes, that it achieves for samples.
type Trial struct {
	Spec   Spec
	Tried  int64 // size of the samples
	Stored int64 // size of their frames, or of the samples that it does not shorten
	Blocks int64 // file system blocks that these occupy, rounded up for each sample
}

// Try returns the sizes that a codec achieves for chunks, or parts of chunks, with elements of
// elemSize bytes. The error is New's.
func Try(spec Spec, samples [][]byte, elemSize int) (Trial, error) {
	c, err := New(spec, elemSize)
	if err != nil {
		return Trial{}, err
	}
	t := Trial{Spec: spec}
	var frame []byte
	for _, s := range samples {
		ok := false
		t.Tried += int64(len(s))
		if frame, ok = c.Encode(frame, s); !ok {
			t.Stored, t.Blocks = t.Stored+int64(len(s)), t.Blocks+rawBlocks(s)
			continue
		}
		t.Stored += int64(len(frame))
		t.Blocks += int64(len(frame)+Block-1) / Block * Block
	}
	return t, nil
}

// rawBlocks returns the bytes of file system blocks that an uncompressed chunk occupies. Zeros at
// its end, such as those beyond the bounds of an array, are a hole in the file.
func rawBlocks(chunk []byte) int64 {
	return int64(len(bytes.TrimRight(chunk, "\x00"))+Block-1) / Block * Block
}

// Choose returns a codec for chunks like the samples, which are chunks or parts of them. It
// compares the file system blocks that they occupy. Among the codecs that need at most 10 percent
// more than the best one it chooses the fastest, by a fixed order, so that the choice is the same
// on every machine. It chooses none if less than 5 percent would be saved. Samples that repeat one
// element, such as regions without measurements, are ignored; if all samples do, the fastest codec
// is chosen.
func Choose(samples [][]byte, elemSize int) (Trial, error) {
	all := samples
	if samples = informative(all, elemSize); samples == nil {
		if slices.ContainsFunc(all, func(s []byte) bool { return len(s) > Block }) {
			return Try(candidates[0], all, elemSize)
		}
		samples = all
	}
	raw, err := Try(Spec{}, samples, elemSize)
	if err != nil {
		return Trial{}, err
	}
	least, trials := raw.Blocks, make([]Trial, len(candidates))
	for i, spec := range candidates {
		if trials[i], err = Try(spec, samples, elemSize); err != nil {
			return Trial{}, err
		}
		least = min(least, trials[i].Blocks)
	}
	if raw.Blocks == 0 || least*100 > raw.Blocks*(100-worth) {
		return raw, nil
	}
	for _, t := range trials {
		if t.Blocks*100 <= least*(100+longer) {
			return t, nil
		}
	}
	return raw, nil // not reached: a candidate has the least blocks
}

// informative returns the samples in which elements differ.
func informative(samples [][]byte, elemSize int) (some [][]byte) {
	for _, s := range samples {
		if len(s) > elemSize && !bytes.Equal(s[elemSize:], s[:len(s)-elemSize]) {
			some = append(some, s)
		}
	}
	return some
}
