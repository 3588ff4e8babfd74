package transfer

import (
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/formats"
)

// An exporter is one export.
type exporter struct {
	ExportOptions
	to       dtype.DType // of As, 0 for none
	codec    formats.CodecSpec
	rounding meaning.Rounding // of Digits and Bits
	memoryLimit
	src, dst string
	isArray  bool // src is an array of a dataset
}

// selector returns the Selector of the options; without one it chooses all elements.
func (o *exporter) selector() Selector {
	if o.Select == nil {
		return Conditions{}
	}
	return o.Select
}

// isColumns reports whether the file is a table with a row for each point and typed columns.
func (o *exporter) isColumns() bool { return o.Format == "parquet" }
