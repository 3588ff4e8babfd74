package relayout

import (
	"encoding/json"
	"reflect"
	"testing"

	"drx/nd"
	"drx/relayout/internal/planner"
)

// The attributes of a target are a file format: an earlier version has written these.
const (
	writtenPlan = `{"source":{"Lo":[3,-2],"Hi":[51,38],"Chunk":[1,40],"Elem":8},"order":[1,0],"passes":[` +
		`{"chunk":[1,1],"blocks":[40,1],"at_least":[76,0],"works":2,"stages":1},` +
		`{"chunk":[1,48],"blocks":[2,1],"at_least":[2,0],"works":2,"stages":0}],"temp":"/tmp/relayout-X"}`
	writtenPosition = `{"pass":1,"templates":4}`
)

func TestCheckpointFormat(t *testing.T) {
	src := planner.Grid{Lo: []int{3, -2}, Hi: []int{51, 38}, ChunkShape: []int{1, 40}, ElemSize: 8}
	dst := planner.Grid{Lo: []int{-7, 0}, Hi: []int{33, 48}, ChunkShape: []int{1, 48}, ElemSize: 4}
	order := nd.Order{1, 0}
	p, err := planner.NewPlan(src, dst, order, 900)
	if err != nil {
		t.Fatal(err)
	}
	c := checkpoint{SavedPlan: p.Saved(src), Temp: "/tmp/relayout-X", Position: planner.Position{Pass: 1, Templates: 4}}
	log := newJournal()
	a := member{newArray(Grid(dst)), 0, log}
	if err := c.begin(a); err != nil {
		t.Fatal(err)
	}
	attrs := a.Attrs()
	if plan, at := string(attrs["relayout.incomplete"]), string(attrs["relayout.done"]); len(attrs) != 2 || plan != writtenPlan || at != writtenPosition {
		t.Errorf("attributes %s", attrs)
	}
	log.attrs = map[string]json.RawMessage{IncompleteAttr: []byte(writtenPlan), progressAttr: []byte(writtenPosition)}
	found, err := readCheckpoint(a)
	if err != nil || !reflect.DeepEqual(*found, c) {
		t.Fatalf("%+v, %v, want %+v", found, err, c)
	}
	restored, err := found.restore(src, dst, order, 900)
	if err != nil || !reflect.DeepEqual(restored, p) {
		t.Errorf("%+v, %v, want %+v", restored, err, p)
	}
	if text, err := json.Marshal(planner.Position{Templates: 3, Steps: 2}); err != nil || string(text) != `{"templates":3,"steps":2}` {
		t.Errorf("%s, %v", text, err)
	}
}
