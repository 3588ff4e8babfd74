package texttable

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Spreadsheets and Windows write byteOrderMark at the beginning of a text.
const byteOrderMark = '\ufeff'

// Decode returns the text of r as UTF-8, without the byte order mark. Text in UTF-16 is converted
// if it begins with a byte order mark; other text is returned as it is, see CheckText.
func Decode(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 1<<16)
	head, _ := b.Peek(utf8.UTFMax) // the next read returns the error again
	switch {
	case len(head) >= 3 && string(head[:3]) == string(byteOrderMark):
		_, _ = b.Discard(3)
	case len(head) >= 2 && head[0] == 0xff && head[1] == 0xfe:
		return &utf16Reader{in: b, order: binary.LittleEndian}
	case len(head) >= 2 && head[0] == 0xfe && head[1] == 0xff:
		return &utf16Reader{in: b, order: binary.BigEndian}
	}
	return b
}

// A utf16Reader converts UTF-16 to UTF-8. Unpaired surrogates become U+FFFD.
type utf16Reader struct {
	in    *bufio.Reader
	order binary.ByteOrder
	out   []byte // converted and not yet read
	high  rune   // the first of two surrogates; 0 for none
}

// Read implements io.Reader.
func (u *utf16Reader) Read(p []byte) (int, error) {
	var unit [2]byte
	for space := len(p); len(u.out) < space; {
		if _, err := io.ReadFull(u.in, unit[:]); err != nil {
			if len(u.out) > 0 && err == io.EOF {
				break
			}
			if err == io.ErrUnexpectedEOF {
				err = fmt.Errorf("UTF-16 of an odd number of bytes: %w", err)
			}
			return 0, err
		}
		switch r := rune(u.order.Uint16(unit[:])); {
		case r == byteOrderMark:
		case u.high != 0:
			u.out = utf8.AppendRune(u.out, utf16.DecodeRune(u.high, r))
			u.high = 0
		case r >= 0xd800 && r < 0xdc00:
			u.high = r
		default:
			u.out = utf8.AppendRune(u.out, r)
		}
	}
	n := copy(p, u.out)
	u.out = append(u.out[:0], u.out[n:]...)
	return n, nil
}

// CheckText returns an error if a text is not UTF-8. Then it is probably Latin-1, but that cannot
// be detected reliably.
func CheckText(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return fmt.Errorf("%.40q is not UTF-8: if the table is in Latin-1, as older spreadsheets write it, convert it: iconv -f latin1 -t utf-8", text)
}
