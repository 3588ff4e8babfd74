package transfer

import (
	"strings"

	"drx"
)

// newImporter returns an import into DST. It has a file of its own: openArrays reads arrays as an
// export does, and beside the type importer, which all files of an import use, it would make the
// files depend on each other.
func newImporter(o ImportOptions, dst string) *importer {
	oneFile := strings.Contains(dst+"/", drx.OneFileExt+"/")
	p := &planner{ImportOptions: o, oneFile: oneFile, memoryLimit: newMemoryLimit(o.Memory)}
	files := &fileReader{planner: p, openArrays: openArrays}
	return &importer{planner: p, files: files, comparer: &comparer{planner: p, files: files, dst: dst}, dst: dst}
}
