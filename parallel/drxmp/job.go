package drxmp

import "drx/nd"

// A job is a section and its elements in memory: the element at position p of the section lies at
// byte sum(p[d]*strides[d]) of buf.
type job struct {
	sec     nd.Section
	buf     []byte
	strides []int
}

// denseJob returns the job of a section whose elements, of elem bytes each, lie in buf row-major.
func denseJob(sec nd.Section, buf []byte, elem int) job {
	strides := nd.RowMajor.Strides(sec.Shape())
	for d := range strides {
		strides[d] *= elem
	}
	return job{sec, buf, strides}
}

// elements returns the total number of elements of jobs.
func elements(jobs []job) int {
	sum := 0
	for _, j := range jobs {
		n, _ := j.sec.Len() // no error: a part of a counted section
		sum += n
	}
	return sum
}
