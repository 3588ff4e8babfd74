package cformat

import (
	"bytes"
	"maps"
	"reflect"
	"testing"

	"drx/dtype"
	"drx/formats"
)

// An enumeration must become attributes, and these must become the enumeration again.
func TestEnum(t *testing.T) {
	attrs := WithEnum(map[string]any{"a": int64(1)}, &Enum{Name: "cloud", Values: []any{int64(-1), int64(2)}, Meanings: []string{"none", "thick"}})
	want := map[string]any{"a": int64(1), "enum_type": "cloud", "flag_values": []any{int64(-1), int64(2)}, "flag_meanings": "none thick"}
	if !reflect.DeepEqual(attrs, want) {
		t.Fatal(attrs)
	}
	e, others := ParseEnum(&formats.Info{DType: dtype.Int16, Attrs: attrs})
	if e == nil || e.Name != "cloud" || !bytes.Equal(e.Element(1), []byte{2, 0}) || !reflect.DeepEqual(e.Meanings, []string{"none", "thick"}) {
		t.Errorf("%+v", e)
	}
	if !reflect.DeepEqual(others, map[string]any{"a": int64(1)}) || !reflect.DeepEqual(attrs, want) {
		t.Error(others, attrs)
	}
	if got := WithEnum(want, &Enum{Values: []any{int64(7)}, Meanings: []string{"x"}}); !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
}

// Attributes that do not describe an enumeration must stay.
func TestNoEnum(t *testing.T) {
	good := map[string]any{"enum_type": "cloud", "flag_values": []any{int64(1), int64(2)}, "flag_meanings": "a b"}
	for name, values := range map[string][]any{
		"enum_type":     {"", "-x", "a/b", "a ", "a\xff", nil},
		"flag_values":   {[]any{int64(1)}, []any{int64(1), int64(1)}, []any{int64(1), int64(300)}, []any{1.5, 2.5}, "1 2", int64(1), nil},
		"flag_meanings": {"a", "a a", "a b c", "a <b", "a  b", " a b", "a\tb c", "a b\u00a0c", nil},
		"flag_masks":    {[]any{int64(1), int64(2)}},
		"_FillValue":    {int64(0), int64(300), "x"},
	} {
		for _, v := range values {
			attrs := maps.Clone(good)
			attrs[name] = v
			if e, others := ParseEnum(&formats.Info{DType: dtype.Uint8, Attrs: attrs}); e != nil || !reflect.DeepEqual(others, attrs) {
				t.Errorf("%s %v: %+v, %v", name, v, e, others)
			}
		}
	}
	one := map[string]any{"enum_type": "cloud", "flag_values": int64(1), "flag_meanings": "a"}
	if e, _ := ParseEnum(&formats.Info{DType: dtype.Uint8, Attrs: one}); e != nil { // read as a list
		t.Errorf("a single value: %+v", e)
	}
	for _, of := range []dtype.DType{dtype.Bool, dtype.Float32, dtype.Complex64} {
		if e, _ := ParseEnum(&formats.Info{DType: of, Attrs: good}); e != nil {
			t.Errorf("%v: %+v", of, e)
		}
	}
	if e, _ := ParseEnum(&formats.Info{DType: dtype.Uint32, Labels: []string{"x"}, Attrs: good}); e != nil {
		t.Errorf("labels: %+v", e)
	}
}

// Types must be in the groups of their variables or in enclosing ones. Equal types must exist once;
// others of the same name get numbers.
func TestEnumTypes(t *testing.T) {
	enum := func(of dtype.DType, meanings string) *Enum {
		attrs := map[string]any{"enum_type": "kind", "flag_values": []any{int64(1), int64(2)}, "flag_meanings": meanings}
		e, _ := ParseEnum(&formats.Info{DType: of, Attrs: attrs})
		return e
	}
	types := NewEnumTypes([]string{"g/kind/deep", "kind_2"})
	for _, c := range []struct {
		variable string
		enum     *Enum
		want     string
	}{
		{"v", enum(dtype.Int8, "a b"), "kind"},
		{"w", enum(dtype.Int8, "a b"), "kind"},
		{"x", enum(dtype.Int8, "a c"), "kind_3"},
		{"y", enum(dtype.Int16, "a b"), "kind_4"},
		{"z", enum(dtype.Int8, "a c"), "kind_3"},
		{"g/v", enum(dtype.Int8, "a b"), "kind"},
		{"g/w", enum(dtype.Int32, "a b"), "g/kind_2"},
		{"g/h/v", enum(dtype.Int32, "a c"), "g/h/kind"},
		{"h/v", enum(dtype.Int32, "a c"), "h/kind"},
		{"h/w", enum(dtype.Int8, "a b"), "h/kind_2"},
	} {
		if got := types.Path(c.variable, c.enum); got != c.want {
			t.Errorf("%s: %s, want %s", c.variable, got, c.want)
		}
	}
}
