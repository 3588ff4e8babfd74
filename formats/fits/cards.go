//go:build fits && cgo

package fits

// #include <fitsio.h>
import "C"

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"drx/formats"
)

// A header maps the keywords of cards to their values; COMMENT and HISTORY map to lists of strings.
type header struct{ values map[string]any }

// perCard is the approximate memory of a card's value, in bytes.
const perCard = 256

// header reads the cards of the current header. budget is the memory left for their values, in
// bytes; header subtracts what they use.
func (f *file) header(budget *int64) (*header, error) {
	var status, n C.int
	C.ffghsp(f.fits, &n, nil, &status)
	if err := check("cards", status); err != nil {
		return nil, err
	}
	if *budget -= int64(n) * perCard; *budget < 0 {
		return nil, fmt.Errorf("%d cards: %w", n, formats.ErrMemory)
	}
	p := cardParser{values: map[string]any{}}
	for i := range int(n) {
		var card [C.FLEN_CARD]C.char
		C.ffgrec(f.fits, C.int(i+1), &card[0], &status)
		if err := check(fmt.Sprintf("card %d", i+1), status); err != nil {
			return nil, err
		}
		p.add(C.GoString(&card[0]))
	}
	p.join()
	return &header{p.values}, nil
}

// structural are the keywords of cards that describe the storage of the data; # stands for any
// number. They do not become attributes. The keywords in compressed are structural only in the
// header of a compressed image.
var structural, compressed = words(`SIMPLE XTENSION BITPIX NAXIS NAXIS# EXTEND BLOCKED PCOUNT GCOUNT GROUPS LONGSTRN CHECKSUM DATASUM`),
	words(`ZIMAGE ZCMPTYPE ZBITPIX ZNAXIS ZNAXIS# ZTILE# ZNAME# ZVAL# ZMASKCMP ZQUANTIZ ZDITHER0 ZSIMPLE ZTENSION ZEXTEND ZBLOCKED
		ZPCOUNT ZGCOUNT ZHECKSUM ZDATASUM ZBLANK ZSCALE ZZERO TFIELDS TTYPE# TFORM# TNULL# TSCAL# TZERO# TUNIT# TDISP# TDIM# THEAP`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// attributes returns the values that become attributes of a variable with elements e. e is nil for
// a header without data.
func (h *header) attributes(e *element) map[string]any {
	attrs := map[string]any{}
	tiled := h.tiled()
	for name, value := range h.values {
		kind := name
		if digits := strings.TrimRight(name, "0123456789"); digits != name {
			kind = digits + "#"
		}
		switch {
		case structural[name] || structural[kind] || tiled && (compressed[name] || compressed[kind]):
		case e != nil && e.flip && (name == "BSCALE" || name == "BZERO"):
		case tiled && name == "EXTNAME" && value == unnamed:
		default:
			attrs[name] = value
		}
	}
	if len(attrs) == 0 && e == nil {
		return nil
	}
	return attrs
}

// unnamed is the EXTNAME that CFITSIO gives to a compressed image without one.
const unnamed = "COMPRESSED_IMAGE"

// tiled reports whether the header is that of a compressed image.
func (h *header) tiled() bool { return h.values["ZIMAGE"] == true }

// number returns the integer value of a card, or -1 if the header has none.
func (h *header) number(name string) int64 {
	if n, ok := h.values[name].(int64); ok {
		return n
	}
	return -1
}

// float returns the numeric value of a card, or otherwise if the header has none.
func (h *header) float(name string, otherwise float64) float64 {
	switch v := h.values[name].(type) {
	case int64:
		return float64(v)
	case uint64: // BZERO of 2^63
		return float64(v)
	case float64:
		return v
	}
	return otherwise
}

// conventional maps the names of NetCDF and CF attributes in upper case to their usual spelling:
// CFITSIO writes all keywords in upper case.
var conventional = func() map[string]string {
	names := map[string]string{}
	for name := range words(`_FillValue missing_value scale_factor add_offset units long_name standard_name calendar axis positive bounds
		valid_min valid_max valid_range flag_values flag_masks flag_meanings cell_methods coordinates grid_mapping Conventions
		title history institution source references comment`) {
		names[strings.ToUpper(name)] = name
	}
	return names
}()

// A cardParser collects the values of cards.
type cardParser struct {
	values map[string]any
	long   string   // the keyword of a string that the next card may continue; "" if none
	pieces []string // pieces of that string, if several cards hold it
}

// add adds a card whose trailing spaces were removed.
func (p *cardParser) add(card string) {
	name, text := strings.TrimRight(card[:min(8, len(card))], " "), card[min(8, len(card)):]
	if name == "CONTINUE" && p.long != "" {
		p.goOn(text)
		return
	}
	p.join()
	switch {
	case name == "HIERARCH":
		if left, right, ok := strings.Cut(text, "="); ok {
			name = strings.TrimSpace(left)
			if cf, ok := conventional[name]; ok {
				name = cf
			}
			p.set(name, right)
			return
		}
	case strings.HasPrefix(text, "=") && name != "" && name != "COMMENT" && name != "HISTORY":
		p.set(name, text[1:])
		return
	}
	p.comment(name, text)
}

// comment adds a card without a value.
func (p *cardParser) comment(name, text string) {
	if name != "HISTORY" {
		if text = strings.TrimRight(text, " "); text == "" || isBoilerplate(text) {
			return
		}
		if name != "" && name != "COMMENT" {
			text = name + text
		}
		name = "COMMENT"
	}
	lines, _ := p.values[name].([]any)
	p.values[name] = append(lines, formats.Text(strings.TrimRight(text, " ")))
}

// isBoilerplate reports whether CFITSIO writes this comment into every file.
func isBoilerplate(text string) bool {
	return strings.HasPrefix(text, "  FITS (Flexible Image Transport System) format is") || strings.HasPrefix(text, "  and Astrophysics', volume 376, page 359")
}

// set adds a value. If several cards have the same keyword the first counts, as in CFITSIO.
func (p *cardParser) set(name, text string) {
	name = formats.Text(name)
	if _, twice := p.values[name]; twice || name == "" {
		return
	}
	value := cardValue(text)
	if s, ok := value.(string); ok && strings.HasSuffix(s, "&") {
		p.long = name
	}
	p.values[name] = value
}

// goOn appends a piece to a string that ends with an ampersand.
func (p *cardParser) goOn(text string) {
	more, ok := cardValue(text).(string)
	if !ok {
		p.join()
		return
	}
	if p.pieces == nil {
		first, _ := p.values[p.long].(string)
		p.pieces = []string{first}
	}
	last := &p.pieces[len(p.pieces)-1]
	*last = strings.TrimSuffix(*last, "&")
	p.pieces = append(p.pieces, more)
	if !strings.HasSuffix(more, "&") {
		p.join()
	}
}

// join ends a string that several cards hold. It joins all pieces at once, because a string may
// have very many of them, and appending one by one would take quadratic time.
func (p *cardParser) join() {
	if p.pieces != nil {
		p.values[p.long] = strings.Join(p.pieces, "")
	}
	p.long, p.pieces = "", nil
}

// cardValue returns the value in the text after the keyword: a string, a bool, an integer, a float,
// or a list of two numbers for a complex value. A card without a value gives the empty string. Any
// other text becomes a string unchanged.
func cardValue(text string) any {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "'") {
		return quoted(text[1:])
	}
	text, _, _ = strings.Cut(text, "/")
	text = strings.TrimSpace(text)
	switch text {
	case "T":
		return true
	case "F":
		return false
	case "":
		return ""
	}
	if inner, ok := strings.CutPrefix(text, "("); ok {
		re, im, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		a, b := cardNumber(strings.TrimSpace(re)), cardNumber(strings.TrimSpace(im))
		if a != nil && b != nil {
			return []any{a, b}
		}
	}
	if n := cardNumber(text); n != nil {
		return n
	}
	return formats.Text(text)
}

// quoted returns the string in s, which begins after the opening quote. Two quotes in it stand for
// one, and trailing spaces do not count.
func quoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' {
			if i+1 == len(s) || s[i+1] != '\'' {
				break
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return formats.Text(strings.TrimRight(b.String(), " "))
}

// cardNumber returns the number in a text, or nil if the text is not a number.
func cardNumber(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	if strings.Trim(text, "+-.0123456789EDed") != "" {
		return nil
	}
	f, err := strconv.ParseFloat(strings.NewReplacer("D", "E", "d", "e").Replace(text), 64)
	if err != nil || math.IsInf(f, 0) {
		return nil
	}
	return f
}
