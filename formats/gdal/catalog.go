//go:build gdal && cgo

package gdal

// #include <stdlib.h>
// #include <gdal.h>
// #include <cpl_string.h>
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drx/dtype"
	"drx/formats"
	"drx/formats/cformat"
)

// A variable consists of bands of one type.
type variable struct {
	info   formats.Info
	source C.GDALDatasetH
	bands  []C.int
	mask   bool
	code   C.GDALDataType // type of elements in buffers
	err    error          // why it cannot be read
}

// Describe implements cformat.Variable.
func (v *variable) Describe() (*formats.Info, error) { return &v.info, v.err }

// A catalog lists the rasters of a file.
type catalog struct {
	cformat.Catalog[*variable]
	opened []C.GDALDatasetH
	budget int64 // memory left for attributes, in bytes
}

// maxPages limits the number of pages of a file that are listed.
const maxPages = 1000

// readCatalog opens a file and describes it.
func readCatalog(in *formats.Input, readers []string) (*catalog, error) {
	path, err := locate(in)
	if err != nil {
		return nil, err
	}
	limitCache(in.Memory)
	c := &catalog{budget: in.Memory}
	main, err := c.dataset(path, readers)
	if err != nil {
		return nil, err
	}
	if err = filesStay(main, path); err == nil {
		err = checkWhole(main, path)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	pages := pagesOf(main, path)
	if len(pages) > maxPages {
		_ = c.Close()
		return nil, errorf(formats.ErrMemory, "%d images, the limit is %d", len(pages), maxPages)
	}
	if len(pages) < 2 {
		c.addDataset(main, "", in.Memory)
	}
	for i, page := range pages {
		if len(pages) < 2 {
			break
		}
		name := fmt.Sprintf("image%d", i+1)
		h, err := c.dataset(page, readers)
		if err != nil {
			c.Add(&variable{info: formats.Info{Name: name}, err: err})
			continue
		}
		c.addDataset(h, name, in.Memory)
	}
	if len(c.Vars) == 0 {
		_ = c.Close()
		return nil, errorf(formats.ErrVariable, "the file has no raster")
	}
	return c, nil
}

// dataset opens a file, or a page of one.
func (c *catalog) dataset(name string, readers []string) (C.GDALDatasetH, error) {
	path, free := cstring(name)
	defer free()
	allowed, freeList := list(readers)
	defer freeList()
	h := C.GDALOpenEx(path, C.GDAL_OF_READONLY|C.GDAL_OF_RASTER|C.GDAL_OF_VERBOSE_ERROR, allowed, nil, nil)
	if h == nil {
		return nil, failure("open")
	}
	c.opened = append(c.opened, h)
	return h, nil
}

// filesStay returns an error if a dataset uses a file outside of the folder of the raster at path.
// Drivers find files by name, and some formats name other files, so a hostile file could read any
// file of the user.
func filesStay(h C.GDALDatasetH, path string) error {
	files := C.GDALGetFileList(h)
	defer C.CSLDestroy(files)
	for i := range int(C.CSLCount(files)) {
		file := C.GoString(C.CSLGetField(files, C.int(i)))
		if file == path {
			continue
		}
		if _, err := os.Lstat(file); err != nil { // path names a page, or no file
			continue
		}
		if rel, err := filepath.Rel(filepath.Dir(path), file); err != nil || !filepath.IsLocal(rel) {
			return errorf(formats.ErrNotRead, "uses %q, which lies outside of its folder: put copies of both into one folder", file)
		}
		if err := cformat.StaysBelow(path, file, filepath.Base(file)); err != nil {
			return err
		}
	}
	return nil
}

// Close closes all open datasets.
func (c *catalog) Close() error {
	for _, h := range slices.Backward(c.opened) {
		C.GDALClose(h)
	}
	c.opened = nil
	return nil
}

// pagesOf returns the names of the pages of a file, as dataset expects them. It leaves out pages in
// other files.
func pagesOf(h C.GDALDatasetH, path string) (names []string) {
	domain, free := cstring("SUBDATASETS")
	defer free()
	for _, item := range goStrings(C.GDALGetMetadata(C.GDALMajorObjectH(h), domain)) {
		key, name, _ := strings.Cut(item, "=")
		if strings.HasSuffix(key, "_NAME") && strings.HasSuffix(name, path) && (strings.HasPrefix(name, "GTIFF_DIR:") || strings.HasPrefix(name, "NITF_IM:")) {
			names = append(names, name)
		}
	}
	return names
}

// addDataset adds the variables of a dataset.
func (c *catalog) addDataset(h C.GDALDatasetH, name string, memory int64) {
	n := int(C.GDALGetRasterCount(h))
	groups := map[dtype.DType][]C.int{}
	for i := 1; i <= n; i++ {
		t, _ := elementOf(C.GDALGetRasterBand(h, C.int(i)))
		groups[t] = append(groups[t], C.int(i))
	}
	first := len(c.Vars)
	switch {
	case n == 0:
		return
	case len(groups) == 1:
		for _, bands := range groups {
			c.add(h, name, bands, memory)
		}
	default:
		for i := 1; i <= n; i++ {
			c.add(h, strings.TrimPrefix(fmt.Sprintf("%s_band%d", name, i), "_"), []C.int{C.int(i)}, memory)
		}
	}
	if flags := C.GDALGetMaskFlags(C.GDALGetRasterBand(h, 1)); flags&C.GMF_PER_DATASET != 0 && flags&C.GMF_ALPHA == 0 {
		if c.Vars[first].info.Name == "" {
			c.Vars[first].info.Name = "image"
		}
		v := &variable{source: h, bands: []C.int{1}, mask: true, code: C.GDT_Byte}
		v.info = formats.Info{Name: strings.TrimPrefix(name+"_mask", "_"), DType: dtype.Uint8, Shape: slices.Clone(shapeOf(h)), Dims: []string{"y", "x"}}
		v.setChunk(C.GDALGetMaskBand(C.GDALGetRasterBand(h, 1)), 1, memory)
		c.Add(v)
	}
}

// shapeOf returns the rows and columns of a dataset.
func shapeOf(h C.GDALDatasetH) []int {
	return []int{int(C.GDALGetRasterYSize(h)), int(C.GDALGetRasterXSize(h))}
}

// add adds a variable.
func (c *catalog) add(h C.GDALDatasetH, name string, bands []C.int, memory int64) {
	band := C.GDALGetRasterBand(h, bands[0])
	v := &variable{source: h, bands: bands}
	v.info = formats.Info{Name: name, Shape: shapeOf(h), Dims: []string{"y", "x"}, Codec: codecOf(h)}
	v.info.DType, v.code = elementOf(band)
	if len(bands) > 1 {
		v.info.Shape, v.info.Dims = append([]int{len(bands)}, v.info.Shape...), []string{"band", "y", "x"}
	}
	if v.info.DType == 0 {
		v.err = errorf(formats.ErrType, "type %s has no counterpart; convert the file with gdal_translate -ot", C.GoString(C.GDALGetDataTypeName(C.GDALGetRasterDataType(band))))
		c.Add(v)
		return
	}
	if _, v.err = v.info.Bytes(); v.err == nil {
		v.setChunk(band, len(bands), memory)
	}
	v.info.Attrs = c.attributes(h, bands)
	if _, differ := v.info.Attrs["nodata"].([]any); !differ {
		v.info.Fill = fillOf(band, v.info.DType)
	}
	if c.budget < 0 && v.err == nil {
		v.err = errorf(formats.ErrMemory, "the attributes of the file together")
	}
	c.Add(v)
}

// setChunk sets the chunk to a block of the file. If pixels are interleaved, a block contains all
// bands.
func (v *variable) setChunk(band C.GDALRasterBandH, bands int, memory int64) {
	var x, y C.int
	C.GDALGetBlockSize(band, &x, &y)
	rows, columns := v.info.Shape[len(v.info.Shape)-2], v.info.Shape[len(v.info.Shape)-1]
	v.info.Chunk = []int{max(1, min(int(y), rows)), max(1, min(int(x), columns))}
	together := 1
	if structure(v.source, "INTERLEAVE") == "PIXEL" {
		together = bands
	}
	if bands > 1 {
		v.info.Chunk = append([]int{together}, v.info.Chunk...)
	}
	if need := 3 * int64(x) * int64(y) * int64(together) * int64(v.info.DType.Size()); need > memory {
		v.err = errorf(formats.ErrMemory, "a block of %d rows and %d columns needs %d bytes, the limit is %d", y, x, need, memory)
	}
}

// codecOf returns the codec of the file's pixels, if its driver reports one.
func codecOf(h C.GDALDatasetH) formats.CodecSpec {
	name := strings.ToLower(structure(h, "COMPRESSION"))
	switch name {
	case "", "none":
		return formats.CodecSpec{}
	case "deflate":
		name = "gzip"
	}
	c := formats.CodecSpec{Name: name}
	if p := structure(h, "PREDICTOR"); p != "" && p != "1" {
		c.Shuffle = "predictor"
	}
	return c
}

// structure returns a text that describes the storage of a file.
func structure(h C.GDALDatasetH, name string) string {
	n, free := cstring(name)
	defer free()
	domain, freeDomain := cstring("IMAGE_STRUCTURE")
	defer freeDomain()
	return C.GoString(C.GDALGetMetadataItem(C.GDALMajorObjectH(h), n, domain))
}

// elementOf returns the element type of a band, or 0 if DRX has no such type, and the library's
// type for buffers.
func elementOf(band C.GDALRasterBandH) (dtype.DType, C.GDALDataType) {
	code := C.GDALGetRasterDataType(band)
	switch code {
	case C.GDT_Byte:
		if structure(C.GDALDatasetH(band), "PIXELTYPE") == "SIGNEDBYTE" {
			return dtype.Int8, code
		}
		return dtype.Uint8, code
	case C.GDT_CInt16:
		return dtype.Complex64, C.GDT_CFloat32
	case C.GDT_CInt32:
		return dtype.Complex128, C.GDT_CFloat64
	}
	for t, c := range codes {
		if c == code {
			return t, code
		}
	}
	return 0, 0
}

// codes maps element types to those of the library.
var codes = map[dtype.DType]C.GDALDataType{
	dtype.Uint8: C.GDT_Byte, dtype.Int8: C.GDT_Byte, dtype.Uint16: C.GDT_UInt16, dtype.Int16: C.GDT_Int16, dtype.Uint32: C.GDT_UInt32,
	dtype.Int32: C.GDT_Int32, dtype.Uint64: C.GDT_UInt64, dtype.Int64: C.GDT_Int64, dtype.Float32: C.GDT_Float32,
	dtype.Float64: C.GDT_Float64, dtype.Complex64: C.GDT_CFloat32, dtype.Complex128: C.GDT_CFloat64,
}

// find returns the variable with the given name. If name is empty, it returns the only variable
// that is not a mask.
func (c *catalog) find(name string) (*variable, error) {
	var names []string
	var only *variable
	images := 0
	for _, v := range c.Vars {
		if v.info.Name == name && name != "" {
			return v, nil
		}
		names = append(names, v.info.Name)
		if !v.mask {
			images, only = images+1, v
		}
	}
	if name == "" && images == 1 {
		return only, nil
	}
	if len(names) == 1 && names[0] == "" {
		return nil, errorf(formats.ErrVariable, "%s: the file has one raster, without a name", name)
	}
	return nil, errorf(formats.ErrVariable, "%q: there are %s", name, strings.Join(names[:min(10, len(names))], ", "))
}
