package meaning

import (
	"slices"
	"strconv"
	"strings"
)

// A wkt is a node of well-known text, KEYWORD["text",number,NODE[...]], the notation for coordinate
// systems, in version 1 or 2.
type wkt struct {
	name   string
	values []string // unquoted texts and numbers, in order
	nodes  []*wkt
}

// maxWKTDepth limits the nesting of nodes, so that hostile text cannot exhaust the stack.
const maxWKTDepth = 32

// parseWKT returns the root node of a text, nil if it is not well-known text.
func parseWKT(text string) *wkt {
	p := &wktParser{text}
	n := p.node(0)
	if n == nil || strings.TrimSpace(p.rest) != "" {
		return nil
	}
	return n
}

type wktParser struct{ rest string }

// node parses a node and removes it from the rest of the text.
func (p *wktParser) node(depth int) *wkt {
	begin := strings.IndexAny(p.rest, "[(")
	if begin < 0 || depth > maxWKTDepth {
		return nil
	}
	n := &wkt{name: strings.ToUpper(strings.TrimSpace(p.rest[:begin]))}
	p.rest = p.rest[begin+1:]
	for {
		p.rest = strings.TrimSpace(p.rest)
		end := strings.IndexAny(p.rest, `[(,)]"`)
		switch {
		case end < 0:
			return nil
		case p.rest[end] == '"' && end == 0:
			n.values = append(n.values, p.quoted())
		case p.rest[end] == '"':
			return nil
		case p.rest[end] == '[' || p.rest[end] == '(':
			child := p.node(depth + 1)
			if child == nil {
				return nil
			}
			n.nodes = append(n.nodes, child)
		case end > 0:
			n.values = append(n.values, strings.TrimSpace(p.rest[:end]))
			p.rest = p.rest[end:]
		}
		p.rest = strings.TrimSpace(p.rest)
		if p.rest == "" {
			return nil
		}
		next := p.rest[0]
		if p.rest = p.rest[1:]; next == ']' || next == ')' {
			return n
		} else if next != ',' {
			return nil
		}
	}
}

// quoted removes a quoted text from the rest and returns it. Two quotes stand for one.
func (p *wktParser) quoted() string {
	var b strings.Builder
	p.rest = p.rest[1:]
	for {
		end := strings.IndexByte(p.rest, '"')
		if end < 0 {
			p.rest = ""
			return b.String()
		}
		b.WriteString(p.rest[:end])
		if p.rest = p.rest[end+1:]; !strings.HasPrefix(p.rest, `"`) {
			return b.String()
		}
		b.WriteByte('"')
		p.rest = p.rest[1:]
	}
}

// child returns the first child node with one of the names, or nil.
func (n *wkt) child(names ...string) *wkt {
	if n == nil {
		return nil
	}
	for _, c := range n.nodes {
		if slices.Contains(names, c.name) {
			return c
		}
	}
	return nil
}

// number returns value i. ok is false if it is not a number.
func (n *wkt) number(i int) (x float64, ok bool) {
	if n == nil || i >= len(n.values) {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.values[i], 64)
	return x, err == nil
}

// title returns the first value of a node, which is its quoted name.
func (n *wkt) title() string {
	if n == nil || len(n.values) == 0 {
		return ""
	}
	return n.values[0]
}

// The keywords of coordinate systems in both versions.
var (
	projectedCRS  = []string{"PROJCS", "PROJCRS", "PROJECTEDCRS", "DERIVEDPROJCRS"}
	geographicCRS = []string{"GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS", "BASEGEOGCRS", "BASEGEODCRS"}
	localCRS      = []string{"LOCAL_CS", "ENGCRS", "ENGINEERINGCRS"}
)

// horizontal returns the system of x and y within a compound or bound system, or n itself. It is
// nil if there is none.
func (n *wkt) horizontal() *wkt {
	for n != nil {
		switch n.name {
		case "COMPD_CS", "COMPOUNDCRS":
			n = n.child(slices.Concat(projectedCRS, geographicCRS, localCRS, []string{"BOUNDCRS"})...)
			continue
		case "BOUNDCRS":
			if n = n.child("SOURCECRS"); n != nil && len(n.nodes) > 0 {
				n = n.nodes[0]
			}
			continue
		}
		return n
	}
	return nil
}

// unit returns the length of a unit of the system in metres or radians, or 0 if it is not given.
func (n *wkt) unit() float64 {
	const last = 1
	unit := n.child("UNIT", "LENGTHUNIT", "ANGLEUNIT")
	if unit == nil {
		unit = n.child("AXIS").child("UNIT", "LENGTHUNIT", "ANGLEUNIT")
	}
	factor, _ := unit.number(last)
	return factor
}
