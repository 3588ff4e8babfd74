package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The driver and a peer exchange lines: a request is a verb and arguments key=value, the answer is
//
//	ok wall_ns cpu_ns operations check
//	unsupported what
//	error what
//
// The peer times only the work; it prepares buffers, random positions and values beforehand. A peer
// has at most one array open. Besides the options of the competitor (cache=, format=, ...), the
// verbs take these arguments:
//
//	create   path shape chunk [fill=1] [grows=0] [memory=0] [durable=1]
//	         creates an array and writes all of it in slabs of a row of chunks; it stays open
//	open     path [write=0]
//	close
//	read     size n rounds seed [align=1] [order=row|col]
//	         n random sections per round, with a new seed each round; check is of the first round
//	gather   n rounds seed          n random elements at once
//	scatter  n rounds seed          the same, written and handed to the system
//	scan     dim [elements=0] [n]   all lines along dim, or elements in that order
//	sweep    rows                   the whole array in slabs along dimension 0
//	grow     path shape chunk by steps seed [random=0] [reads=0] [memory=0]
//	         creates an array and extends its dimensions step by step, in turn or at random; writes
//	         the new elements and reads random ones after each step
//	append   path shape chunk rows n seed durable
//	         n slabs along dimension 0, each of that number of rows
//	extend   path shape chunk n commit write
//	         n extensions by a chunk, the dimensions in turn, of a sparse array
//	reopen   path n                 open, read the last element, close
//	history  path chunks expansions
//	         an array of one dimension, extended at both ends in turn, then written. Only DRX has it
//
// Parallel peers have other verbs; the head of peers/job.c describes them.

var (
	// errUnsupported is returned for work that a peer cannot do.
	errUnsupported = errors.New("not supported by this peer")
	// errMissing is returned for a peer that cannot be built or started here.
	errMissing = errors.New("peer missing")
)

// request is a parsed request line.
type request struct {
	verb string
	args map[string]string
}

func parseRequest(line string) (request, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return request{}, errors.New("empty request")
	}
	q := request{verb: words[0], args: map[string]string{}}
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return request{}, fmt.Errorf("argument %q is not key=value", w)
		}
		if _, twice := q.args[key]; !twice { // the first one counts, as in the peers in C
			q.args[key] = value
		}
	}
	return q, nil
}

// text returns an argument, or otherwise if the request lacks it.
func (q request) text(key, otherwise string) string {
	if v, ok := q.args[key]; ok {
		return v
	}
	return otherwise
}

// number returns an integer argument, or otherwise if the request lacks it.
func (q request) number(key string, otherwise int) (int, error) {
	v, ok := q.args[key]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return 0, fmt.Errorf("argument %s=%s is no integer", key, v)
	}
	return n, nil
}

// numbers returns an argument that is a list of integers, one per dimension.
func (q request) numbers(key string) ([]int, error) {
	var list []int
	for text := range strings.SplitSeq(q.args[key], ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("argument %s=%s is no list of integers", key, q.args[key])
		}
		list = append(list, n)
	}
	if len(list) > maxRank {
		return nil, fmt.Errorf("argument %s has %d numbers, at most %d", key, len(list), maxRank)
	}
	return list, nil
}

// parseAnswer parses an answer. The error wraps errUnsupported or contains the peer's message.
func parseAnswer(line string) (result, error) {
	words := strings.Fields(line)
	switch {
	case len(words) == 5 && words[0] == "ok":
	case len(words) > 0 && words[0] == "unsupported":
		return result{}, fmt.Errorf("%s: %w", strings.Join(words[1:], " "), errUnsupported)
	case len(words) > 1 && words[0] == "error":
		return result{}, errors.New(strings.Join(words[1:], " "))
	default:
		return result{}, fmt.Errorf("answer %q makes no sense", strings.TrimSpace(line))
	}
	var n [3]int64
	for i := range n {
		v, err := strconv.ParseInt(words[i+1], 10, 64)
		if err != nil {
			return result{}, fmt.Errorf("answer %q: %w", strings.TrimSpace(line), err)
		}
		n[i] = v
	}
	return result{wall: time.Duration(n[0]), cpu: time.Duration(n[1]), ops: float64(n[2]), check: words[4]}, nil
}

// commaed formats a list of numbers for a request.
func commaed(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}
