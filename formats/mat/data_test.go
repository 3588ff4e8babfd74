//go:build matio && cgo

package mat

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drx/formats"
	"drx/formats/bridgetest"
	"drx/formats/formattest"
)

var bridge = &bridgetest.Bridge{Format: "mat", Modules: "scipy.io, h5py", Packages: "python3-scipy python3-h5py"}

func TestMain(m *testing.M) { bridge.Main(m) }

// compareFiles compares files with the output of scipy, and returns the number of equal arrays.
func compareFiles(t *testing.T, paths ...string) (equal int) {
	t.Helper()
	for i, want := range bridgetest.Describe[map[string]bridgetest.Description](t, bridge, paths...) {
		equal += bridge.CompareListed(t, paths[i], want, func(path string, v formats.Info, w bridgetest.Description) { compare(t, path, v, w) })
	}
	return equal
}

// compare opens an array and compares all of it with the output of scipy.
func compare(t *testing.T, path string, v formats.Info, w bridgetest.Description) {
	t.Helper()
	info, elements := bridge.Get(t, path, v.Name)
	where := path + ": " + v.Name
	if w.Rows != nil {
		if rows := rowsOf(info, elements); !slices.Equal(rows, w.Rows) {
			t.Errorf("%s: %q, scipy has %q", where, rows, w.Rows)
		}
		return
	}
	bridgetest.CompareArray(t, where, info, elements, w)
	if !slices.Equal(v.Shape, w.Shape) {
		t.Errorf("%s: listed with shape %v, scipy has %v", where, v.Shape, w.Shape)
	}
}

// rowsOf returns the strings of a variable.
func rowsOf(info formats.Info, elements []byte) (rows []string) {
	for ; len(elements) > 0; elements = elements[4:] {
		rows = append(rows, info.Labels[binary.LittleEndian.Uint32(elements)])
	}
	return rows
}

var madeNames = []string{"types.mat", "packed.mat", "types4.mat", "types73.mat"}

// Arrays of all classes must be read as scipy and h5py read them, or be refused with a reason.
func TestMadeFiles(t *testing.T) {
	dir := bridge.Files(t)
	var paths []string
	for _, name := range madeNames {
		paths = append(paths, filepath.Join(dir, name))
	}
	if equal := compareFiles(t, paths...); equal < 2*32+4+14 {
		t.Errorf("%d arrays were compared", equal)
	}
	c, err := formats.List(paths[0], formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{"cells": "cell array", "many": "struct array", "thin": "full(x)"}
	for _, v := range c.Vars {
		if text := refused[v.Name]; text != "" && strings.Contains(v.Refused, text) {
			delete(refused, v.Name)
		}
	}
	if len(refused) > 0 {
		t.Errorf("not refused: %v", refused)
	}
	if _, err := formats.Open(paths[0], formats.Options{Variable: "cells"}); !errors.Is(err, formats.ErrType) {
		t.Error(err)
	}
}

// Every real file must be read with the values that scipy reads, or be refused with a reason.
func TestDataFiles(t *testing.T) {
	paths := bridgetest.Data(t, "hyperspectral/*.mat")
	t.Logf("%d files: %d arrays are equal", len(paths), compareFiles(t, paths...))
}

// Sections of arrays of all versions and classes must equal those of the whole array.
func TestSections(t *testing.T) {
	for _, name := range madeNames {
		path := filepath.Join(bridge.Files(t), name)
		c, err := formats.List(path, formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.Vars {
			if v.Refused != "" {
				continue
			}
			info, elements := bridge.Get(t, path, v.Name)
			formattest.Reader(t, func() (formats.Reader, error) {
				return formats.Open(path, formats.Options{Variable: v.Name})
			}, info, elements)
		}
	}
}
