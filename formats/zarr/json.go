package zarr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"drx/formats"
	"drx/internal/errkind"
)

// object is a JSON object whose members are not decoded yet.
type object map[string]json.RawMessage

// parseObject parses a JSON object. It accepts the numbers NaN, Infinity and -Infinity, which
// Python writes, and turns them into strings.
func parseObject(data []byte) (object, error) {
	var o object
	if err := json.Unmarshal(quoteNaN(data), &o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if o == nil {
		return nil, errkind.Errorf(ErrFormat, "null is not a JSON object")
	}
	return o, nil
}

// quoteNaN puts NaN, Infinity and -Infinity in quotes where they stand outside of strings.
func quoteNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for i := 0; i < len(data); {
		n := 1
		switch {
		case data[i] == '"':
			n = stringLength(data[i:])
		default:
			for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(data[i:], []byte(word)) {
					out = append(append(append(out, '"'), word...), '"')
					i, n = i+len(word), 0
					break
				}
			}
		}
		out = append(out, data[i:i+n]...)
		i += n
	}
	return out
}

// stringLength returns the bytes of the JSON string at the start of data, with its quotes.
func stringLength(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// get decodes a member into the variable that value points to. If the member is absent or null, the
// variable keeps its value.
func (o object) get(name string, value any) error {
	raw, ok := o[name]
	if !ok || string(raw) == "null" {
		return nil
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return errkind.Errorf(ErrFormat, "%s %s: %w", name, short(raw), err)
	}
	return nil
}

// has reports whether there is a member that is not null.
func (o object) has(name string) bool { raw, ok := o[name]; return ok && string(raw) != "null" }

// short returns the beginning of a text, on one line, for errors.
func short[T ~string | ~[]byte](text T) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "?")), " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}

// attrs decodes attributes to the Go types that all formats use for attributes.
func (o object) attrs() (map[string]any, error) {
	if len(o) == 0 {
		return nil, nil
	}
	attrs := make(map[string]any, len(o))
	for name, raw := range o {
		v, err := formats.DecodeAttr(raw)
		if err != nil {
			return nil, errkind.Errorf(ErrFormat, "attribute %s: %w", short(name), err)
		}
		attrs[name] = v
	}
	return attrs, nil
}

// text returns a number, or its name if it is NaN or infinite.
func text(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return map[bool]string{false: "Infinity", true: "-Infinity"}[f < 0]
	}
	return f
}

// encodeAttrs returns attributes as JSON in which a float64 stays one: 1.0 is not written as 1.
func encodeAttrs(attrs map[string]any) (map[string]any, error) {
	out := make(map[string]any, len(attrs))
	for name, v := range attrs {
		raw, err := json.Marshal(exact(v))
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		out[name] = json.RawMessage(raw)
	}
	return out, nil
}

// exact replaces floating-point numbers by values that keep their type in JSON.
func exact(v any) any {
	switch v := v.(type) {
	case float32:
		return exactFloat(float64(v), 32)
	case float64:
		return exactFloat(v, 64)
	case []any:
		return exactList(v)
	case []float64:
		return exactList(v)
	case []float32:
		return exactList(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = exact(x)
		}
		return out
	}
	return v
}

func exactList[T any](list []T) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = exact(x)
	}
	return out
}

func exactFloat(f float64, bits int) any {
	if s, ok := text(f).(string); ok {
		return s
	}
	raw, err := json.Marshal(f)
	if bits == 32 {
		raw, err = json.Marshal(float32(f))
	}
	if err == nil && !bytes.ContainsAny(raw, ".e") {
		raw = append(raw, ".0"...)
	}
	return json.RawMessage(raw)
}
