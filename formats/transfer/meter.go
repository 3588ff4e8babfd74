package transfer

// A meter reports the progress of an import or an export.
type meter struct {
	report      func(done, total int64) // nil for none
	done, total int64
}

// newMeter begins to report the progress of a part of the work, of total bytes.
func newMeter(report func(done, total int64), total int64) *meter {
	m := &meter{report: report, total: total}
	m.add(0)
	return m
}

// add counts n more bytes as done.
func (m *meter) add(n int) {
	if m.done += int64(n); m.report != nil {
		m.report(m.done, m.total)
	}
}
