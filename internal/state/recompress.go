package state

import "fmt"

// Recompression describes a change of the codec that is not finished: chunks of commits up to After
// may have frames of earlier codecs.
type Recompression struct{ After int64 }

// HasFrames reports whether the array has, or has had, a codec.
func (s *State) HasFrames() bool { return !s.Codec.IsNone() || s.Recompressed }

// recompress returns the state with a new codec, used from the next write on.
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

// endRecompression returns the state after the last frame of another codec was replaced.
func (s *State) endRecompression(codec string) (*State, error) {
	if s.Recompressing == nil || codec != s.Codec.String() {
		return nil, fmt.Errorf("the end of a recompression to %q, which has not begun: %w", codec, ErrCorrupt)
	}
	next, f := *s, *s.Form
	f.Recompressing = nil
	next.Form = &f
	return &next, nil
}
