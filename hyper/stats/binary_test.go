package stats_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"testing"

	"drx/hyper/stats"
)

var update = flag.Bool("update", false, "write testdata/moments.golden")

// golden returns moments of floats, which have several planes.
func golden(t testing.TB) *stats.Moments {
	f := newField(rand.New(rand.NewPCG(1, 8)), block(-3, 30, -40, 70), 2, false)
	c := f.cube(t, 2)
	return must(stats.Sum(t.Context(), c, stats.Spectra, f.all, f.all))
}

// The bytes of moments do not change between versions, and can be read back.
func TestBinaryGolden(t *testing.T) {
	const name = "testdata/moments.golden"
	got := must(golden(t).MarshalBinary())
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, must(os.ReadFile(name))) {
		t.Errorf("the bytes of moments are not those of %s", name)
	}
	var back stats.Moments
	if err := back.UnmarshalBinary(got); err != nil {
		t.Fatal(err)
	}
	if back.Count() != golden(t).Count() || back.Bands() != 2 || !bytes.Equal(must(back.MarshalBinary()), got) {
		t.Error("other moments are read back")
	}
}

func TestBinaryRefusesDamage(t *testing.T) {
	data := must(golden(t).MarshalBinary())
	var m stats.Moments
	for i := range data {
		wrong := bytes.Clone(data)
		wrong[i] ^= 1
		if m.UnmarshalBinary(wrong) == nil {
			t.Fatalf("accepted with byte %d changed", i)
		}
		if m.UnmarshalBinary(data[:i]) == nil {
			t.Fatalf("accepted with %d bytes", i)
		}
	}
	// Bands, planes, count, and an infinite first number.
	for at, v := range map[int]uint32{8: 0, 12: 0, 20: 1 << 31, 24 + 4: 0x7ff00000} {
		wrong := bytes.Clone(data)
		binary.LittleEndian.PutUint32(wrong[at:], v)
		if m.UnmarshalBinary(sealed(wrong)) == nil {
			t.Errorf("accepted with %d at byte %d", v, at)
		}
	}
}

// sealed corrects the checksum of bytes.
func sealed(data []byte) []byte {
	end := len(data) - 4
	binary.LittleEndian.PutUint32(data[end:], crc32.Checksum(data[:end], crc32.MakeTable(crc32.Castagnoli)))
	return data
}

// Accepted bytes are written and read back identically.
func FuzzUnmarshalBinary(f *testing.F) {
	f.Add(must(stats.New(1).MarshalBinary()))
	f.Add(must(os.ReadFile("testdata/moments.golden")))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m, back stats.Moments
		if len(data) < 28 || m.UnmarshalBinary(sealed(bytes.Clone(data))) != nil {
			return
		}
		text := must(m.MarshalBinary())
		if err := back.UnmarshalBinary(text); err != nil || !bytes.Equal(must(back.MarshalBinary()), text) {
			t.Fatalf("written otherwise, error %v", err)
		}
	})
}
