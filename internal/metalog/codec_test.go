package metalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"drx/internal/state"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// samples holds records of every kind and the text they are written as.
var samples = []struct {
	record state.Record
	text   string
}{
	{header([]int{2, 3}, 10, 12), `{"drx":1,"dtype":"float64","chunk":[2,3],"order":"row","lo":[0,0],"hi":[10,12],"fill":0}`},
	{state.Record{Header: &state.Header{
		Version: 1, DType: "complex64", Chunk: []int{4}, Order: "col", Lo: []int{-3}, Hi: []int{5},
		Fill: json.RawMessage(`["NaN",1]`), Dims: []string{"y <ü>"}, Align: 4096,
	}}, `{"drx":1,"dtype":"complex64","chunk":[4],"order":"col","lo":[-3],"hi":[5],"fill":["NaN",1],"dims":["y <ü>"],"align":4096}`},
	{state.Record{Header: &state.Header{
		Version: 2, DType: "int16", Chunk: []int{4}, Order: "row", Lo: []int{0}, Hi: []int{5}, Fill: json.RawMessage("0"), Codec: "blosc:zstd:5:shuffle",
	}}, `{"drx":2,"dtype":"int16","chunk":[4],"order":"row","lo":[0],"hi":[5],"fill":0,"codec":"blosc:zstd:5:shuffle"}`},
	{high(1, 3), `{"extend":1,"by":3}`},
	{low(0, math.MaxInt), `{"extend":0,"by":9223372036854775807,"low":true}`},
	{addDim("time"), `{"adddim":"time"}`},
	{addDim(""), `{"adddim":""}`},
	{state.Record{RenameDim: &state.RenameDim{Dim: 1, Name: "lon"}}, `{"renamedim":1,"name":"lon"}`},
	{state.Record{RenameDim: &state.RenameDim{}}, `{"renamedim":0,"name":""}`},
	{setAttr("units", `"K"`), `{"attr":{"units":"K"}}`},
	{setAttr("a", `{"b":[1,null,{"extend":0,"by":1}]}`), `{"attr":{"a":{"b":[1,null,{"extend":0,"by":1}]}}}`},
	{setAttr("nothing", "null"), `{"attr":{"nothing":null}}`},
	{setAttr("\b\f\x01\u2028 \"\\</>&", `"\u003c\u0062"`), `{"attr":{"\b\f\u0001\u2028 \"\\</>&":"\u003c\u0062"}}`},
	{state.Record{Shrink: &state.Shrink{Dim: 2, By: 5, Low: true}}, `{"shrink":2,"by":5,"low":true}`},
	{delAttr("units", "]},{"), `{"delattr":["units","]},{"]}`},
}

func TestEveryKindIsWrittenAndRead(t *testing.T) {
	for _, s := range samples {
		text, err := encodeCommit([]state.Record{s.record})
		if err != nil || string(text) != s.text {
			t.Errorf("written %s, %v, want %s", text, err, s.text)
		}
		wantRecords(t, text, []state.Record{s.record})
	}
}

// decode returns the records of a commit.
func decode(text []byte) (records []state.Record, err error) {
	err = decodeCommit(text, func(r state.Record) error {
		records = append(records, r)
		return nil
	})
	return records, err
}

func wantRecords(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte, want []state.Record,
) {
	t.Helper()
	got, err := decode(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", text, diff)
	}
}

func anyRecord() *rapid.Generator[state.Record] {
	return rapid.Custom(func(t *rapid.T) state.Record {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return state.Record{Extend: &state.Extend{Dim: rapid.Int().Draw(t, "dim"), By: rapid.Int().Draw(t, "by"), Low: rapid.Bool().Draw(t, "low")}}
		case 1:
			return addDim(rapid.String().Draw(t, "name"))
		case 2:
			value, err := json.Marshal(rapid.String().Draw(t, "value"))
			if err != nil {
				t.Fatal(err)
			}
			return setAttr(rapid.String().Draw(t, "name"), string(value))
		case 3:
			return delAttr(rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "names")...)
		}
		return samples[rapid.IntRange(0, len(samples)-1).Draw(t, "sample")].record
	})
}

func TestCommitsOfManyRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(anyRecord(), 1, 8).Draw(t, "records")
		text, err := encodeCommit(records)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(records, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

// sameAsAny reports whether decodeStep accepts a text. If it does, the result must be that of
// decodeAny.
func sameAsAny(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte,
) (accepted bool) {
	t.Helper()
	plain, plainRest, plainOK := decodeAny(text)
	fast, rest, accepted := decodeStep(text)
	if accepted && (!plainOK || !cmp.Equal(fast, plain) || string(rest) != string(plainRest)) {
		t.Fatalf("%.80q: decodeStep gives %+v and %.20q, decodeAny %+v, %.20q and %v", text, fields(fast), rest, plain, plainRest, plainOK)
	}
	return accepted
}

// wantAsWritten checks that records that were read from a text are written as that text.
func wantAsWritten(t interface {
	Helper()
	Errorf(string, ...any)
}, text []byte, records []state.Record,
) {
	t.Helper()
	if again, err := encodeCommit(records); err != nil || !bytes.Equal(again, text) {
		t.Errorf("%.200q is read as what is written %.200q, %v", text, again, err)
	}
}

// A text with a changed byte, or that was cut, is read only if its records are written as that
// text.
func TestOnlyWhatIsWrittenIsRead(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		text, err := encodeCommit(rapid.SliceOfN(anyRecord(), 1, 2).Draw(t, "records"))
		if err != nil {
			t.Fatal(err)
		}
		sameAsAny(t, text)
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		cut := bytes.Clone(text[:at])
		text[at] = rapid.SampledFrom([]byte(`{}[],:"0x \`+"\t\xffAL")).Draw(t, "byte")
		for _, text := range [][]byte{text, cut} {
			sameAsAny(t, text)
			if records, err := decode(text); err == nil {
				accepted++
				wantAsWritten(t, text, records)
			}
		}
	})
	if accepted == 0 {
		t.Error("no text was read")
	}
}

func TestFastDecodingIsTheSameAsAny(t *testing.T) {
	for _, kind := range []string{"extend", "shrink"} {
		accepted := 0
		for _, dim := range []string{"0", "7", "-1", "00", "01", "1.0", "1e1", "", " 1", "null", "9223372036854775807", "9223372036854775808"} {
			for _, by := range []string{"1", "12345", "0", "-3", "05", "2 ", "", "99999999999999999999"} {
				for _, end := range []string{"}", `,"low":true}`, `,"low":false}`, `,"low":true,"x":1}`, `,"low":true`, "", "},{", `,"by":3}`} {
					if sameAsAny(t, fmt.Appendf(nil, `{"%s":%s,"by":%s%s`, kind, dim, by, end)) {
						accepted++
					}
				}
			}
		}
		if want := 3 * 3 * 3; accepted != want {
			t.Errorf("%d texts of kind %s take the fast way, want %d", accepted, kind, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		dim, by, low := rapid.IntMin(0).Draw(t, "dim"), rapid.IntMin(0).Draw(t, "by"), rapid.Bool().Draw(t, "low")
		for _, r := range []state.Record{{Extend: &state.Extend{Dim: dim, By: by, Low: low}}, {Shrink: &state.Shrink{Dim: dim, By: by, Low: low}}} {
			text, err := encodeCommit([]state.Record{r})
			if err != nil {
				t.Fatal(err)
			}
			if !sameAsAny(t, text) {
				t.Fatalf("%s does not take the fast way", text)
			}
			wantRecords(t, text, []state.Record{r})
		}
	})
}

func TestTextsThatAreNoCommit(t *testing.T) {
	for text, want := range map[string]error{
		"":                                       state.ErrCorrupt,
		"null":                                   state.ErrCorrupt,
		"7":                                      state.ErrCorrupt,
		`"extend"`:                               state.ErrCorrupt,
		"{}":                                     state.ErrCorrupt,
		"[]":                                     state.ErrCorrupt,
		"[":                                      state.ErrCorrupt,
		"[[]]":                                   state.ErrCorrupt,
		`[{"extend":0,"by":1}`:                   state.ErrCorrupt,
		`[{"extend":0,"by":1},]`:                 state.ErrCorrupt,
		`[{"extend":0,"by":1}]]`:                 state.ErrCorrupt,
		`[{"extend":0,"by":1}{"adddim":""}]`:     state.ErrCorrupt,
		`{"extend":0,"by":1} `:                   state.ErrCorrupt,
		`{"extend":0,"by":1}{"adddim":"x"}`:      state.ErrCorrupt,
		`{"extend":0,"by":1},{"adddim":"x"}`:     state.ErrCorrupt,
		`{"extend":0,"by":9223372036854775808}`:  state.ErrCorrupt,
		`{"extend":-9223372036854775809,"by":1}`: state.ErrCorrupt,
		`{"extend":0,"by":1.5}`:                  state.ErrCorrupt,
		`{"extend":"0","by":1}`:                  state.ErrCorrupt,
		`{"adddim":7}`:                           state.ErrCorrupt,
		`{"attr":[]}`:                            state.ErrCorrupt,
		`{"delattr":{"a":1}}`:                    state.ErrCorrupt,
		`{"drx":"1"}`:                            state.ErrCorrupt,
		`{"shrink":1,"hi":8}`:                    state.ErrVersion,
		`[{"extend":0,"by":1},{"warp":1}]`:       state.ErrVersion,
		`{"extend":0,"by":1,"fill":true}`:        state.ErrVersion,
		`{"adddim":"x","chunk":4}`:               state.ErrVersion,
		`{"drx":3,"dtype":7}`:                    state.ErrVersion,
		`{"drx":2,"filter":"zstd"}`:              state.ErrVersion,
		`{"drx":3,"codec":"zstd"}`:               state.ErrVersion,

		// Valid JSON, but not exactly as the format has it.
		`{"extend":0,"by":1,"LOW":true}`:                         state.ErrCorrupt,
		`{"extend":0,"BY":1}`:                                    state.ErrCorrupt,
		`{"Extend":0,"by":1}`:                                    state.ErrVersion,
		`{"extend":null,"by":1}`:                                 state.ErrCorrupt,
		`{"extend":0,"by":null}`:                                 state.ErrCorrupt,
		`{"extend":0}`:                                           state.ErrCorrupt,
		`{"by":1,"extend":0}`:                                    state.ErrVersion,
		`{"extend":0,"low":true,"by":1}`:                         state.ErrCorrupt,
		`{"extend":0,"by":1,"low":false}`:                        state.ErrCorrupt,
		`{"extend":0,"by":1,"low":null}`:                         state.ErrCorrupt,
		`{"extend":0,"by":1,"by":1}`:                             state.ErrCorrupt,
		`{"extend":0,"extend":0,"by":1}`:                         state.ErrCorrupt,
		`{"extend":-0,"by":1}`:                                   state.ErrCorrupt,
		`{"extend":0,"by":1e0}`:                                  state.ErrCorrupt,
		` {"extend":0,"by":1}`:                                   state.ErrCorrupt,
		`{ "extend":0,"by":1}`:                                   state.ErrCorrupt,
		`{"extend": 0,"by":1}`:                                   state.ErrCorrupt,
		`[ {"extend":0,"by":1},{"adddim":""}]`:                   state.ErrCorrupt,
		`[{"extend":0,"by":1} ,{"adddim":""}]`:                   state.ErrCorrupt,
		`[{"extend":0,"by":1}, {"adddim":""}]`:                   state.ErrCorrupt,
		`[{"extend":0,"by":1}]`:                                  state.ErrCorrupt,
		`{"\u0065xtend":0,"by":1}`:                               state.ErrCorrupt,
		`{"shrink":1,"by":1,"low":false}`:                        state.ErrCorrupt,
		`{"adddim":null}`:                                        state.ErrCorrupt,
		`{"adddim":"\u0074ime"}`:                                 state.ErrCorrupt,
		"{\"adddim\":\"\xff\"}":                                  state.ErrCorrupt,
		`{"attr":null}`:                                          state.ErrCorrupt,
		`{"attr":{"b":1,"a":2}}`:                                 state.ErrCorrupt,
		`{"attr":{"a":1,"a":2}}`:                                 state.ErrCorrupt,
		`{"attr":{"a": 1}}`:                                      state.ErrCorrupt,
		`{"attr":{"a":[1, 2]}}`:                                  state.ErrCorrupt,
		"{\"attr\":{\"a\":\"\xff\"}}":                            state.ErrCorrupt,
		`{"delattr":null}`:                                       state.ErrCorrupt,
		`{"delattr":[null]}`:                                     state.ErrCorrupt,
		`{"delattr":["a", "b"]}`:                                 state.ErrCorrupt,
		`{"drx":1}`:                                              state.ErrCorrupt,
		samples[0].text[:len(samples[0].text)-1] + `,"align":0}`: state.ErrCorrupt,
		samples[0].text[:len(samples[0].text)-1] + `,"dims":[]}`: state.ErrCorrupt,
		samples[0].text[:len(samples[0].text)-1] + `,"Align":8}`: state.ErrCorrupt,
	} {
		_, err := decode([]byte(text))
		wantError(t, err, want, text)
	}
}
