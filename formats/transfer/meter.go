package transfer

// A meter tells how far an import or an export is.
type meter struct {
	report      func(done, total int64) // nil for none
	done, total int64
}

// newMeter begins to tell how far a part of the work is, of total bytes.
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
