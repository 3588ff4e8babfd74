// Package pack encodes and decodes the stream with which drx pack sends arrays through a pipe or
// stores them in a file: the bytes of their files, without holes. FORMAT.md describes it. The
// package opens no files: package fileset reads and writes the parts of an array.
//
//	| magic | record: head, arrays follow | array | part | data | data | part | ... | end |
//
// # Invariants
//
//  1. The checksum of a record covers all earlier records, too. So a record that is missing,
//     doubled or moved is detected like one whose bytes have changed.
//  2. The last record counts the arrays and the bytes before it, and nothing follows it. A stream
//     that was cut has no last record.
//  3. A Reader verifies the checksum of a record before it returns any of its contents. It needs no
//     more memory than one record, and accepts a name only if it stays inside of the target.
package pack

// magic begins a stream. Its first byte is not text, and its line ends reveal a copy that has
// converted them.
const magic = "\x89DRXPAK\r\n\x1a\n"

// version is that of the format.
const version = 1

// The sizes of a record, which is a head, contents and a checksum.
const (
	headBytes = 16
	sumBytes  = 4
	mostText  = 64 << 10 // largest contents of a record that is not data
	// MostData is the largest number of bytes in a record of data.
	MostData = 1 << 20
	// mostAlign is the largest alignment of chunks.
	mostAlign = 1 << 30
)

// The kinds of records, see FORMAT.md.
const (
	headKind  = 'H'
	arrayKind = 'A'
	partKind  = 'P'
	dataKind  = 'D'
	endKind   = 'E'
)

// The parts of an array, in their order in the stream.
var parts = [...]string{"log", "data", "table", "presence"}

// Parts is the number of parts of an array: log, chunks, chunk table and presence map.
const Parts = len(parts)

// Head describes the stream.
type Head struct {
	Version int    `json:"version"`
	Name    string `json:"name"`    // of the array or the dataset, without its folder
	Several bool   `json:"several"` // any number of arrays, as in a dataset; otherwise one
}

// An Array describes an array whose parts follow.
type Array struct {
	Name    string `json:"name"`    // relative to the dataset, with slashes
	Slot    int64  `json:"slot"`    // bytes from one chunk to the next
	Chunk   int64  `json:"chunk"`   // bytes of a chunk
	Align   int    `json:"align"`   // chunks begin at multiples of this number of bytes
	Chunks  int64  `json:"chunks"`  // number of chunks, written or not
	Written int64  `json:"written"` // number of the last written chunk, plus 1
	Mode    uint32 `json:"mode"`    // the permissions of its log
}

// total is the contents of the last record.
type total struct {
	Arrays int64 `json:"arrays"`
	Bytes  int64 `json:"bytes"` // of data
}
