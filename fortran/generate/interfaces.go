package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A function is a function of drx.h.
type function struct {
	name       string
	result     string // in C
	parameters []parameter
}

// A parameter is a parameter of a function, such as `const int64_t *lo`.
type parameter struct{ ctype, name string }

var (
	constantLine  = regexp.MustCompile(`^DRX_(\w+) = (\d+)$`)
	functionLine  = regexp.MustCompile(`^(.*[ *])drx_(\w+)\((.*)\);$`)
	parameterText = regexp.MustCompile(`^(.*[ *])(\w+)$`)
)

// interfaces returns the module drx_c for the interface in drx.abi.
func interfaces(abi string) (string, error) {
	var constants, functions strings.Builder
	for line := range strings.Lines(abi) {
		line = strings.TrimSpace(line)
		if m := constantLine.FindStringSubmatch(line); m != nil {
			fmt.Fprintf(&constants, "  integer, parameter :: drx_%s = %s\n", strings.ToLower(m[1]), m[2])
			continue
		}
		if strings.HasPrefix(line, "typedef ") {
			continue // types are numbers and callbacks, which fortranType knows
		}
		if strings.HasPrefix(line, "int xta") {
			continue // the thesis' names; Fortran has drx_import and drx_export
		}
		f, err := parse(line)
		if err != nil {
			return "", err
		}
		if err := f.declare(&functions); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf(moduleC, constants.String(), functions.String()), nil
}

const moduleC = `! Code generated from include/drx.abi by go generate ./fortran; DO NOT EDIT.

! drx_constants has the constants of drx.h.
module drx_constants
  implicit none
  public

%s
  integer, parameter :: drx_max_rank = 64  ! the largest number of dimensions
end module drx_constants

! drx_c has the functions of drx.h, with names that begin with drxc_ instead of drx_, because in
! Fortran functions and constants share one name space: drx_read is a constant. An argument that is
! optional here may be NULL in C.
module drx_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  use drx_constants
  implicit none
  public

  interface
%s  end interface
end module drx_c
`

// parse returns the function that a line declares.
func parse(line string) (function, error) {
	m := functionLine.FindStringSubmatch(line)
	if m == nil {
		return function{}, fmt.Errorf("drx.abi has a line that is no function: %s", line)
	}
	f := function{name: m[2], result: strings.TrimSpace(m[1])}
	if m[3] == "void" {
		return f, nil
	}
	for text := range strings.SplitSeq(m[3], ", ") {
		p := parameterText.FindStringSubmatch(text)
		if p == nil {
			return function{}, fmt.Errorf("drx_%s has a parameter that is not understood: %s", f.name, text)
		}
		f.parameters = append(f.parameters, parameter{strings.TrimSpace(p[1]), p[2]})
	}
	return f, nil
}

// results maps the result types of C to those of Fortran.
var results = map[string]string{"int": "integer(c_int)", "size_t": "integer(c_size_t)", "const char *": "type(c_ptr)"}

// declare writes the interface of a function.
func (f function) declare(b *strings.Builder) error {
	var names []string
	for _, p := range f.parameters {
		names = append(names, p.name)
	}
	kind := "function"
	result := results[f.result]
	if f.result == "void" {
		kind = "subroutine"
	} else if result == "" {
		return fmt.Errorf("drx_%s has a result that is not known: %s", f.name, f.result)
	}
	b.WriteString(wrap("    ", fmt.Sprintf("%s drxc_%s(%s) bind(C, name='drx_%[2]s')", kind, f.name, strings.Join(names, ", "))))
	var imports []string
	var body strings.Builder
	for _, p := range f.parameters {
		attributes, dimension, err := f.fortranType(p)
		if err != nil {
			return err
		}
		imports = append(imports, kindOf(attributes))
		fmt.Fprintf(&body, "      %s :: %s%s\n", attributes, p.name, dimension)
	}
	if result != "" {
		imports = append(imports, kindOf(result))
		fmt.Fprintf(&body, "      %s :: drxc_%s\n", result, f.name)
	}
	slices.Sort(imports)
	fmt.Fprintf(b, "      import :: %s\n", strings.Join(slices.Compact(imports), ", "))
	fmt.Fprintf(b, "%s    end %s drxc_%s\n\n", body.String(), kind, f.name)
	return nil
}

// fortranType returns the type and the attributes of a parameter, and its dimension.
func (f function) fortranType(p parameter) (attributes, dimension string, err error) {
	switch p.ctype {
	case "int":
		return "integer(c_int), value", "", nil
	case "int64_t", "drx_array", "drx_dataset":
		return "integer(c_int64_t), value", "", nil
	case "double":
		return "real(c_double), value", "", nil
	case "drx_array *", "drx_dataset *":
		return "integer(c_int64_t), intent(out)", "", nil
	case "int *":
		return "integer(c_int), intent(out), optional", "", nil
	case "const int *":
		return "integer(c_int), intent(in), optional", "(*)", nil
	case "const int64_t *":
		return "integer(c_int64_t), intent(in), optional", "(*)", nil
	case "int64_t *":
		return "integer(c_int64_t), intent(out), optional", f.dimension(p), nil
	case "double *":
		return "real(c_double), intent(out), optional", f.dimension(p), nil
	case "const char *":
		return "character(kind=c_char), intent(in)", "(*)", nil
	case "char **":
		return "type(c_ptr), intent(inout)", "", nil
	case "const char *const *":
		return "type(c_ptr), intent(in)", "(*)", nil
	case "void *", "const void *":
		return "type(c_ptr), value", "", nil
	case "drx_progress", "drx_change_fn", "drx_part_fn":
		return "type(c_funptr), value", "", nil
	}
	return "", "", fmt.Errorf("drx_%s has a parameter of a type that is not known: %s", f.name, p.ctype)
}

// dimension returns the dimension of a pointer to a result: it is an array if the function has a
// rank or the name is a plural.
func (f function) dimension(p parameter) string {
	if strings.HasSuffix(p.name, "s") || slices.Contains(f.parameters, parameter{"int", "rank"}) {
		return "(*)"
	}
	return ""
}

// kindOf returns the name that a declaration imports: c_int for `integer(c_int), value`.
func kindOf(attributes string) string {
	_, rest, _ := strings.Cut(attributes, "(")
	kind, _, _ := strings.Cut(rest, ")")
	return strings.TrimPrefix(kind, "kind=")
}

// wrap breaks a line after commas so that it has at most 120 columns.
func wrap(indent, line string) string {
	var b strings.Builder
	for len(indent)+len(line) > 120 {
		at := strings.LastIndex(line[:120-len(indent)], ", ") + 2
		b.WriteString(indent + line[:at-1] + " &\n")
		line = line[at:]
		indent += "  "
		if b.Len() > 0 && strings.Count(b.String(), "\n") > 1 {
			indent = indent[:len(indent)-2]
		}
	}
	b.WriteString(indent + line + "\n")
	return b.String()
}
