package transfer

import (
	"drx/dtype"
	"drx/formats"
)

// A planner decides by the options of an import which variables of a file become which arrays. It
// reads and writes nothing.
type planner struct {
	ImportOptions
	to dtype.DType // of As
	memoryLimit
}

// sources reads the files of an import. It knows no array.
type sources struct {
	planner
	listing bool           // strings of variables are not needed
	beside  formats.Reader // of the file, if somebody has it open; see formats.Options
}

// A comparer compares files with the arrays that they are appended to: whether they continue these,
// where, and how their values become those of the arrays.
type comparer struct {
	sources
	dst   string
	noted map[string]bool // variables about which there was a note
	into  *existing       // what files are appended to; nil before that is known
}

// An importer is one import: it creates arrays, or appends to them, and copies elements into them.
type importer struct{ comparer }

// newImporter returns an import into DST.
func newImporter(o ImportOptions, dst string) *importer {
	return &importer{comparer{sources: sources{planner: planner{ImportOptions: o, memoryLimit: newMemoryLimit(o.Memory)}}, dst: dst}}
}
