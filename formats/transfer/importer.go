package transfer

import (
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
)

// An importer is one import: it plans, then makes DST or appends to it, then copies elements. Its
// parts share the options. newImporter makes it.
type importer struct {
	*planner
	files    *fileReader
	comparer *comparer
	dst      string
}

// A planner decides, from the options of an import, which variables of a file become which arrays,
// and where their elements go. It reads and writes nothing: its inputs are descriptions of files
// and arrays.
type planner struct {
	ImportOptions
	to       dtype.DType      // of As
	rounding meaning.Rounding // of Digits and Bits
	oneFile  bool             // arrays are stored together in one file
	memoryLimit
}

// A fileReader reads the files of an import. It knows no array.
type fileReader struct {
	*planner
	listing bool // for List: strings of variables are not read

	// openArrays opens an array or a dataset to be read as a file.
	openArrays func(name string, memory int64) (arraySource, error)
	beside     formats.Reader // of the same file, if one is open; see formats.Options
}

// A comparer compares elements of files, such as coordinates, with those of the arrays to which
// files are appended. A planner cannot, as it reads no elements.
type comparer struct {
	*planner
	files *fileReader
	dst   string
	noted map[string]bool // subjects of notes that were printed
	into  *dstState       // DST, to which files are appended; nil until known
}
