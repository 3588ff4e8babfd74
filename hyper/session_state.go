package hyper

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"drx/dtype"
	"drx/hyper/derived"
	"drx/hyper/endmember"
	"drx/hyper/scene"
)

// stateVersion is the version of the head.
const stateVersion = 1

// A head is the small part of the state, which each commit rewrites.
type head struct {
	Version  int             `json:"version"`
	Settings json.RawMessage `json:"settings"` // the settings that must not change
	Update   int             `json:"update"`   // number of the last update, from 1
	Commits  int             `json:"commits"`  // commits of the cube at that time
	History  uint32          `json:"history"`  // checksum of their changes
	Bounds   scene.Block     `json:"bounds"`   // of the cube at the last update
	Bands    [2]int          `json:"bands"`    // low and high bound
	Masked   uint64          `json:"masked"`   // checksum of the mask
	// Key is a checksum of the spectra of the abundances, "" if there are none.
	Key  string `json:"key,omitempty"`
	Mark string `json:"mark,omitempty"` // of the abundances; they have it as an attribute
}

// settings are the options that must agree with the state.
type settings struct {
	Cube      string   `json:"cube"` // element type, chunks and dimensions
	BadBands  []int    `json:"bad_bands"`
	Saturated float64  `json:"saturated"`
	KeepZero  bool     `json:"keep_zero"`
	NoData    *float64 `json:"no_data"`
	Noise     bool     `json:"noise"`
}

func (s *Session) settings() json.RawMessage {
	o := s.o.Scene
	// JSON has no such numbers. Pixels with them are unusable in any case.
	if o.NoData != nil && !finite(*o.NoData) {
		o.NoData = nil
	}
	if !finite(o.Saturated) {
		o.Saturated = 0
	}
	bad := slices.Clone(o.BadBands)
	slices.Sort(bad)
	text, _ := json.Marshal(settings{ // no error: numbers and strings
		Cube:     fmt.Sprint(s.a.DType(), s.a.ChunkShape(), s.dims),
		BadBands: slices.Compact(bad), Saturated: o.Saturated, KeepZero: o.KeepZero, NoData: o.NoData, Noise: s.o.Noise,
	})
	return text
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// load reads the results of the last commit. Other procs receive them from proc 0.
func (s *Session) load() error {
	s.head, s.moments, s.found, s.report, s.cube = head{}, nil, make([]keptSearch, len(s.o.Searches)), nil, nil
	text, err := s.get("head")
	if err != nil {
		return err
	}
	if text == nil {
		s.head = head{Version: stateVersion, Settings: s.settings()}
		return nil
	}
	if err := json.Unmarshal(text, &s.head); err != nil {
		return fmt.Errorf("%s: the state is damaged: %w", s.o.State, err)
	}
	if err := s.agree("check of the state", s.checkHead()); err != nil {
		return err
	}
	for i, x := range s.o.Searches {
		text, err := s.get(x.key())
		if err != nil {
			return err
		}
		if text == nil {
			continue
		}
		f, update, err := x.decode(text)
		if err != nil {
			return fmt.Errorf("%s: the state of search %d is damaged: %w", s.o.State, i, err)
		}
		if update == s.head.Update { // otherwise it was without this search
			s.found[i] = f
		}
	}
	return nil
}

// get returns the value of a name in the state, on all procs.
func (s *Session) get(name string) ([]byte, error) {
	var data []byte
	var err error
	if s.store != nil {
		data, err = s.store.Get(name)
	}
	if s.o.Comm == nil {
		return data, err
	}
	if err := s.agree("state "+name, err); err != nil {
		return nil, err
	}
	parts, err := s.o.Comm.AllGather(data)
	if err != nil || len(parts[0]) == 0 {
		return nil, err
	}
	return parts[0], nil
}

// checkHead returns an error if the state does not belong to the cube or to the options.
func (s *Session) checkHead() error {
	name := s.o.State
	if s.head.Version != stateVersion {
		return fmt.Errorf("%s: a state of version %d; this program knows version %d", name, s.head.Version, stateVersion)
	}
	if own := s.settings(); string(own) != string(s.head.Settings) {
		return fmt.Errorf("%s: the state was made with other options, or for another cube: %s, now %s; give these, another state, or begin anew", name, s.head.Settings, own)
	}
	changes, err := s.a.History()
	if err != nil {
		return err
	}
	if last := changes[len(changes)-1].Commit; last < s.head.Commits {
		return fmt.Errorf("%s: the state is of %s after commit %d; this cube has %d commits: it is older, or was replaced; give another state, or begin anew",
			name, s.a.Name(), s.head.Commits, last)
	}
	if historyOf(changes, s.head.Commits) != s.head.History {
		return fmt.Errorf("%s: the state is of another cube than %s, or of one that was compacted since: its first %d commits differ; give another state, or begin anew",
			name, s.a.Name(), s.head.Commits)
	}
	if m := s.masked(s.head.Bounds); m != s.head.Masked {
		return fmt.Errorf("%s: the state was made with another mask: give that one, another state, or begin anew", name)
	}
	return nil
}

// masked returns a checksum of the mask within a block. Checksums of disjoint blocks add up.
func (s *Session) masked(b scene.Block) uint64 {
	if s.o.Scene.Masked == nil {
		return 0
	}
	sum := uint64(0)
	for i := range b.Pixels() {
		if p := b.At(i); s.o.Scene.Masked(p) {
			// The constants are those of SplitMix64.
			z := uint64(p.Line)*0x9e3779b97f4a7c15 ^ (uint64(p.Sample)+0x632be59bd9b4e019)*0xbf58476d1ce4e5b9
			z = (z ^ z>>30) * 0x94d049bb133111eb
			sum += z ^ z>>31
		}
	}
	return sum
}

// A savedSearch is the stored form of a search. M is a method or its text.
type savedSearch[M any] struct {
	Update     int                 `json:"update"` // the last update that included it
	Method     M                   `json:"method,omitempty"`
	Projection *derived.Projection `json:"projection,omitempty"`
	Problem    string              `json:"problem,omitempty"`
}

// decode returns a stored search, and the update that it belongs to.
func (x Search) decode(text []byte) (f keptSearch, update int, err error) {
	var saved savedSearch[json.RawMessage]
	if err := json.Unmarshal(text, &saved); err != nil {
		return keptSearch{}, 0, err
	}
	f = keptSearch{projection: saved.Projection, problem: saved.Problem, text: text}
	if saved.Method != nil {
		f.method = x.fresh(nil)
		err = json.Unmarshal(saved.Method, f.method)
	}
	return f, saved.Update, err
}

// encode sets the text of a search for an update. The error means that a number is not finite.
func (f *keptSearch) encode(update int) error {
	saved := savedSearch[endmember.Method]{Update: update, Method: f.method, Projection: f.projection, Problem: f.problem}
	var err error
	f.text, err = json.Marshal(saved)
	return err
}

// commit stores the head, the searches and the versions of chunks, and makes the state durable.
func (s *Session) commit(versions []uint64) error {
	if s.store == nil {
		return nil
	}
	data := make([]byte, 0, 8*len(versions))
	for _, v := range versions {
		data = binary.LittleEndian.AppendUint64(data, v)
	}
	if err := s.store.Put("versions", data); err != nil {
		return err
	}
	return s.commitSearches()
}

// commitSearches is commit without the versions.
func (s *Session) commitSearches() error {
	if s.store == nil {
		return nil
	}
	for i, x := range s.o.Searches {
		if s.found[i].text == nil {
			continue
		}
		if err := s.store.Put(x.key(), s.found[i].text); err != nil {
			return err
		}
	}
	text, err := json.Marshal(s.head)
	if err == nil {
		err = s.store.Put("head", text)
	}
	if err == nil {
		err = s.reached("before the commit")
	}
	if err != nil {
		return err
	}
	return s.store.Commit()
}

// versions returns the versions of the chunks at the last commit.
func (s *Session) versions() ([]uint64, error) {
	data, err := s.store.Get("versions")
	list := make([]uint64, len(data)/8)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return list, err
}

// reached calls the step function of tests.
func (s *Session) reached(what string) error {
	if s.o.step == nil {
		return nil
	}
	return s.o.step(what)
}

// checksumOf returns a checksum of spectra.
func checksumOf(text string, spectra [][]float64) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	c := uint32(0)
	for _, x := range spectra {
		sum = crc32.Update(sum, crc32.IEEETable, dtype.Bytes(x))
		c = crc32.Update(c, crc32.MakeTable(crc32.Castagnoli), dtype.Bytes(x))
	}
	return fmt.Sprintf("%08x%08x", sum, c)
}
