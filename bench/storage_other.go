//go:build !linux

package main

import (
	"errors"
	"os"
)

// dropPages and residentPages are known for Linux only: there are no cold reads elsewhere.
func dropPages(*os.File) error { return errors.ErrUnsupported }

func residentPages(string, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
