package cformat

import (
	"fmt"
	"path"

	"drx/formats"
	"drx/internal/errkind"
	"drx/nd"
)

// Parent returns the group that the path of a variable is in, "" for the root.
func Parent(name string) string {
	if dir := path.Dir(name); dir != "." {
		return dir
	}
	return ""
}

// CheckDeflate returns an error for a level of compression that does not exist.
func CheckDeflate(c *formats.Content) error {
	if c.Deflate < 0 || c.Deflate > 9 {
		return fmt.Errorf("deflate %d: levels are 0 to 9", c.Deflate)
	}
	return nil
}

// CheckInfo returns an error for a variable that no row-major format can have; format is the name:
// the error is one of formats.Info.Bytes, or wraps nd.ErrRank or formats.ErrSize.
func CheckInfo(info *formats.Info, format string) error {
	if _, err := info.Bytes(); err != nil {
		return err
	}
	rank := len(info.Shape)
	for d, at := range info.Order.Dims(rank) {
		if d != at {
			return errkind.Errorf(nd.ErrRank, "order %v: %s is row-major", info.Order, format)
		}
	}
	for what, n := range map[string]int{"Dims": len(info.Dims), "Chunk": len(info.Chunk), "Unlimited": len(info.Unlimited)} {
		if n != 0 && n != rank {
			return errkind.Errorf(nd.ErrRank, "%s: %d for %d dimensions", what, n, rank)
		}
	}
	if n := len(info.Fill); info.Labels == nil && n != 0 && n != info.DType.Size() {
		return fmt.Errorf("fill value of %d bytes for %v: %w", n, info.DType, formats.ErrSize)
	}
	return nil
}
