package formattest

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/formats"
	"drx/nd"
)

// Writer tests the writers that create returns, each with a new file, for an array described by
// info. It writes boxes that tile the array, in random order. If the output is a stream, it cuts
// the array along its slowest dimension only and writes the boxes in the order of info. The caller
// then reads the last file and compares it with the result of Writer: all elements, in the order of
// info.
func Writer(t *testing.T, create func() (formats.Writer, error), info formats.Info, isStream bool) (elements []byte) {
	t.Helper()
	size, err := info.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	elements = make([]byte, size)
	for i := range elements {
		elements[i] = byte(i*7+i/251) & 1 // a valid bool as well
	}
	random := rand.New(rand.NewPCG(3, uint64(size)))
	boxes := tiles(random, info, isStream)
	if !isStream {
		random.Shuffle(len(boxes), func(i, j int) { boxes[i], boxes[j] = boxes[j], boxes[i] })
	}
	w := mustCreate(t, create)
	if err := w.WriteSection(nil, make([]byte, size+1)); !errors.Is(err, formats.ErrSize) {
		t.Errorf("a buffer of a byte more: %v", err)
	}
	if isStream {
		checkGaps(t, w, info, boxes)
	}
	mustWrite(t, w, info, elements, boxes[:len(boxes)-1])
	if err := w.Close(); size > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("close before the last section %v: %v", boxes[len(boxes)-1], err)
	}
	w = mustCreate(t, create)
	mustWrite(t, w, info, elements, boxes)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return elements
}

// mustCreate creates a writer.
func mustCreate(t *testing.T, create func() (formats.Writer, error)) formats.Writer {
	t.Helper()
	w, err := create()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// mustWrite writes sections of elements.
func mustWrite(t *testing.T, w formats.Writer, info formats.Info, elements []byte, secs []nd.Section) {
	t.Helper()
	for _, sec := range secs {
		if err := w.WriteSection(sec, Pick(info, elements, sec)); err != nil {
			t.Errorf("section %v of %v: %v", sec, info.Shape, err)
		}
	}
}

// checkGaps checks that a stream cannot begin with its second section, nor with a section that has
// gaps.
func checkGaps(t *testing.T, w formats.Writer, info formats.Info, boxes []nd.Section) {
	t.Helper()
	if len(boxes) < 2 {
		return
	}
	wrong := boxes[1:2:2]
	for d, n := range info.Shape {
		if d != slowest(info) && n > 1 {
			narrow := slices.Clone(boxes[0])
			narrow[slowest(info)].Hi, narrow[d].Hi = info.Shape[slowest(info)], 1
			wrong = append(wrong, narrow)
		}
	}
	for _, sec := range wrong {
		n, _ := formats.Info{DType: info.DType, Shape: sec.Shape()}.Bytes()
		if err := w.WriteSection(sec, make([]byte, n)); n > 0 && !errors.Is(err, formats.ErrOrder) {
			t.Errorf("section %v first: %v", sec, err)
		}
	}
}

// tiles cuts an array into boxes at random positions, with rows along the slowest dimension only.
func tiles(random *rand.Rand, info formats.Info, rows bool) []nd.Section {
	boxes := []nd.Section{nd.Box(make([]int, len(info.Shape)), info.Shape)}
	for d, n := range info.Shape {
		if n < 2 || rows && d != slowest(info) {
			continue
		}
		at := 1 + random.IntN(n-1)
		var cut []nd.Section
		for _, box := range boxes {
			low, high := slices.Clone(box), slices.Clone(box)
			low[d].Hi, high[d].Lo = at, at
			cut = append(cut, low, high)
		}
		boxes = cut
	}
	return boxes
}
