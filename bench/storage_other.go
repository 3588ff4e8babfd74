//go:build !linux

package main

import (
	"errors"
	"os"
)

const mapPopulate = 0

// dropPages and residentPages exist only on Linux, so there are no cold reads elsewhere.
func dropPages(*os.File) error { return errors.ErrUnsupported }

func residentPages(string, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

// endOfData returns the length of a file, with its holes: their positions are known only on Linux.
func endOfData(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
