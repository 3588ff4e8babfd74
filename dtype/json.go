package dtype

import (
	"bytes"
	"encoding/json"
	"fmt"

	"drx/internal/errkind"
)

// FromJSON returns the element for a JSON value: a number, true or false, a string that
// Encode accepts ("NaN", "Infinity", "-Infinity"), or for a complex type an array of two of
// these. The error wraps ErrDType.
func (t DType) FromJSON(raw json.RawMessage) ([]byte, error) {
	raw = bytes.TrimSpace(raw)
	if t.IsComplex() && len(raw) > 0 && raw[0] == '[' {
		var parts []json.RawMessage
		if err := json.Unmarshal(raw, &parts); err != nil || len(parts) != 2 {
			return nil, errkind.Errorf(ErrDType, "%s is no %v", raw, t)
		}
		var out []byte
		for _, part := range parts {
			b, err := t.half().FromJSON(part)
			if err != nil {
				return nil, err
			}
			out = append(out, b...)
		}
		return out, nil
	}
	text := string(raw)
	if len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, errkind.Errorf(ErrDType, "%s is no %v", raw, t)
		}
	}
	return t.Encode(text)
}

// ToJSON is the inverse of FromJSON.
func (t DType) ToJSON(b []byte) json.RawMessage {
	if t.IsComplex() {
		half := t.half()
		return fmt.Appendf(nil, "[%s,%s]", half.ToJSON(b[:half.Size()]), half.ToJSON(b[half.Size():]))
	}
	text := t.Format(b)
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	switch text {
	case "+Inf":
		text = "Infinity"
	case "-Inf":
		text = "-Infinity"
	}
	return fmt.Appendf(nil, "%q", text)
}
