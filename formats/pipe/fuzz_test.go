package pipe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// conversation returns the packets that the function write writes.
func conversation(t testing.TB, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// FuzzServe sends requests of any kind to the helper's side. It must end with an error, or at the
// end of the input.
func FuzzServe(f *testing.F) {
	dir := f.TempDir()
	f.Chdir(dir) // files may be created here
	if err := os.WriteFile("a.npy", []byte("\x93NUMPY\x01\x00\x76\x00"+"{'descr': '<i2', 'fortran_order': False, 'shape': (3, 4)}"+strings.Repeat(" ", 60)+"\n"+strings.Repeat("ab", 12)), 0o600); err != nil {
		f.Fatal(err)
	}
	good := []request{
		{Op: opHello, Memory: 1 << 20},
		{Op: opList, Path: "a.npy"},
		{Op: opOpen, Path: "a.npy"},
		{Op: opRead, ID: 1, Section: [][2]int{{0, 2}, {1, 3}}},
		{Op: opCreate, Path: "b.npy", Content: &content{Vars: []info{{DType: "int8", Shape: []int{2}}}}},
		{Op: opWrite, ID: 2, Section: [][2]int{{0, 2}}, Bytes: 2},
		{Op: opClose, ID: 1},
	}
	var all []byte
	for _, r := range good {
		one := conversation(f, func(w io.Writer) error { return writeText(w, r) })
		if r.Op == opWrite {
			one = append(one, conversation(f, func(w io.Writer) error { return writeData(w, []byte{1, 2}) })...)
		}
		f.Add(one)
		all = append(all, one...)
		f.Add(bytes.Clone(all))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = os.Remove("b.npy")
		in := io.MultiReader(strings.NewReader(preface), bytes.NewReader(data))
		if err := serve(in, io.Discard, func(int64) error { return nil }); err != nil &&
			!errors.Is(err, errProtocol) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v", err)
		}
	})
}

// FuzzAnswer sends answers of any kind to the program's side, for a request for elements and one
// for a description.
func FuzzAnswer(f *testing.F) {
	sent, err := newContent(formats.Content{Vars: []formats.Info{{Name: "v", DType: dtype.Int16, Shape: []int{2, 3}, Attrs: map[string]any{"a": 1.5}}}})
	if err != nil {
		f.Fatal(err)
	}
	beat := conversation(f, func(w io.Writer) error { return writePacket(w, kindBeat, encodeBeat(work{5, 6})) })
	end := conversation(f, func(w io.Writer) error { return writeText(w, answer{}) })
	elements := conversation(f, func(w io.Writer) error { return writeData(w, make([]byte, 12)) })
	f.Add(append(append(bytes.Clone(beat), elements...), end...))
	f.Add(elements)
	f.Add(append(elements[:7:7], end...))
	f.Add(conversation(f, func(w io.Writer) error { return writeText(w, answer{ID: 1, IDs: []int{2}, Content: sent}) }))
	f.Add(conversation(f, func(w io.Writer) error {
		return writeText(w, answer{Error: newFailure(errors.Join(formats.ErrType, nd.ErrRank), "")})
	}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, bytesWanted := range []int{0, 12} {
			p := &process{packets: newInput(bytes.NewReader(data))}
			buf := make([]byte, bytesWanted)
			var receive func(in io.Reader) error
			if bytesWanted > 0 {
				receive = func(in io.Reader) error {
					_, err := io.ReadFull(in, buf)
					return err
				}
			}
			a, err := p.await(newWatch(Timeout, 0, int64(bytesWanted)), bytesWanted, receive)
			if err != nil {
				continue
			}
			c, err := a.Content.decode()
			for _, info := range c.Vars {
				if _, sizeErr := info.Bytes(); err == nil && info.Refused == "" && sizeErr != nil {
					t.Errorf("%+v: %v", info, sizeErr)
				}
			}
		}
	})
}

// A packet beyond its limit, of an unknown kind, or of a wrong length must be refused before memory
// is allocated for it.
func TestWrongFrames(t *testing.T) {
	packet := func(kind byte, length uint32) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, length), kind)
	}
	for name, data := range map[string][]byte{
		"length": packet(kindText, maxPacket+1), "kind": packet('x', 1), "beat": packet(kindBeat, 3), "most": packet(kindData, math.MaxUint32),
	} {
		if _, _, err := readHead(bytes.NewReader(data)); !errors.Is(err, errProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := addText(bytes.NewReader(nil), make([]byte, maxText), 1); !errors.Is(err, errProtocol) {
		t.Errorf("a text beyond its limit: %v", err)
	}
	for text, says := range map[string]string{"DRXPIPE\x00": "version", "HTTP/1.1": "begins with"} {
		if err := readPreface(strings.NewReader(text)); !errors.Is(err, errProtocol) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A long text is sent in several packets.
func TestLongTexts(t *testing.T) {
	want := request{Op: opList, Path: strings.Repeat("x", 3*maxPacket)}
	var b bytes.Buffer
	if err := writeText(&b, want); err != nil {
		t.Fatal(err)
	}
	var text []byte
	for packets := 1; ; packets++ {
		kind, n, err := readHead(&b)
		if err == nil {
			text, err = addText(&b, text, n)
		}
		if err != nil {
			t.Fatal(err)
		}
		if kind == kindText {
			if packets != 4 {
				t.Errorf("%d packets", packets)
			}
			break
		}
	}
	var got request
	if err := parse(text, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, or another request", err)
	}
}

// The magic bytes of formats must fit into the bytes that are compared, and every format must have
// an extension.
func TestKnownFormats(t *testing.T) {
	for _, k := range all {
		for _, magic := range k.magics {
			if len(magic) > formats.HeadSize {
				t.Errorf("%s: %q is longer than what is compared", k.name, magic)
			}
		}
		if len(k.extensions) == 0 || filepath.Ext("a"+k.extensions[0]) != k.extensions[0] {
			t.Errorf("%s: extensions %q", k.name, k.extensions)
		}
	}
}
