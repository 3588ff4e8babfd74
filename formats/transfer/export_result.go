package transfer

import (
	"cmp"

	"drx/dtype"
	"drx/formats"
)

// ExportReport is what an export has written.
type ExportReport struct {
	Name   string     `json:"name"`          // of the file
	Format string     `json:"format"`        // its name
	Vars   []Variable `json:"variables"`     // of the file
	Dim    string     `json:"dim,omitempty"` // ExportOptions.Append
	By     *int       `json:"by,omitempty"`  // new indices in a file that existed; nil otherwise
}

// A Variable is a variable in a file.
type Variable struct {
	Name  string   `json:"name"`
	DType string   `json:"dtype"`          // string for strings
	Shape []int    `json:"shape"`          // extents in elements; empty for a scalar
	Dims  []string `json:"dims,omitempty"` // names of the dimensions; nil if none has one
}

// result describes the file. by is the number of indices that were added to it, nil if it is new.
func (o *exporter) result(vars []exportVar, by *int) ExportReport {
	done := ExportReport{Name: o.dst, Format: o.Format, Dim: o.Append, By: by}
	for _, v := range vars {
		done.Vars = append(done.Vars, Variable{v.info.Name, kindOf(v.info), v.info.Shape, v.info.Dims})
	}
	return done
}

// kindOf returns the name of an element type: string for labels.
func kindOf(i formats.Info) string {
	if i.Labels != nil {
		return "string"
	}
	return cmp.Or(i.DType, dtype.Uint8).String()
}
