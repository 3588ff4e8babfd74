package pipe

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"

	"drx/dtype"
	"drx/formats"
	"drx/nd"
)

// Operations of requests.
const (
	opHello  = "hello"
	opList   = "list"
	opOpen   = "open"
	opRead   = "read"
	opCreate = "create"
	opAppend = "append"
	opWrite  = "write"
	opClose  = "close"

	opReadFrame  = "read frame"
	opAccepts    = "accepts frames"
	opWriteFrame = "write frame"
)

// A request is a message of the program to the helper. Each operation uses some of the fields.
type request struct {
	Op       string     `json:"op"`
	Format   string     `json:"format,omitempty"`
	Path     string     `json:"path,omitempty"`
	Variable string     `json:"variable,omitempty"`
	Memory   int64      `json:"memory,omitempty"`
	Rounded  bool       `json:"rounded,omitempty"`
	ID       int        `json:"id,omitempty"`
	Section  [][2]int   `json:"section,omitempty"`
	Bytes    int        `json:"bytes,omitempty"` // of the D packets that follow
	Chunk    []int      `json:"chunk,omitempty"` // its index in the grid of chunks
	Codec    *codecSpec `json:"codec,omitempty"`
	Content  *content   `json:"content,omitempty"`
}

// An answer is a message of the helper to the program.
type answer struct {
	Error   *failure `json:"error,omitempty"`
	Formats []string `json:"formats,omitempty"`
	ID      int      `json:"id,omitempty"`
	IDs     []int    `json:"ids,omitempty"`
	Content *content `json:"content,omitempty"`
	Spent   bool     `json:"spent,omitempty"`
	Bytes   *int     `json:"bytes,omitempty"` // size of a frame
	Accepts bool     `json:"accepts,omitempty"`
	LeftOut []byte   `json:"left_out,omitempty"`
}

// A content is a formats.Content as it is sent.
type content struct {
	Vars    []info           `json:"vars"`
	Attrs   attrs            `json:"attrs,omitempty"`
	Groups  map[string]attrs `json:"groups,omitempty"`
	Deflate int              `json:"deflate,omitempty"`
	Codec   *codecSpec       `json:"codec,omitempty"`
	Memory  int64            `json:"memory,omitempty"`
}

// attrs are attributes as formats.EncodeAttr writes them.
type attrs map[string]json.RawMessage

// An info is a formats.Info as it is sent. The element type is empty in a variable that is refused.
type info struct {
	Name      string     `json:"name,omitempty"`
	DType     string     `json:"dtype,omitempty"`
	Shape     []int      `json:"shape"`
	Order     []int      `json:"order,omitempty"`
	Dims      []string   `json:"dims,omitempty"`
	Attrs     attrs      `json:"attrs,omitempty"`
	Fill      []byte     `json:"fill,omitempty"`
	Chunk     []int      `json:"chunk,omitempty"`
	Codec     *codecSpec `json:"codec,omitempty"`
	Unlimited []bool     `json:"unlimited,omitempty"`
	Labels    []string   `json:"labels,omitzero"` // empty but not nil: strings that were not read
	Refused   string     `json:"refused,omitempty"`
	Rounded   bool       `json:"rounded,omitempty"`
	Damaged   bool       `json:"damaged,omitempty"`
}

// A codecSpec is a formats.CodecSpec as it is sent, nil for the zero one.
type codecSpec struct {
	Name    string `json:"name"`
	Blosc   string `json:"blosc,omitempty"`
	Level   int    `json:"level,omitempty"`
	Shuffle string `json:"shuffle,omitempty"`
}

func newCodecSpec(c formats.CodecSpec) *codecSpec {
	if c == (formats.CodecSpec{}) {
		return nil
	}
	return (*codecSpec)(&c)
}

// decode returns the codec that was sent; the zero CodecSpec for nil.
func (c *codecSpec) decode() formats.CodecSpec {
	if c == nil {
		return formats.CodecSpec{}
	}
	return formats.CodecSpec(*c)
}

// newContent returns a content to send. The error wraps formats.ErrType for an attribute that
// cannot be sent.
func newContent(c formats.Content) (*content, error) {
	out := &content{Vars: make([]info, len(c.Vars)), Deflate: c.Deflate, Codec: newCodecSpec(c.Codec), Memory: c.Memory}
	var err error
	for i, v := range c.Vars {
		if out.Vars[i], err = newInfo(v); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	if out.Attrs, err = newAttrs(c.Attrs); err != nil {
		return nil, err
	}
	for group, values := range c.Groups {
		if out.Groups == nil {
			out.Groups = map[string]attrs{}
		}
		if out.Groups[group], err = newAttrs(values); err != nil {
			return nil, fmt.Errorf("group %s: %w", group, err)
		}
	}
	return out, nil
}

func newInfo(i formats.Info) (info, error) {
	out := info{
		Name: i.Name, Shape: i.Shape, Order: i.Order, Dims: i.Dims, Fill: i.Fill, Chunk: i.Chunk, Codec: newCodecSpec(i.Codec),
		Unlimited: i.Unlimited, Labels: i.Labels, Refused: i.Refused, Rounded: i.Rounded, Damaged: i.Damaged,
	}
	if i.DType.Valid() {
		out.DType = i.DType.String()
	}
	var err error
	out.Attrs, err = newAttrs(i.Attrs)
	return out, err
}

func newAttrs(values map[string]any) (attrs, error) {
	if values == nil {
		return nil, nil
	}
	out := attrs{}
	for name, v := range values {
		raw, err := formats.EncodeAttr(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		}
		if x := reflect.ValueOf(v); x.IsValid() && x.CanFloat() && raw[0] == '"' {
			raw = fmt.Appendf(nil, `{"float":%s}`, raw) // as a bare text it would arrive as a text
		}
		out[name] = raw
	}
	return out, nil
}

// decode returns the content that was sent, after the checks of info.decode; the zero Content for
// nil.
func (c *content) decode() (out formats.Content, err error) {
	if c == nil {
		return out, fmt.Errorf("%w: no content", errProtocol)
	}
	out = formats.Content{Vars: make([]formats.Info, len(c.Vars)), Deflate: c.Deflate, Codec: c.Codec.decode(), Memory: c.Memory}
	for i, v := range c.Vars {
		if out.Vars[i], err = v.decode(); err != nil {
			return out, fmt.Errorf("%w: variable %q: %w", errProtocol, v.Name, err)
		}
	}
	if out.Attrs, err = c.Attrs.decode(); err != nil {
		return out, err
	}
	for group, values := range c.Groups {
		if out.Groups == nil {
			out.Groups = map[string]map[string]any{}
		}
		if out.Groups[group], err = values.decode(); err != nil {
			return out, err
		}
	}
	return out, nil
}

// float returns the number of {"float": "NaN"}, any other value as it is.
func float(v any) any {
	object, _ := v.(map[string]any)
	text, ok := object["float"].(string)
	x, err := strconv.ParseFloat(text, 64)
	if !ok || len(object) != 1 || err != nil || !math.IsNaN(x) && !math.IsInf(x, 0) {
		return v
	}
	return x
}

func (a attrs) decode() (map[string]any, error) {
	if a == nil {
		return nil, nil
	}
	out := map[string]any{}
	for name, raw := range a {
		v, err := formats.DecodeAttr(raw)
		if err != nil {
			return nil, fmt.Errorf("%w: attribute %q: %w", errProtocol, name, err)
		}
		out[name] = float(v)
	}
	return out, nil
}

// decode returns the Info that was sent, after checks that it is consistent: its lists have the
// length of its rank, its order is a permutation, its size fits an int, and its fill is one
// element. A refused variable is not checked.
func (i info) decode() (formats.Info, error) {
	out := formats.Info{
		Name: i.Name, Shape: i.Shape, Order: i.Order, Dims: i.Dims, Fill: i.Fill, Chunk: i.Chunk, Codec: i.Codec.decode(),
		Unlimited: i.Unlimited, Labels: i.Labels, Refused: i.Refused, Rounded: i.Rounded, Damaged: i.Damaged,
	}
	var err error
	if out.Attrs, err = i.Attrs.decode(); err != nil {
		return out, err
	}
	if i.DType != "" {
		if out.DType, err = dtype.Parse(i.DType); err != nil {
			return out, err
		}
	}
	if i.Refused != "" {
		return out, nil
	}
	return out, checkInfo(out)
}

func checkInfo(i formats.Info) error {
	rank := len(i.Shape)
	for name, n := range map[string]int{"dims": len(i.Dims), "chunk": len(i.Chunk), "unlimited": len(i.Unlimited)} {
		if n != 0 && n != rank {
			return fmt.Errorf("%s: %w", name, nd.CheckRank("values", n, rank))
		}
	}
	if i.Order != nil {
		if err := i.Order.Check(rank); err != nil {
			return err
		}
	}
	if _, err := i.Bytes(); err != nil {
		return err
	}
	if slices.ContainsFunc(i.Chunk, func(n int) bool { return n < 1 }) {
		return fmt.Errorf("chunk %v: extents below 1", i.Chunk)
	}
	if i.Fill != nil && len(i.Fill) != i.DType.Size() {
		return fmt.Errorf("a fill of %d bytes for %v", len(i.Fill), i.DType)
	}
	if i.Labels != nil && i.DType != dtype.Uint8 && i.DType != dtype.Uint16 && i.DType != dtype.Uint32 && i.DType != dtype.Uint64 {
		return errors.New("labels of elements that are no indices")
	}
	return nil
}

// pairs returns a section as it is sent, and section what was sent.
func pairs(sec nd.Section) [][2]int {
	out := make([][2]int, len(sec))
	for d, r := range sec {
		out[d] = [2]int{r.Lo, r.Hi}
	}
	return out
}

func section(pairs [][2]int) nd.Section {
	sec := make(nd.Section, len(pairs))
	for d, p := range pairs {
		sec[d] = nd.Span(p[0], p[1])
	}
	return sec
}
