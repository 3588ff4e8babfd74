//go:build fits && cgo

package fits

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"drx/formats"
	"drx/internal/errkind"
)

// cardBytes is the length of a card.
const cardBytes = 80

// cardsOf returns the cards of attributes, sorted by name, with COMMENT and HISTORY last. It leaves
// out the attributes in drop and those that describe the storage.
func cardsOf(attrs map[string]any, drop map[string]bool) (cards []string, err error) {
	var last []string
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		digits := strings.TrimRight(name, "0123456789")
		if drop[name] || structural[name] || digits != name && structural[digits+"#"] {
			continue
		}
		value, err := plainValue(attrs[name])
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		if lines, ok := textLines(value); ok && (name == "COMMENT" || name == "HISTORY") {
			last = append(last, commentCards(name, lines)...)
			continue
		}
		more, err := attributeCards(name, value)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", name, err)
		}
		cards = append(cards, more...)
	}
	return append(cards, last...), nil
}

// plainValue returns a value as a bool, string, int64, uint64, float64 or []any, or as the text of
// its JSON.
func plainValue(value any) (any, error) {
	switch v := value.(type) {
	case json.RawMessage:
		d := json.NewDecoder(bytes.NewReader(v))
		d.UseNumber()
		var decoded any
		if err := d.Decode(&decoded); err != nil {
			return nil, err
		}
		return plainValue(decoded)
	case json.Number:
		if n := cardNumber(string(v)); n != nil {
			return n, nil
		}
		return string(v), nil
	}
	switch r := reflect.ValueOf(value); r.Kind() {
	case reflect.Bool:
		return r.Bool(), nil
	case reflect.String:
		return r.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return r.Uint(), nil
	case reflect.Float32:
		f, err := strconv.ParseFloat(strconv.FormatFloat(r.Float(), 'g', -1, 32), 64)
		return f, err
	case reflect.Float64:
		return r.Float(), nil
	case reflect.Slice, reflect.Array:
		list := make([]any, r.Len())
		for i := range list {
			var err error
			if list[i], err = plainValue(r.Index(i).Interface()); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// textLines returns the strings of a list, or of a single string.
func textLines(value any) (lines []string, ok bool) {
	list, ok := value.([]any)
	if text, single := value.(string); single {
		return []string{text}, true
	}
	for _, v := range list {
		line, isText := v.(string)
		if !isText {
			return nil, false
		}
		lines = append(lines, line)
	}
	return lines, ok
}

// commentCards returns cards without values. A long line becomes several cards.
func commentCards(name string, lines []string) (cards []string) {
	for _, line := range lines {
		for line = ascii(line); ; {
			n := min(len(line), cardBytes-8)
			cards = append(cards, fmt.Sprintf("%-8s%s", name, line[:n]))
			if line = line[n:]; line == "" {
				break
			}
		}
	}
	return cards
}

// attributeCards returns the cards of a value.
func attributeCards(name string, value any) ([]string, error) {
	if name == "" || strings.ContainsAny(name, "='/") || ascii(name) != name || strings.TrimSpace(name) != name || len(name) > 50 {
		return nil, errkind.Errorf(formats.ErrType, "no name for a card of FITS, which has up to 50 ASCII characters without =, ' and /: rename it")
	}
	switch v := value.(type) {
	case bool:
		if v {
			return []string{valueCard(name, "T")}, nil
		}
		return []string{valueCard(name, "F")}, nil
	case int64:
		return []string{valueCard(name, strconv.FormatInt(v, 10))}, nil
	case uint64:
		return []string{valueCard(name, strconv.FormatUint(v, 10))}, nil
	case float64:
		if text, isNumber := floatText(v); isNumber {
			return []string{valueCard(name, text)}, nil
		} else {
			return textCards(name, text), nil
		}
	case string:
		return textCards(name, v), nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return textCards(name, string(text)), nil
}

// floatText returns a float with a point or an exponent, so that it is not read as an integer. For
// NaN and the infinities it returns their names and false.
func floatText(f float64) (text string, isNumber bool) {
	switch {
	case math.IsNaN(f):
		return "NaN", false
	case math.IsInf(f, 1):
		return "Infinity", false
	case math.IsInf(f, -1):
		return "-Infinity", false
	}
	text = strconv.FormatFloat(f, 'G', -1, 64)
	if !strings.Contains(text, ".") {
		mantissa, exponent, has := strings.Cut(text, "E")
		text = mantissa + ".0"
		if has {
			text += "E" + exponent
		}
	}
	return text, true
}

// keyword returns the beginning of a card with a value. Names that are not valid keywords use the
// HIERARCH convention.
func keyword(name string) string {
	if len(name) <= 8 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == "" && name != "HIERARCH" && name != "CONTINUE" && name != "END" {
		return fmt.Sprintf("%-8s= ", name)
	}
	return "HIERARCH " + name + " = "
}

// valueCard returns a card with a number or a letter. The value ends in column 30 if it fits.
func valueCard(name, text string) string {
	key := keyword(name)
	return fmt.Sprintf("%s%*s", key, max(0, 30-len(key)), text)
}

// textCards returns the card of a string, followed by continuation cards if the string is long.
func textCards(name, text string) (cards []string) {
	text = strings.ReplaceAll(ascii(text), "'", "''")
	start := keyword(name)
	for {
		most := cardBytes - len(start) - 2 // minus the quotes
		if len(text) <= most && !strings.HasSuffix(text, "&") {
			return append(cards, start+fmt.Sprintf("'%-*s'", min(8, most), text))
		}
		n := min(len(text), most-1) // minus the ampersand
		if quotes := len(text[:n]) - len(strings.TrimRight(text[:n], "'")); quotes%2 == 1 && n < len(text) {
			n-- // do not split the two quotes that stand for one
		}
		cards = append(cards, start+"'"+text[:n]+"&'")
		text, start = text[n:], "CONTINUE  "
	}
}

// ascii returns a text in the characters that cards allow. It replaces others by \n, \t or \uXXXX.
func ascii(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String()
}
