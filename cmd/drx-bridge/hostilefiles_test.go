//go:build linux && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// A part is a file in a ZIP file: text, repeated times times, compressed or not. size is the size
// that the ZIP file states, 0 for the true one.
type part struct {
	name, text string
	times      int
	stored     bool
	size       uint64
}

// repeat writes a text many times.
func repeat(t *testing.T, to io.Writer, text string, times int) {
	t.Helper()
	whole := strings.Repeat(text, max(1, (1<<20)/max(1, len(text))))
	for left := len(text) * max(times, 1); left > 0; {
		n, err := io.WriteString(to, whole[:min(left, len(whole))])
		if left -= n; err != nil {
			t.Fatal(err)
		}
	}
}

// zipOf returns a ZIP file.
func zipOf(t *testing.T, parts ...part) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		header := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
		if p.stored {
			header.Method = zip.Store
		}
		create := z.CreateHeader
		if p.size > 0 {
			header.UncompressedSize64, header.CompressedSize64 = p.size, uint64(len(p.text))
			if p.stored {
				header.CompressedSize64 = p.size
			}
			create = z.CreateRaw
		}
		w, err := create(header)
		if err != nil {
			t.Fatal(err)
		}
		repeat(t, w, p.text, p.times)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// gzipOf returns a repeated text, compressed.
func gzipOf(t *testing.T, text string, times int) string {
	t.Helper()
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	repeat(t, z, text, times)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// npyOf returns the header of a .npy file.
func npyOf(shape string) string {
	return "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", "{'descr': '|u1', 'fortran_order': False, 'shape': ("+shape+"), }")
}

// fitsOf returns headers of FITS, each a list of cards.
func fitsOf(headers ...[]string) (all string) {
	for _, cards := range headers {
		text := strings.Join(cards, "") + fmt.Sprintf("%-80s", "END")
		all += text + strings.Repeat(" ", (2880-len(text)%2880)%2880)
	}
	return all
}

// hostileArchives returns small ZIP and gzip files that declare or contain much.
func hostileArchives(t *testing.T) map[string]map[string]string {
	t.Helper()
	const half = 1 << 29
	file := func(name, data string) map[string]string { return map[string]string{name: data} }
	store := func(parts ...part) map[string]string { return file("a.zip", zipOf(t, parts...)) }
	array := zarr2("null", "")["a.zarr/.zarray"]
	small := strings.NewReplacer("2147483648", "4").Replace(array)
	return map[string]map[string]string{
		"npz shape":            file("a.npz", zipOf(t, part{name: "a.npy", text: npyOf("1099511627776,")})),
		"npz shape stored":     file("a.npz", zipOf(t, part{name: "a.npy", text: npyOf("1099511627776,"), stored: true})),
		"npz declared size":    file("a.npz", zipOf(t, part{name: "a.npy", text: npyOf("1099511627648,"), stored: true, size: 1 << 40})),
		"npz declared deflate": file("a.npz", zipOf(t, part{name: "a.npy", text: npyOf("1099511627648,"), size: 1 << 40})),
		"npz header":           file("a.npz", zipOf(t, part{name: "a.npy", text: little("\x93NUMPY\x02\x00", 1<<32-1) + strings.Repeat(" ", half/8), times: 8})),
		"npz too long":         file("a.npz", zipOf(t, part{name: "a.npy", text: npyOf("1,") + strings.Repeat("\x00", half/8), times: 8})),
		"zarr zip chunk":       store(part{name: ".zarray", text: array}, part{name: "0", text: "x"}),
		"zarr zip chunk bomb":  store(part{name: ".zarray", text: array}, part{name: "0", text: "x", times: half}),
		"zarr zip small bomb":  store(part{name: ".zarray", text: small}, part{name: "0", text: "x", times: half}),
		"zarr zip chunk size":  store(part{name: ".zarray", text: array}, part{name: "0", text: "x", size: 1 << 31}),
		"zarr zip chunk store": store(part{name: ".zarray", text: array}, part{name: "0", text: "x", size: 1 << 31, stored: true}),
		"zarr zip blosc":       store(part{name: ".zarray", text: zarr2(`{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`, "")["a.zarr/.zarray"]}, part{name: "0", text: "\x02\x01\x21\x01" + little("", 1<<31-1, 1<<31-1, 16)}),
		"zarr zip 3":           store(part{name: "zarr.json", text: zarr3(`{"name":"bytes"}`, "")["a.zarr/zarr.json"]}, part{name: "c/0", text: "x"}),
		"zarr zip metadata":    store(part{name: ".zarray", text: array + strings.Repeat(" ", half/8), times: 8}),
		"zarr zip lying":       store(part{name: ".zarray", text: array, size: 1 << 40}),
		"zarr zip lying store": store(part{name: ".zarray", text: array, size: 1 << 40, stored: true}),
		"zarr zip short":       store(part{name: ".zarray", text: array, size: 1 << 19}),
		"zarr zip attributes":  store(part{name: ".zarray", text: small}, part{name: ".zattrs", text: " ", times: half}),
		"zarr zip .zmetadata":  store(part{name: ".zmetadata", text: " ", times: half}, part{name: ".zgroup", text: `{"zarr_format":2}`}),
		"zarr zip zarr.json":   store(part{name: "zarr.json", text: " ", times: half}),
		"csv.gz a line":        file("a.csv.gz", gzipOf(t, "x", half)),
		"csv.gz of columns":    file("a.csv.gz", gzipOf(t, ",", half)),
		"csv.gz of quotes":     file("a.csv.gz", gzipOf(t, "\"x\n", half/4)),
		"csv.gz of blanks":     file("a.csv.gz", gzipOf(t, "\n", half/8)),
		"csv.gz of names":      file("a.csv.gz", gzipOf(t, strings.Repeat("a,", 1<<19)+"a\n"+strings.Repeat("1,", 1<<19)+"1\n", 1)),
		"npy.gz shape":         file("a.npy.gz", gzipOf(t, npyOf("1099511627776,"), 1)),
		"npy.gz header":        file("a.npy.gz", gzipOf(t, little("\x93NUMPY\x02\x00", 1<<32-1)+strings.Repeat(" ", half/8), 8)),
		"fits.gz":              file("a.fits.gz", gzipOf(t, fitsOf([]string{card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "1"), card("NAXIS1", "2000000000")})+strings.Repeat("\x00", half/8), 8)),
	}
}

// hostileFiles returns files with large declarations elsewhere: attributes, lists, tables.
func hostileFiles(t *testing.T) map[string]map[string]string {
	t.Helper()
	const most = 1<<32 - 1
	file := func(name, data string) map[string]string { return map[string]string{name: data} }
	zarr := func(attributes string) map[string]string {
		store := zarr2("null", "")
		delete(store, "a.zarr/0")
		store["a.zarr/.zarray"] = strings.NewReplacer("2147483648", "4").Replace(store["a.zarr/.zarray"])
		store["a.zarr/.zattrs"] = attributes
		return store
	}
	size := [][4]uint32{{256, 4, 1, 8}, {257, 4, 1, 8}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1}}
	strips := [][4]uint32{{273, 4, 1, 8}, {277, 3, 1, 1}, {278, 4, 1, 8}, {279, 4, 1, 64}}
	tiff := func(entries ...[4]uint32) string {
		all := slices.Concat(size, strips, entries)
		slices.SortFunc(all, func(a, b [4]uint32) int { return cmp.Compare(a[0], b[0]) })
		return tiffOf(all...) + strings.Repeat("\x00", 64)
	}
	primary := []string{card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "0"), card("EXTEND", "T")}
	table := func(columns string, cards ...string) string {
		return fitsOf(primary, append([]string{
			card("XTENSION", "'BINTABLE'"), card("BITPIX", "8"), card("NAXIS", "2"), card("NAXIS1", "8"), card("NAXIS2", "1"),
			card("PCOUNT", "2000000000"), card("GCOUNT", "1"), card("TFIELDS", columns), card("TTYPE1", "'COMPRESSED_DATA'"), card("TFORM1", "'1PB(2000000000)'"),
		}, cards...)) + strings.Repeat("\x7f", 2880)
	}
	matrix := func(class uint32, rows uint32) string {
		b := "MATLAB 5.0 MAT-file" + strings.Repeat(" ", 105) + "\x00\x01IM"
		return little(b, 14, 56, 6, 8, class, 0, 5, 8, rows, 1, 1, 1) + "a\x00\x00\x00\x00\x00\x00\x00" + little("", 2, 0)
	}
	envi := "ENVI\nsamples = 2\nlines = 2\nbands = 1\nheader offset = 0\ndata type = 1\ninterleave = bsq\nbyte order = 0\n"
	cdf := func(kind uint32, name string, values uint32) string {
		return big("CDF\x01", 0, 10, 1, 1) + big("x\x00\x00\x00", 2, 0, 0, 11, 1, 1) + big("v\x00\x00\x00", 1, 0, 12, 1, uint32(len(name))) + name + big("", kind, values)
	}
	return map[string]map[string]string{
		"zarr deep attributes":     zarr(strings.Repeat("[", 900_000)),
		"zarr deep object":         zarr(strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)),
		"zarr long attributes":     zarr(`{"a":"` + strings.Repeat("x", 8<<20) + `"}`),
		"zarr many values":         zarr(`{"a":[` + strings.Repeat("0,", 200_000) + "0]}"),
		"zarr number":              zarr(`{"a":1e999999999,"b":` + strings.Repeat("9", 100_000) + "}"),
		"fits many cards":          file("a.fits", fitsOf(append([]string{card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "0")}, strings.Repeat(fmt.Sprintf("%-80s", "HISTORY x"), 300_000)))),
		"fits cards without end":   file("a.fits", fitsOf([]string{card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "0")})[:240]+strings.Repeat(fmt.Sprintf("%-80s", "HISTORY x"), 300_001)),
		"fits long text":           file("a.fits", fitsOf(append([]string{card("SIMPLE", "T"), card("BITPIX", "8"), card("NAXIS", "0"), fmt.Sprintf("%-80s", "A       = '"+strings.Repeat("x", 60)+"&'")}, strings.Repeat(fmt.Sprintf("%-80s", "CONTINUE  '"+strings.Repeat("x", 60)+"&'"), 30_000)))),
		"fits table":               file("a.fits", table("1")),
		"fits table of columns":    file("a.fits", table("999")),
		"fits tiles":               file("a.fits", table("1", card("ZIMAGE", "T"), card("ZCMPTYPE", "'RICE_1'"), card("ZBITPIX", "8"), card("ZNAXIS", "1"), card("ZNAXIS1", "2000000000"), card("ZTILE1", "2000000000"), card("ZNAME1", "'BLOCKSIZE'"), card("ZVAL1", "32"))),
		"fits long tile":           file("a.fits", table("1", card("ZIMAGE", "T"), card("ZCMPTYPE", "'GZIP_1'"), card("ZBITPIX", "8"), card("ZNAXIS", "1"), card("ZNAXIS1", "1000"), card("ZTILE1", "1000"))),
		"fits axes of tiles":       file("a.fits", table("1", card("ZIMAGE", "T"), card("ZCMPTYPE", "'GZIP_1'"), card("ZBITPIX", "8"), card("ZNAXIS", "999"))),
		"mat cells":                file("a.mat", matrix(1, 1<<31-1)),
		"mat structs":              file("a.mat", matrix(2, 1<<31-1)),
		"mat objects":              file("a.mat", matrix(3, 1<<31-1)),
		"mat sparse":               file("a.mat", matrix(5, 1<<31-1)),
		"mat text":                 file("a.mat", matrix(4, 1<<31-1)),
		"mat bytes":                file("a.mat", matrix(9, 1<<31-1)),
		"mat 4":                    file("a.mat", little("", 0, 1<<31-1, 1, 0, 2)+"a\x00"),
		"mat 4 name":               file("a.mat", little("", 0, 1, 1, 0, 1<<31-1)+"a\x00"),
		"netcdf attribute of text": file("a.nc", cdf(2, "name", 1<<31-1)),
		"netcdf attribute numbers": file("a.nc", cdf(6, "name", most)),
		"netcdf attribute's name":  file("a.nc", big("CDF\x01", 0, 10, 1, 1)+big("x\x00\x00\x00", 2, 0, 0, 11, 1, 1)+big("v\x00\x00\x00", 1, 0, 12, 1, 1<<31-1)),
		"netcdf attributes":        file("a.nc", big("CDF\x01", 0, 0, 0, 12, most)),
		"netcdf variables":         file("a.nc", big("CDF\x01", 0, 0, 0, 0, 0, 11, most)),
		"netcdf dimensions of one": file("a.nc", big("CDF\x01", 0, 10, 1, 1)+big("x\x00\x00\x00", 2, 0, 0, 11, 1, 1)+big("v\x00\x00\x00", most)),
		"netcdf 5 attribute":       file("a.nc", big("CDF\x05", 0, 0, 0, 0, 0, 0, 12, 0, 1, 0, 4)+big("name", 6, 1<<28, 0)),
		"envi bands":               {"a.hdr": strings.Replace(envi, "bands = 1", "bands = 2000000000", 1), "a.img": "1234"},
		"envi names":               {"a.hdr": envi + "band names = {" + strings.Repeat("x,", 8<<20) + "}\n", "a.img": "1234"},
		"envi line":                {"a.hdr": envi + "description = {" + strings.Repeat("x", 16<<20), "a.img": "1234"},
		"envi offset":              {"a.hdr": strings.Replace(envi, "offset = 0", "offset = 9223372036854775807", 1), "a.img": "1234"},
		"envi map info":            {"a.hdr": envi + "map info = {" + strings.Repeat("1,", 1<<20) + "}\n", "a.img": "1234"},
		"tiff description":         file("a.tif", tiff([4]uint32{270, 2, most, 8})),
		"tiff software":            file("a.tif", tiff([4]uint32{305, 2, 1 << 31, 8})),
		"tiff colour map":          file("a.tif", tiff([4]uint32{320, 3, most, 8})),
		"tiff geographic keys":     file("a.tif", tiff([4]uint32{33550, 12, most, 8}, [4]uint32{34735, 3, most, 8})),
		"tiff metadata":            file("a.tif", tiff([4]uint32{33550, 12, 3, 8}, [4]uint32{42112, 2, most, 8})),
		"tiff private":             file("a.tif", tiff([4]uint32{65000, 7, most, 8})),
		"tiff samples":             file("a.tif", strings.Replace(tiff(), little("\x15\x01\x03\x00", 1, 1), little("\x15\x01\x03\x00", 1, 65535), 1)),
		"tiff pages in a circle":   file("a.tif", little(strings.TrimSuffix(tiff(), strings.Repeat("\x00", 68)), 8)+strings.Repeat("\x00", 64)),
		"bigtiff list":             file("a.tif", "II+\x00\x08\x00\x00\x00"+little("", 16, 0, 1<<31, 0)),
		"bigtiff description":      file("a.tif", "II+\x00\x08\x00\x00\x00"+little("", 16, 0, 1, 0, 270|2<<16, 0, 1<<30, 16, 0, 0)),
		"csv line without end":     file("a.csv", strings.Repeat("1", 32<<20)),
		"csv columns":              file("a.csv", strings.Repeat(",", 32<<20)),
		"csv quotes without end":   file("a.csv", "\""+strings.Repeat("x\n", 16<<20)),
		"csv comment without end":  file("a.csv", "#"+strings.Repeat("x", 32<<20)),
		"grib":                     file("a.grib", "GRIB\x00\x00\x00\x02"+big("", 0x7fffffff, 0xffffffff)+big("", most)+"\x03"+strings.Repeat("\xff", 200)),
		"nitf":                     file("a.ntf", "NITF02.10"+strings.Repeat("9", 400)),
		"jp2":                      file("a.jp2", "\xff\x4f\xff\x51\x00\x29\x00\x00"+big("", 1<<31-1, 1<<31-1, 0, 0, 1<<31-1, 1<<31-1, 0, 0)+"\x00\x01\x07\x01\x01\xff\xd9"),
		"bmp":                      file("a.bmp", "BM"+string(binary.LittleEndian.AppendUint32(nil, most))+little("", 0, 54, 40, 1<<30, 1<<30, 1|8<<16, 0, 0, 0, 0, 1<<31, 0)),
	}
}
