package transfer

import (
	"strings"

	"drx"
)

// newImporter returns an import into DST. It is not beside the type importer, which every file of
// an import uses: openArrays reads arrays as an export does, and files use each other one way only.
func newImporter(o ImportOptions, dst string) *importer {
	oneFile := strings.Contains(dst+"/", drx.OneFileExt+"/")
	p := &planner{ImportOptions: o, oneFile: oneFile, memoryLimit: newMemoryLimit(o.Memory)}
	files := &fileReader{planner: p, openArrays: openArrays}
	return &importer{planner: p, files: files, comparer: &comparer{planner: p, files: files, dst: dst}, dst: dst}
}
