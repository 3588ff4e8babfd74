package state

import "fmt"

// A Recompression is under way: chunks of commits up to After may have frames of codecs that the
// array had before.
type Recompression struct{ After int64 }

// HasFrames reports whether the array has, or has had, a codec.
func (s *State) HasFrames() bool { return !s.Codec.IsNone() || s.Recompressed }

// recompress returns the state with another codec for what is written from now on.
func (s *State) recompress(r Recompress) (*State, error) {
	spec, err := parseRecordedCodec(r.Codec)
	if err != nil {
		return nil, err
	}
	if r.After < 1 {
		return nil, fmt.Errorf("recompression after commit %d: %w", r.After, ErrCorrupt)
	}
	next, f := *s, *s.Form
	f.Codec, f.Recompressing, f.Recompressed = spec, &Recompression{r.After}, true
	next.Form = &f
	return &next, nil
}

// endRecompression returns the state when no frame of another codec is left.
func (s *State) endRecompression(codec string) (*State, error) {
	if s.Recompressing == nil || codec != s.Codec.String() {
		return nil, fmt.Errorf("the end of a recompression to %q, which has not begun: %w", codec, ErrCorrupt)
	}
	next, f := *s, *s.Form
	f.Recompressing = nil
	next.Form = &f
	return &next, nil
}
