package pexta

// Fault begins a request on an array that calls f in the background, local.
func (s *Session) Fault(h Handle, f func() error) (Request, error) {
	a, err := s.array("fault", h)
	if err != nil {
		return 0, err
	}
	r := &request{patch: &patch{array: a}, op: "fault", running: 1}
	s.area.Start(nil, &faultJob{r, f})
	return s.begin(r), nil
}

// A faultJob runs the function that is to fail.
type faultJob struct {
	r    *request
	work func() error
}

// Work implements staging.Job.
func (j *faultJob) Work() error { return j.work() }

// End implements staging.Job.
func (j *faultJob) End(err error) {
	j.r.running--
	j.r.fail(err)
}
