package transfer

import (
	"strings"

	"drx"
)

// newImporter returns an import into DST.
func newImporter(o ImportOptions, dst string) *importer {
	p := &planner{ImportOptions: o, oneFile: strings.Contains(dst+"/", drx.OneFileExt+"/"), memoryLimit: newMemoryLimit(o.Memory)}
	files := &fileReader{planner: p, openArrays: openArrays}
	return &importer{planner: p, files: files, comparer: &comparer{planner: p, files: files, dst: dst}, dst: dst}
}
