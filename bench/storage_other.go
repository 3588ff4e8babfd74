//go:build !linux

package main

import (
	"errors"
	"os"
)

// dropPages and residentPages exist for Linux only, so there are no cold reads elsewhere.
func dropPages(*os.File) error { return errors.ErrUnsupported }

func residentPages(string, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
