package pexta

// Fault begins a request on an array that calls f in the background, local.
func (s *Session) Fault(h Handle, f func() error) (Request, error) {
	a, err := s.array("fault", h)
	if err != nil {
		return 0, err
	}
	r := &request{patch: &patch{array: a}, op: "fault", running: 1}
	s.area.Start(nil, f, func(err error) {
		r.running--
		r.fail(err)
	})
	return s.begin(r), nil
}
