package capi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"time"

	"drx"
	"drx/dataset/meaning"
	"drx/dtype"
	"drx/internal/errkind"
	"drx/nd"
	"drx/relayout"
)

// A Mode is how an array is opened: the constants DRX_READ, DRX_WRITE and DRX_SHARED of drx.h.
type Mode int32

// The modes.
const (
	ModeRead Mode = iota
	ModeWrite
	ModeShared
)

// openOptions are the options of drx_open, as JSON.
type openOptions struct {
	Cache      int64  `json:"cache"`
	Goroutines int    `json:"goroutines"`
	Durability string `json:"durability"`
	Checking   string `json:"checking"`
	Incomplete bool   `json:"incomplete"`
}

// localOptions are the options of drx_dataset_open: the options of drx_open, and some that arrays
// of several processes lack.
type localOptions struct {
	openOptions
	Clip  bool    `json:"clip"`
	Round bool    `json:"round"`
	Wait  float64 `json:"wait"`
}

// storing says how elements are stored in an array.
type storing struct {
	clip  bool // see array.clip
	round bool // see array.round
}

func (o localOptions) stores() storing { return storing{o.Clip, o.Round} }

// local returns the options for drx.Open, including those that arrays of several processes lack.
func (o localOptions) local(mode Mode) (drx.Options, error) {
	r, err := o.options(mode)
	if err == nil && !(o.Wait >= 0) {
		err = invalidf("option wait %v: the seconds to wait for a lock, at least 0", o.Wait)
	}
	r.Wait = time.Duration(min(o.Wait, math.MaxInt32) * float64(time.Second))
	return r, err
}

// versionOptions are the options of drx_open, including the one that datasets do not have.
type versionOptions struct {
	localOptions
	Commit *commitOption `json:"commit"`
}

// A commitOption is a commit as a number, or as the text of a drx.Snapshot.
type commitOption struct {
	number   int
	snapshot *drx.Snapshot // nil for a number
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *commitOption) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return json.Unmarshal(raw, &c.number)
	}
	s, err := drx.ParseSnapshot(text)
	c.snapshot = &s
	return err
}

// open opens an array as it was after the commit.
func (c *commitOption) open(name string, o drx.Options) (*drx.Array, error) {
	if c.snapshot != nil {
		return drx.OpenSnapshot(name, *c.snapshot, o)
	}
	return drx.OpenAt(name, c.number, o)
}

// specOptions are the options of drx_create that describe the array.
type specOptions struct {
	Lo     []int                      `json:"lo"`
	Chunk  []int                      `json:"chunk"`
	Order  string                     `json:"order"`
	Fill   json.RawMessage            `json:"fill"`
	Dims   []string                   `json:"dims"`
	Align  int                        `json:"align"`
	Codec  string                     `json:"codec"`
	Attrs  map[string]json.RawMessage `json:"attrs"`
	Source string                     `json:"source"`
}

// variableOptions are the options of drx_dataset_create_variable.
type variableOptions struct {
	specOptions
	roundingOptions
	Pending bool `json:"pending"`
}

// createOptions are the options of drx_create.
type createOptions struct {
	openOptions
	specOptions
}

// copyOptions are the options of drx_relayout.
type copyOptions struct {
	Order   []int  `json:"order"`
	Lo      []int  `json:"lo"`
	Hi      []int  `json:"hi"`
	Memory  int64  `json:"memory"`
	Clip    bool   `json:"clip"`
	Resume  bool   `json:"resume"`
	TempDir string `json:"tempdir"`
	roundingOptions
}

// parseOptions decodes options into the struct that o points to. Empty text changes nothing. The
// error wraps ErrInvalid; an unknown option is an error, since it may be a typing mistake.
func parseOptions(text string, o any) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	err := decode([]byte(text), o)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		name := wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:]
		return invalidf("option %s: want %s, not %s", name, wanted(wrong.Type), wrong.Value)
	}
	if err != nil {
		return invalidf("options: %v", err)
	}
	return checkRounding(text)
}

// wanted describes the values of an option of a type, for errors.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a number"
}

// decode decodes one JSON value. Fields that v does not have are an error.
func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return err
		}
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is more text after the JSON value")
	}
	return nil
}

// durabilities and checkings are the values of two options.
var (
	durabilities = map[string]drx.Durability{
		"": drx.DurabilityFull, "full": drx.DurabilityFull, "nojournal": drx.DurabilityNoJournal, "none": drx.DurabilityNone,
	}
	checkings = map[string]drx.Checking{
		"": drx.CheckFirst, "first": drx.CheckFirst, "always": drx.CheckAlways, "never": drx.CheckNever,
	}
)

// options returns the options for drx.Open. The error wraps ErrInvalid.
func (o openOptions) options(mode Mode) (drx.Options, error) {
	r := drx.Options{
		Write: mode == ModeWrite, Shared: mode == ModeShared,
		Cache: o.Cache, Goroutines: o.Goroutines, Incomplete: o.Incomplete,
	}
	var ok1, ok2 bool
	r.Durability, ok1 = durabilities[o.Durability]
	r.Checking, ok2 = checkings[o.Checking]
	switch {
	case mode < ModeRead || mode > ModeShared:
		return r, invalidf("mode %d: DRX_READ, DRX_WRITE and DRX_SHARED are 0, 1 and 2", mode)
	case !ok1:
		return r, invalidf("option durability %q: full, nojournal or none", o.Durability)
	case !ok2:
		return r, invalidf("option checking %q: first, always or never", o.Checking)
	case o.Cache < 0:
		return r, invalidf("option cache %d: at least 0", o.Cache)
	case o.Goroutines < 0:
		return r, invalidf("option goroutines %d: at least 0", o.Goroutines)
	}
	return r, nil
}

// spec returns the spec of a new array. A nil shape stands for the shape of a dataset's dimensions.
// The error wraps drx.ErrDType for a wrong type or fill value.
func (o specOptions) spec(t dtype.DType, shape []int) (drx.Spec, error) {
	s := drx.Spec{
		DType: t, Shape: shape, Lo: o.Lo, ChunkShape: o.Chunk, Order: drx.ElementOrder(o.Order), Dims: o.Dims,
		Align: o.Align, Codec: o.Codec, Source: o.Source,
	}
	if !t.Valid() {
		return s, errkind.Errorf(drx.ErrDType, "type %d: types are 1 to %d", t, len(dtype.All()))
	}
	if len(o.Fill) > 0 && string(o.Fill) != "null" {
		b, err := t.FromJSON(o.Fill)
		if err != nil {
			return s, fmt.Errorf("option fill: %w", err)
		}
		s.FillValue = t.Format(b)
	}
	if len(o.Attrs) > 0 {
		s.Attrs = map[string]any{}
		for name, v := range o.Attrs {
			s.Attrs[name] = v
		}
	}
	return s, nil
}

// options returns the options for relayout.Copy. The error wraps ErrInvalid or drx.ErrRank.
func (o copyOptions) options(src *drx.Array) (relayout.Options, error) {
	r := relayout.Options{Order: o.Order, Memory: o.Memory, Clip: o.Clip, Resume: o.Resume, TempDir: o.TempDir}
	if o.Memory < 0 {
		return r, invalidf("option memory %d: at least 0", o.Memory)
	}
	var err error
	if r.Rounding, err = meaning.RoundTo(o.Digits, o.Bits); err != nil {
		return r, err
	}
	if o.Lo == nil && o.Hi == nil {
		return r, nil
	}
	sec := src.Bounds()
	for what, list := range map[string][]int{"option lo": o.Lo, "option hi": o.Hi} {
		if list != nil {
			if err := nd.CheckRank(what, len(list), len(sec)); err != nil {
				return r, err
			}
		}
	}
	for d := range sec {
		if o.Lo != nil {
			sec[d].Lo = o.Lo[d]
		}
		if o.Hi != nil {
			sec[d].Hi = o.Hi[d]
		}
	}
	r.Section = sec
	return r, nil
}
