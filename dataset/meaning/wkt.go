package meaning

import (
	"slices"
	"strconv"
	"strings"
)

// A wkt is a node of well-known text, KEYWORD["text",number,NODE[...]], in which coordinate systems
// are written, in version 1 or 2.
type wkt struct {
	name   string
	values []string // texts without quotes and numbers, in their order
	nodes  []*wkt
}

// maxWKTDepth is how deep nodes may be in each other.
const maxWKTDepth = 32

// parseWKT returns the node that a text consists of, nil if it is not well-known text.
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

// quoted returns a text in quotes, in which two quotes are one, and removes it from the rest.
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

// child returns the first node with one of some names, nil if there is none.
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

// number returns value i, not ok if it is no number.
func (n *wkt) number(i int) (x float64, ok bool) {
	if n == nil || i >= len(n.values) {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.values[i], 64)
	return x, err == nil
}

// title returns the name that a node has in quotes.
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

// horizontal returns the system of x and y of one that may be compound or bound to another, nil if
// there is none.
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

// unit returns how many metres or radians are one unit of a system, 0 if it does not say it.
func (n *wkt) unit() float64 {
	const last = 1
	unit := n.child("UNIT", "LENGTHUNIT", "ANGLEUNIT")
	if unit == nil {
		unit = n.child("AXIS").child("UNIT", "LENGTHUNIT", "ANGLEUNIT")
	}
	factor, _ := unit.number(last)
	return factor
}
