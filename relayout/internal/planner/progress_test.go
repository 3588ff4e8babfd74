package planner

import (
	"encoding/json"
	"testing"

	"drx/nd"
)

// Any position must be refused, or be one from which the pass can resume.
func FuzzPosition(f *testing.F) {
	p, err := NewParallelPlan(Grid{[]int{0, -3}, []int{20, 9}, []int{3, 5}, 4}, Grid{[]int{5, 0}, []int{17, 20}, []int{2, 7}, 4}, nd.Order{1, 0}, 500, 2)
	if err != nil {
		f.Fatal(err)
	}
	pass := &p.Pass
	f.Add([]byte(`{"templates":1}`))
	f.Add([]byte(`{"templates":0,"steps":3}`))
	f.Add([]byte(`{"pass":1,"templates":-1,"steps":99}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d Position
		if json.Unmarshal(raw, &d) != nil || pass.CheckPosition(d) != nil {
			return
		}
		l := pass.ProgressAt(d)
		end := pass.CostOfTemplates(d.Templates + min(d.Steps, 1))
		if c := l.Skipped; c.Reads > end.Reads || c.Writes > end.Writes || c.Writes < pass.CostOfTemplates(d.Templates).Writes+int64(d.Steps) {
			t.Errorf("%+v: skipped %v of %v", d, c, end)
		}
	})
}
