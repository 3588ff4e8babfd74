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

// A planner decides by the options of an import which variables of a file become which arrays, and
// where they go. It reads and writes nothing: it gets what files and arrays say of themselves.
type planner struct {
	ImportOptions
	to       dtype.DType      // of As
	rounding meaning.Rounding // of Digits and Bits
	oneFile  bool             // arrays go into a file with several
	memoryLimit
}

// A fileReader reads the files of an import. It knows no array.
type fileReader struct {
	*planner
	listing bool // strings of variables are not needed

	// openArrays opens an array or a dataset to be read as a file.
	openArrays func(name string, memory int64) (arraySource, error)
	beside     formats.Reader // of the file, if somebody has it open; see formats.Options
}

// A comparer compares elements of files with those of the arrays that they are appended to, such as
// coordinates: a plan cannot.
type comparer struct {
	*planner
	files *fileReader
	dst   string
	noted map[string]bool // about what there was a note
	into  *existing       // what files are appended to; nil before that is known
}
