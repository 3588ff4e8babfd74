package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"drx/internal/crc32c"
	"drx/internal/state"
)

// written returns a stream with two arrays.
func written(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, Head{Name: "ds", Several: true})
	for _, name := range []string{".dataset", "g/b"} {
		err = errors.Join(err, w.Array(Array{Name: name, Slot: 100, Chunk: 90, Align: 10, Chunks: 3, Written: 2, Mode: 0o640}))
		for i := range Parts {
			err = errors.Join(err, w.Part(i, 1000), w.Data(10, []byte(name)), w.Data(int64(500+i), []byte{1}))
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readAll describes the contents of a stream, up to the error, which is nil if there is none.
func readAll(r io.Reader) (text string, err error) {
	var b strings.Builder
	p, err := NewReader(r)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%+v", p.Head())
	for {
		a, err := p.Array()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		fmt.Fprintf(&b, "; %+v", a)
		for range Parts {
			fmt.Fprintf(&b, ", part of %d", p.Size())
			for {
				off, data, err := p.Data()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					return b.String(), err
				}
				fmt.Fprintf(&b, " %d:%q", off, data)
			}
		}
	}
}

// What was written is read back, also from a pipe that delivers one byte at a time.
func TestReader(t *testing.T) {
	var want strings.Builder
	want.WriteString("{Version:1 Name:ds Several:true}")
	for _, name := range []string{".dataset", "g/b"} {
		fmt.Fprintf(&want, "; {Name:%s Slot:100 Chunk:90 Align:10 Chunks:3 Written:2 Mode:416}", name)
		for i := range Parts {
			fmt.Fprintf(&want, `, part of 1000 10:%q %d:"\x01"`, name, 500+i)
		}
	}
	for _, r := range []io.Reader{bytes.NewReader(written(t)), iotest.OneByteReader(bytes.NewReader(written(t)))} {
		if text, err := readAll(r); err != nil || text != want.String() {
			t.Errorf("%v, %s, want %s", err, text, &want)
		}
	}
}

// A stream that was cut, has a changed bit or bytes after its end is refused. Before that, the
// reader returns nothing that is not in the intact stream.
func TestReaderRefusesDamage(t *testing.T) {
	whole := written(t)
	want, _ := readAll(bytes.NewReader(whole))
	check := func(what string, b []byte, says string) {
		t.Helper()
		text, err := readAll(bytes.NewReader(b))
		if !errors.Is(err, state.ErrCorrupt) || !strings.Contains(err.Error(), says) || !strings.HasPrefix(want, text) {
			t.Errorf("%s: %v, %s", what, err, text)
		}
	}
	check("empty", nil, "empty")
	check("text", []byte("PK\x03\x04 and so on"), "begins with")
	check("longer", append(bytes.Clone(whole), 0), "follows the end")
	check("twice", append(bytes.Clone(whole), whole...), "follows the end")
	for n := 1; n < len(whole); n++ {
		check(fmt.Sprintf("cut at %d", n), whole[:n], "was cut")
	}
	for i := range 8 * len(whole) {
		b := bytes.Clone(whole)
		b[i/8] ^= 1 << (i % 8)
		check(fmt.Sprintf("bit %d", i), b, "")
	}
}

// records splits a stream into its records, without the checksums.
func records(t testing.TB, stream []byte) (all [][]byte) {
	t.Helper()
	for b := stream[len(magic):]; len(b) > 0; {
		n := headBytes + int(binary.LittleEndian.Uint32(b[4:]))
		all, b = append(all, b[:n]), b[n+sumBytes:]
	}
	return all
}

// joined makes a stream of records, with matching checksums.
func joined(all [][]byte) []byte {
	b, sum := []byte(magic), uint32(0)
	for _, r := range all {
		sum = crc32c.Update(sum, r)
		b = binary.LittleEndian.AppendUint32(append(b, r...), sum)
	}
	return b
}

func newRecord(kind byte, at int64, contents string) []byte {
	r := make([]byte, headBytes, headBytes+len(contents))
	r[0] = kind
	binary.LittleEndian.PutUint32(r[4:], uint32(len(contents)))
	binary.LittleEndian.PutUint64(r[8:], uint64(at))
	return append(r, contents...)
}

// Records that are missing, doubled or exchanged are refused, even with recomputed checksums.
func TestReaderRefusesOrder(t *testing.T) {
	all := records(t, written(t))
	if _, err := readAll(bytes.NewReader(joined(all))); err != nil {
		t.Fatal(err)
	}
	check := func(what string, all [][]byte) {
		t.Helper()
		if text, err := readAll(bytes.NewReader(joined(all))); !errors.Is(err, state.ErrCorrupt) {
			t.Errorf("%s: %v, %s", what, err, text)
		}
	}
	for i := range all {
		check(fmt.Sprintf("without %d", i), append(append([][]byte{}, all[:i]...), all[i+1:]...))
		check(fmt.Sprintf("%d twice", i), append(append([][]byte{}, all[:i+1]...), all[i:]...))
		if i > 0 && i < len(all)-1 {
			other := append([][]byte{}, all...)
			other[i], other[i-1] = other[i-1], other[i]
			check(fmt.Sprintf("%d before %d", i, i-1), other)
		}
	}
}

// Names that lead out of the target, and impossible sizes, are refused.
func TestReaderRefusesArrays(t *testing.T) {
	const one = `{"name":"A","slot":100,"chunk":90,"align":10,"chunks":3,"written":2,"mode":416}`
	stream := func(head, array string) []byte {
		all := [][]byte{newRecord(headKind, 0, head), newRecord(arrayKind, 0, array)}
		for _, p := range parts {
			all = append(all, newRecord(partKind, 5, p))
		}
		return joined(append(all, newRecord(endKind, 0, `{"arrays":1,"bytes":0}`)))
	}
	const head = `{"version":1,"name":"A","several":false}`
	if _, err := readAll(bytes.NewReader(stream(head, one))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "/etc/A", "../A", "a/../../A", "a//b", "a/", "./a", `a\u0000b`} {
		for _, s := range [][]byte{
			stream(strings.Replace(head, `"A"`, `"`+name+`"`, 1), one),
			stream(head, strings.Replace(one, `"A"`, `"`+name+`"`, 1)),
		} {
			if _, err := readAll(bytes.NewReader(s)); !errors.Is(err, state.ErrCorrupt) {
				t.Errorf("name %q: %v", name, err)
			}
		}
	}
	for _, change := range [][2]string{
		{`"slot":100`, `"slot":0`},
		{`"slot":100`, `"slot":-1`},
		{`"slot":100`, `"slot":9223372036854775807`},
		{`"chunk":90`, `"chunk":0`},
		{`"chunk":90`, `"chunk":101`},
		{`"align":10`, `"align":-1`},
		{`"align":10`, `"align":99999999999`},
		{`"written":2`, `"written":4`},
		{`"written":2`, `"written":-1`},
		{`}`, `,"more":1}`},
		{`}`, `} `},
	} {
		if _, err := readAll(bytes.NewReader(stream(head, strings.Replace(one, change[0], change[1], 1)))); !errors.Is(err, state.ErrCorrupt) {
			t.Errorf("%s: %v", change[1], err)
		}
	}
	if _, err := readAll(bytes.NewReader(stream(`{"version":2,"more":[]}`, one))); !errors.Is(err, state.ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

// FuzzReader reads arbitrary records with matching checksums. They must be refused, or be what a
// Writer writes.
func FuzzReader(f *testing.F) {
	f.Add(bytes.Join(records(f, written(f)), nil))
	f.Add([]byte("H"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var all [][]byte
		for len(b) >= headBytes {
			n := headBytes + min(int(b[4])|int(b[5])<<8, len(b)-headBytes)
			all, b = append(all, b[:n]), b[n:]
		}
		stream := joined(all)
		text, err := readAll(bytes.NewReader(stream))
		if err != nil {
			if !errors.Is(err, state.ErrCorrupt) && !errors.Is(err, state.ErrVersion) {
				t.Fatal(err)
			}
			return
		}
		again, err := rewritten(stream)
		if err != nil {
			t.Fatal(err)
		}
		if now, err := readAll(bytes.NewReader(again)); err != nil || now != text {
			t.Fatalf("%v, %s, want %s", err, now, text)
		}
	})
}

// rewritten reads a stream and writes it again.
func rewritten(stream []byte) ([]byte, error) {
	r, err := NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, r.Head())
	for err == nil {
		var a Array
		if a, err = r.Array(); err == nil {
			err = w.Array(a)
		}
		for i := 0; i < Parts && err == nil; i++ {
			err = w.Part(i, r.Size())
			for err == nil {
				var off int64
				var data []byte
				if off, data, err = r.Data(); err == nil {
					err = w.Data(off, data)
				}
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
