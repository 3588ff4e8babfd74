//go:build fits && cgo

package fits

// #include <stdlib.h>
// #include <fitsio.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"drx/formats"
	"drx/formats/cformat"
)

// create implements formats.Format.CreatePath.
func create(path string, c formats.Content) ([]formats.Writer, error) {
	p, err := define(c)
	if err != nil {
		return nil, err
	}
	defer enter()()
	full, err := filepath.Abs(path) // the library replaces a ~ before the name
	if err != nil {
		return nil, err
	}
	name := C.CString(full)
	defer C.free(unsafe.Pointer(name))
	t, status := &target{}, C.int(0)
	C.ffdkinit(&t.fits, name, &status)
	if err := check("create", status); err != nil {
		return nil, err
	}
	writers, err := t.content(p)
	if err != nil || len(writers) == 0 {
		err = errors.Join(err, t.Close())
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return writers, nil
}

// content creates headers and returns a writer for each variable.
func (t *target) content(p *fileDef) (_ []formats.Writer, err error) {
	var outputs []cformat.Output
	header := 0
	if !p.inFirst {
		header = 1
		err = t.empty(p.first)
	}
	for i := range p.vars {
		if err != nil {
			return nil, err
		}
		v := &p.vars[i]
		if err = t.image(v); err != nil {
			return nil, fmt.Errorf("%s: %w", v.name, err)
		}
		header++
		outputs = append(outputs, cformat.Output{Info: v.info, Path: v.name, To: &writer{varDef: *v, target: t, header: header}})
	}
	for _, cards := range p.groups {
		if err == nil {
			err = t.empty(cards)
		}
	}
	return cformat.Writers(enter, t, outputs), err
}

// empty creates a header without data.
func (t *target) empty(cards []string) error {
	var status C.int
	C.fits_set_compression_type(t.fits, 0, &status)
	C.ffcrimll(t.fits, 8, 0, nil, &status)
	return t.cards("header", cards, status)
}

// image creates the header of a variable.
func (t *target) image(v *varDef) error {
	axes := make([]C.LONGLONG, 0, len(v.info.Shape))
	tile := make([]C.long, 0, len(v.tile))
	for d := len(v.info.Shape) - 1; d >= 0; d-- {
		axes = append(axes, C.LONGLONG(v.info.Shape[d]))
		if v.tile != nil {
			tile = append(tile, C.long(v.tile[d]))
		}
	}
	var status C.int
	if v.tile == nil {
		C.fits_set_compression_type(t.fits, 0, &status)
	} else {
		C.fits_set_compression_type(t.fits, C.GZIP_2, &status)
		C.fits_set_quantize_level(t.fits, 0, &status) // store floats without quantizing them
		C.fits_set_tile_dim(t.fits, C.int(len(tile)), &tile[0], &status)
	}
	C.ffcrimll(t.fits, v.elem.bitpix, C.int(len(axes)), &axes[0], &status)
	return t.cards("image", v.cards, status)
}

// cards writes cards into the current header if status is 0.
func (t *target) cards(doing string, cards []string, status C.int) error {
	for _, card := range cards {
		text := C.CString(card)
		C.ffprec(t.fits, text, &status)
		C.free(unsafe.Pointer(text))
	}
	t.current = 0
	return check(doing, status)
}
