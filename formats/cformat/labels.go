package cformat

import (
	"encoding/binary"

	"drx/formats"
	"drx/nd"
)

// EachText calls f with every string of a section, in row-major order, and with the number of
// strings before it. It returns the first error.
type EachText func(sec nd.Section, f func(at int, text string) error) error

// FindLabels reads all strings of a variable of the given shape and collects its labels, which take
// at most memory bytes.
func FindLabels(shape []int, memory int64, each EachText) (*formats.Labeler, error) {
	labels := formats.NewLabeler(memory)
	all, err := nd.Section(nil).Resolve(make([]int, len(shape)), shape)
	if err != nil {
		return labels, err
	}
	return labels, each(all, func(_ int, text string) error {
		_, err := labels.Add(text)
		return err
	})
}

// ReadLabels reads the strings of a section as 32-bit indices into labels.
func ReadLabels(labels *formats.Labeler, sec nd.Section, buf []byte, each EachText) error {
	return each(sec, func(at int, text string) error {
		index, err := labels.Index(text)
		binary.LittleEndian.PutUint32(buf[4*at:], index)
		return err
	})
}
