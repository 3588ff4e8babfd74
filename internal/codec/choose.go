package codec

import (
	"bytes"
	"slices"
)

// candidates are the codecs that Choose tries, those that take the least time first.
var candidates = []Spec{
	{Name: Blosc, Inner: LZ4, Level: 5, Shuffle: Shuffle},
	{Name: Blosc, Inner: LZ4, Level: 5, Shuffle: BitShuffle},
	{Name: Blosc, Inner: Zstd, Level: 3, Shuffle: Shuffle},
	{Name: Blosc, Inner: Zstd, Level: 3, Shuffle: BitShuffle},
	{Name: Zstd, Level: 3},
}

const (
	// Block is the unit in which most file systems give space, in bytes.
	Block = 4 << 10

	longer = 10 // percent that a faster codec may take more than the best one
	worth  = 5  // percent of the space that a codec must save
)

// A Trial is a codec and what it makes of samples, in bytes.
type Trial struct {
	Spec   Spec
	Tried  int64 // of the samples
	Stored int64 // of their frames, or of the samples that it does not shorten
	Blocks int64 // of the file system that these take, each by itself
}

// Try returns what a codec makes of chunks, or of parts of them, with elements of elemSize bytes.
// The error is New's.
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

// rawBlocks returns how many bytes a chunk takes that is stored as it is. Zeros at its end, as
// beyond the bounds of an array, are a hole.
func rawBlocks(chunk []byte) int64 {
	return int64(len(bytes.TrimRight(chunk, "\x00"))+Block-1) / Block * Block
}

// Choose returns the codec for chunks like the samples, which are chunks or parts of them. It
// counts the blocks of the file system that are taken. Of the codecs that take at most 10 percent
// more than the best one it chooses the one that takes the least time, by an order that is the same
// on all machines; and none if less than 5 percent would be saved. A sample with the same element
// throughout, as where nothing was measured, says nothing; if all are so, the fastest is chosen.
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
	return raw, nil // least is that of a candidate
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
