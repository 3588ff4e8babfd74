package drxmp

import "drx/nd"

// FillZone sets the elements of a section that lie in the zone of this proc to value, which is one
// little-endian element; a nil section is the whole array. So a section is filled if all procs call
// it. It is not collective: other procs see the elements after the next Sync or WriteAll. Chunks
// that were never written remain so if value is the array's fill value. The error wraps
// drx.ErrRank, ErrBounds, ErrSize, ErrReadOnly or ErrClosed.
func (a *Array) FillZone(sec nd.Section, value []byte) error {
	a.mu.RLock()
	defer a.mu.RUnlock()
	err := a.usable(true)
	if err == nil {
		sec, err = sec.Resolve(a.member.array.Bounds().Bounds())
	}
	if err != nil {
		return a.errorf("fill", err)
	}
	a.engineWrites.RLock()
	defer a.engineWrites.RUnlock()
	for _, p := range a.zone().parts(sec) {
		if err := a.member.array.FillBytes(p.sec, value); err != nil {
			return err
		}
	}
	return nil
}
