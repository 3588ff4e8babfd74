// Package result defines the JSON of results that several commands print. docs/JSON.md describes
// them.
package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"drx"
	"drx/dtype"
	"drx/nd"
	"drx/relayout"
)

// Print writes a value as one line of JSON. It escapes characters that are not printable, because
// encoding/json leaves some of them unescaped that a terminal interprets.
func Print(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	text := strings.TrimSuffix(b.String(), "\n")
	b.Reset()
	for _, r := range text { // unprintable characters occur only inside strings
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// A Float is a floating-point number. As JSON it is a number, or "NaN", "Infinity" or "-Infinity".
type Float float64

// MarshalJSON encodes the number as elements of arrays are encoded.
func (f Float) MarshalJSON() ([]byte, error) {
	b, err := dtype.Float64.EncodeValue(float64(f))
	if err != nil {
		return nil, err
	}
	return dtype.Float64.ToJSON(b), nil
}

// A Section names a section of an array and has the bounds of the section.
type Section struct {
	Name    string `json:"name"`
	Section string `json:"section"`
	Lo      []int  `json:"lo"`
	Hi      []int  `json:"hi"`
}

// Written lists the sections written to a dataset: the result of drx write.
type Written struct {
	Name string    `json:"name"`
	Vars []Section `json:"variables"`
}

// NewSection returns a resolved section of the array with the given name.
func NewSection(name string, sec nd.Section) Section {
	s := Section{Name: name, Section: sec.String()}
	for _, r := range sec {
		s.Lo, s.Hi = append(s.Lo, r.Lo), append(s.Hi, r.Hi)
	}
	return s
}

// A Fill is the result of fill.
type Fill struct {
	Section
	Value json.RawMessage `json:"value"`
	Text  string          `json:"-"` // the value for people
}

// A Verify is the report of verify.
type Verify struct {
	Name      string       `json:"name"`
	Chunks    int64        `json:"chunks"`
	Written   int64        `json:"written"`
	Damaged   []drx.Damage `json:"damaged"`
	LogDamage string       `json:"log_damage,omitempty"`
}

// NewVerify returns the report on the array with the given name.
func NewVerify(name string, r drx.VerifyReport) Verify {
	v := Verify{Name: name, Chunks: r.Chunks, Written: r.Written, Damaged: append([]drx.Damage{}, r.Damaged...)}
	if r.LogDamage != nil {
		v.LogDamage = oneLine(r.LogDamage)
	}
	return v
}

// A Copy describes a copy that was made, or would be made.
type Copy struct {
	Name    string `json:"name"`
	State   string `json:"state"` // one of the states below
	Passes  []Pass `json:"passes"`
	Planned Cost   `json:"planned"`
	Copied  *Done  `json:"copied,omitempty"` // nil unless something was copied
}

// The states of a Copy. Complete means that there was nothing to resume.
const (
	Planned  = "planned"
	Copied   = "copied"
	Complete = "complete"
)

// A Pass is a pass of a copy as it is planned.
type Pass struct {
	FromChunk []int `json:"from_chunk"`
	Chunk     []int `json:"chunk"`
	Template  []int `json:"template"`
	Planned   Cost  `json:"planned"`
}

// A Cost counts the chunks and bytes that a copy reads and writes, and the bytes of its buffers.
type Cost struct {
	Reads        int64 `json:"reads"`
	Writes       int64 `json:"writes"`
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
	BytesMemory  int64 `json:"bytes_memory"`
}

// A Done counts what a copy has moved.
type Done struct {
	Cost
	BytesSkipped int64   `json:"bytes_skipped"` // copied before an interruption
	Seconds      float64 `json:"seconds"`
}

// NewCost returns a cost with the bytes of the buffers.
func NewCost(c relayout.Cost, memory int64) Cost {
	return Cost{c.Reads, c.Writes, c.BytesRead, c.BytesWritten, memory}
}

// NewCopy returns the result of a copy to the array with the given name. passes are the passes of
// the plan, none if the copy is complete.
func NewCopy(name, state string, planned Cost, passes ...relayout.Pass) Copy {
	c := Copy{Name: drx.BaseName(name), State: state, Passes: []Pass{}, Planned: planned}
	for _, p := range passes {
		c.Passes = append(c.Passes, Pass{p.Source.ChunkShape, p.Target.ChunkShape, p.Template, NewCost(p.Cost, p.PeakMemory)})
	}
	return c
}

// Done returns the result with the counts of the finished copy.
func (c Copy) Done(s relayout.Stats) Copy {
	c.Copied = &Done{NewCost(s.Cost, s.PeakMemory), s.Skipped.Bytes(), s.Elapsed.Seconds()}
	return c
}
