//go:build linux && hdf5 && netcdf && fits && gdal && matio

package main

import (
	"encoding/binary"
	"math"
	"strings"
)

// padded returns bytes with zeros after them, up to a multiple of eight.
func padded(b string) string { return b + strings.Repeat("\x00", -len(b)&7) }

// h5Message returns a message of an object header of HDF5: its type and its bytes.
func h5Message(kind uint16, body string) string {
	b := binary.LittleEndian.AppendUint16(nil, kind)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(padded(body))))
	return string(b) + "\x00\x00\x00\x00" + padded(body)
}

// h5Header returns an object header with messages.
func h5Header(messages ...string) string {
	all := strings.Join(messages, "")
	return little("\x01\x00"+string(binary.LittleEndian.AppendUint16(nil, uint16(len(messages)))), 1, uint32(len(all)), 0) + all
}

// h5Space returns a dataspace of these extents.
func h5Space(shape ...uint64) string {
	b := []byte{1, byte(len(shape)), 0, 0, 0, 0, 0, 0}
	for _, n := range shape {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return string(b)
}

// h5Type returns a datatype of a class, with three bytes of flags, a size and properties.
func h5Type(class byte, flags string, size uint32, properties string) string {
	return little(string(0x10|class)+flags, size) + properties
}

// Datatypes of HDF5: bytes, strings of a fixed and of a variable length, and sequences of bytes.
var (
	h5Byte     = h5Type(0, "\x00\x00\x00", 1, "\x00\x00\x08\x00")
	h5Text     = h5Type(9, "\x01\x00\x00", 16, h5Byte)
	h5Sequence = h5Type(9, "\x00\x00\x00", 16, h5Byte)
)

func h5FixedText(size uint32) string { return h5Type(3, "\x00\x00\x00", size, "") }

// h5Array returns the datatype of arrays of these extents, whose elements have size bytes.
func h5Array(base string, size uint32, shape ...uint32) string {
	sizes := size
	for _, n := range shape {
		sizes *= n
	}
	t := "\x2a\x00\x00\x00" + little("", sizes) + string(rune(len(shape))) + "\x00\x00\x00"
	t = little(t, shape...)
	return little(t, make([]uint32, len(shape))...) + base
}

// h5Compound returns the datatype of records with one member.
func h5Compound(size uint32, member string) string {
	return h5Type(6, "\x01\x00\x00", size, padded("m\x00")+little("", 0, 0, 0, 0, 0, 0, 0, 0)+member)
}

// h5Attribute returns the message of an attribute.
func h5Attribute(datatype, space, data string) string {
	b := []byte{1, 0}
	for _, n := range []int{2, len(datatype), len(space)} {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return h5Message(12, string(b)+padded("a\x00")+padded(datatype)+padded(space)+data)
}

// h5Heap is where h5File has its heap.
const h5Heap = 96

// h5HeapObject returns a collection of the global heap with an object that declares a size.
func h5HeapObject(size uint64, data string) string {
	object := little("\x01\x00\x01\x00", 0) + string(binary.LittleEndian.AppendUint64(nil, size)) + padded(data)
	all := uint64(max(4096, 16+len(object)+16))
	b := "GCOL\x01\x00\x00\x00" + string(binary.LittleEndian.AppendUint64(nil, all)) + object
	free := all - uint64(len(b))
	b += little("", 0, 0) + string(binary.LittleEndian.AppendUint64(nil, free))
	return b + strings.Repeat("\x00", int(free)-16)
}

// h5Reference returns an element of variable length in the heap.
func h5Reference(length uint32) string { return little("", length, h5Heap, 0, 1) }

// h5File returns an HDF5 file with a heap and a dataset "d" that has messages.
func h5File(heap string, messages ...string) string {
	dataset := h5Header(messages...)
	at := uint64(h5Heap + len(padded(heap)))
	link := h5Message(6, "\x01\x00\x01d"+string(binary.LittleEndian.AppendUint64(nil, at)))
	undefined := strings.Repeat("\xff", 8)
	root := h5Header(h5Message(2, "\x00\x00"+undefined+undefined), h5Message(10, "\x00\x00"), link)
	rootAt := at + uint64(len(padded(dataset)))
	super := "\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00\x04\x00\x10\x00\x00\x00\x00\x00"
	for _, n := range []uint64{0, math.MaxUint64, rootAt + uint64(len(root)), math.MaxUint64, 0, rootAt, 0, 0, 0} {
		super += string(binary.LittleEndian.AppendUint64(nil, n))
	}
	return super + padded(heap) + padded(dataset) + root
}

// h5Bytes returns the messages of a dataset of two bytes.
func h5Bytes(attributes ...string) []string {
	return append([]string{h5Message(1, h5Space(2)), h5Message(3, h5Byte), h5Message(8, "\x03\x00\x02\x00\x07\x08")}, attributes...)
}

// hostileHDF5 returns HDF5 files whose attributes and elements declare much.
func hostileHDF5() map[string]string {
	const most = math.MaxUint32
	one, half := h5Space(1), uint64(1)<<31
	plain := h5HeapObject(8, "12345678")
	attribute := func(datatype, space, data string) string {
		return h5File(plain, h5Bytes(h5Attribute(datatype, space, data))...)
	}
	references := strings.Repeat(h5Reference(1<<20), 3000)
	nested, records := h5Byte, h5Byte
	for range 1000 {
		nested = h5Type(9, "\x00\x00\x00", 16, nested)
	}
	for range 500 {
		records = h5Compound(1, records)
	}
	return map[string]string{
		"benign":                attribute(h5Byte, one, "x"),
		"bytes":                 attribute(h5Byte, h5Space(half), "x"),
		"bytes below the limit": attribute(h5Byte, h5Space(600000), "x"),
		"few bytes too many":    attribute(h5Byte, h5Space(4096), "x"),
		"extents that overflow": attribute(h5Byte, h5Space(1<<33, 1<<33), "x"),
		"fixed text":            attribute(h5FixedText(1<<31), one, "x"),
		"fixed texts":           attribute(h5FixedText(1<<16), h5Space(256), "x"),
		"text":                  attribute(h5Text, one, h5Reference(1<<31)),
		"text beyond":           attribute(h5Text, one, h5Reference(1<<20)),
		"texts":                 attribute(h5Text, h5Space(half), h5Reference(8)),
		"texts of one object":   h5File(h5HeapObject(1<<20, strings.Repeat("x", 1<<20)), h5Bytes(h5Attribute(h5Text, h5Space(3000), references))...),
		"texts of one shorter":  h5File(h5HeapObject(10<<10, strings.Repeat("x", 10<<10)), h5Bytes(h5Attribute(h5Text, h5Space(3000), strings.Repeat(h5Reference(10<<10), 3000)))...),
		"sequence":              attribute(h5Sequence, one, h5Reference(1<<31)),
		"sequences of object":   h5File(h5HeapObject(1<<20, strings.Repeat("x", 1<<20)), h5Bytes(h5Attribute(h5Sequence, h5Space(3000), references))...),
		"sequences of shorter":  h5File(h5HeapObject(1<<10, strings.Repeat("x", 1<<10)), h5Bytes(h5Attribute(h5Sequence, h5Space(3000), strings.Repeat(h5Reference(1<<10), 3000)))...),
		"one long sequence":     h5File(h5HeapObject(15<<20, strings.Repeat("x", 15<<20)), h5Bytes(h5Attribute(h5Sequence, one, h5Reference(15<<20)))...),
		"sequence of sequences": attribute(h5Type(9, "\x00\x00\x00", 16, h5Sequence), one, h5Reference(1<<30)),
		"nested sequences":      attribute(nested, one, h5Reference(1)),
		"heap object":           h5File(h5HeapObject(1<<40, "x"), h5Bytes(h5Attribute(h5Text, one, h5Reference(1<<31)))...),
		"array":                 attribute(h5Array(h5Byte, 1, 1<<31), one, "x"),
		"array below the limit": attribute(h5Array(h5Byte, 1, 1<<24), one, "x"),
		"array of arrays":       attribute(h5Array(h5Array(h5Byte, 1, 1<<16), 1<<16, 1<<15), one, "x"),
		"array of rank 32":      attribute(h5Array(h5Byte, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1), one, "x"),
		"record":                attribute(h5Compound(1<<31, h5Array(h5Byte, 1, 1<<31)), one, "x"),
		"nested records":        attribute(records, one, "x"),
		"members":               attribute(h5Type(6, "\xff\xff\x00", 8, ""), one, "x"),
		"enumeration":           attribute(h5Type(8, "\xff\xff\x00", 1, h5Byte), one, "x"),
		"opaque":                attribute(h5Type(5, "\x08\x00\x00", 1<<31, "tag\x00\x00\x00\x00\x00"), one, "x"),
		"integer":               attribute(h5Type(0, "\x00\x00\x00", 1<<31, "\x00\x00\xff\xff"), one, "x"),
		"references":            attribute(h5Type(7, "\x00\x00\x00", 8, ""), h5Space(half), "x"),
		"regions":               attribute(h5Type(7, "\x01\x00\x00", 12, ""), h5Space(1), little("", h5Heap, 0, 1)),
		"scales":                h5File(plain, h5Bytes(strings.Replace(h5Attribute(h5Type(9, "\x00\x00\x00", 16, h5Type(7, "\x00\x00\x00", 8, "")), one, h5Reference(1<<31)), "a\x00\x00\x00\x00\x00\x00\x00", "DIMENSI\x00", 1))...),
		"elements of text":      h5File(plain, h5Message(1, h5Space(1)), h5Message(3, h5FixedText(1<<31)), h5Message(8, "\x03\x01"+little("", h5Heap, 0, 8, 0))),
		"elements of texts":     h5File(h5HeapObject(1<<20, strings.Repeat("x", 1<<20)), h5Message(1, h5Space(3000)), h5Message(3, h5Text), h5Message(8, "\x03\x00"+string(binary.LittleEndian.AppendUint16(nil, uint16(len(references))))+references)),
		"elements":              h5File(plain, h5Message(1, h5Space(1<<40)), h5Message(3, h5Byte), h5Message(8, "\x03\x01"+little("", h5Heap, 0, 0, 256))),
		"fill value":            h5File(plain, append(h5Bytes(), h5Message(5, "\x02\x01\x01\x01"+little("", most)+"x"))...),
		"filter":                h5File(plain, append(h5Bytes(), h5Message(11, "\x01\x01\x00\x00\x00\x00\x00\x00"+little("\x01\x00\xf8\xff\x00\x00\xff\xff")))...),
		"messages":              strings.Replace(h5File(plain, h5Bytes()...), "\x01\x00\x03\x00\x01\x00\x00\x00", "\x01\x00\xff\xff\x01\x00\x00\x00", 1),
		"header of 4 GiB":       strings.Replace(h5File(plain, h5Bytes()...), little("\x01\x00\x03\x00", 1, 88), little("\x01\x00\x03\x00", 1, most), 1),
		"checksum":              "\x89HDF\r\n\x1a\n\x02\x08\x08\x00" + little("", 0, 0, most, most, 48, 0, 48, 0, 0),
		"being written":         "\x89HDF\r\n\x1a\n\x03\x08\x08\x05" + little("", 0, 0, most, most, 48, 0, 48, 0, 0),
		"symbols":               "\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00\xff\xff\xff\xff\x00\x00\x00\x00" + strings.Repeat("\x00", 24),
	}
}
