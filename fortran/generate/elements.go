package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
)

// An element is a type of elements in Fortran: the suffix of its procedures, its declaration, and
// its name in drx.h.
type element struct{ Name, Decl, DType string }

var types = []element{
	{"int8", "integer(int8)", "drx_int8"},
	{"int16", "integer(int16)", "drx_int16"},
	{"int32", "integer(int32)", "drx_int32"},
	{"int64", "integer(int64)", "drx_int64"},
	{"real32", "real(real32)", "drx_float32"},
	{"real64", "real(real64)", "drx_float64"},
	{"complex32", "complex(real32)", "drx_complex64"},
	{"complex64", "complex(real64)", "drx_complex128"},
	{"logical8", "logical(c_bool)", "drx_bool"},
}

// A grower is a procedure that changes a dimension's extent.
type grower struct {
	Name, Does, Operation, Side string
	Adds                        bool // it returns the section that it adds
}

var growth = []grower{
	{"extend", "extends a dimension above its highest index; added is the section of the new indices.", "op_extend", "drx_high", true},
	{"extend_low", "extends a dimension below its lowest index.", "op_extend", "drx_low", true},
	{"reserve", "is extend for an array that is open with drx_shared; the section is committed at once.", "op_reserve", "drx_high", true},
	{"reserve_low", "is extend_low for an array that is open with drx_shared.", "op_reserve", "drx_low", true},
	{"shrink", "removes the highest indices of a dimension.", "op_shrink", "drx_high", false},
	{"shrink_low", "removes the lowest indices of a dimension.", "op_shrink", "drx_low", false},
}

// Rule returns the end of the line that separates the procedures of a type from the previous ones.
func (e element) Rule() string { return strings.Repeat("-", 112-len(e.Decl)) }

// maxRank is the largest rank of a variable in Fortran.
const maxRank = 15

//go:embed elements.f90.tmpl
var elementsText string

// elements returns the module drx_elements.
func elements() (string, error) {
	t, err := template.New("elements").Funcs(template.FuncMap{"list": list, "listKinds": func(indent, prefix string, kinds []string) string { return list(indent, prefix, kinds...) }, "corners": corners}).Parse(elementsText)
	if err != nil {
		return "", err
	}
	ranks := make([]int, maxRank)
	for i := range ranks {
		ranks[i] = i + 1
	}
	var b strings.Builder
	err = t.Execute(&b, map[string]any{
		"Types":       types,
		"Kinds":       []string{"int32", "int64"}, // of indices
		"Ranks":       ranks,
		"Elementwise": []string{"read", "write", "append", "fill", "fill_value"},
		"Indexed":     []string{"get", "set", "gather", "scatter"},
		"Growth":      growth,
	})
	return b.String(), err
}

// list returns the names of the procedures for all types, and for all kinds of indices if given:
// "read_int8, read_int16".
func list(indent, prefix string, kinds ...string) string {
	var names []string
	for _, t := range types {
		name := prefix + "_" + t.Name
		if len(kinds) == 0 {
			names = append(names, name)
		}
		for _, k := range kinds {
			names = append(names, name+"_"+k)
		}
	}
	return "&\n" + wrapList(indent, names)
}

// corners returns the addresses of an array's first element, whose index is l, and of the next one
// in each dimension. m has the second index of each dimension, or the first if there is no other.
func corners(rank int) string {
	addresses := make([]string, rank+1)
	for d := range addresses {
		index := make([]string, rank)
		for i := range index {
			index[i] = fmt.Sprintf("l(%d)", i+1)
		}
		if d > 0 {
			index[d-1] = fmt.Sprintf("m(%d)", d)
		}
		addresses[d] = fmt.Sprintf("c_loc(x(%s))", strings.Join(index, ","))
	}
	return strings.TrimSpace(wrapList("        ", addresses))
}

// wrapList joins parts with commas to lines of at most 120 columns.
func wrapList(indent string, parts []string) string {
	var b strings.Builder
	line := indent
	for i, p := range parts {
		if i < len(parts)-1 {
			p += ", "
		}
		if len(line)+len(p) > 118 {
			b.WriteString(line + "&\n")
			line = indent
		}
		line += p
	}
	b.WriteString(line)
	return b.String()
}
