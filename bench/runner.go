package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// path returns the path of the named array in a competitor's store.
func (l *lab) path(c competitor, name string) string { return filepath.Join(l.dir, name+"-"+c.store) }

// present returns the competitors that can run here. The run names the others at its start.
func (l *lab) present(cs ...competitor) []competitor {
	var there []competitor
	for _, c := range cs {
		if l.peers.has(c) {
			there = append(there, c)
		}
	}
	return there
}

// build creates the array of the given shape once per store.
func (l *lab) build(cs []competitor, name string, shape, chunk []int) error {
	done := map[string]bool{}
	for _, c := range cs {
		if done[c.store] || c.limit && c.store != "memory" {
			continue
		}
		done[c.store] = true
		if c.store == "memory" { // openAll builds it in the process that reads it
			continue
		}
		if err := touchMemory(8 * int64(volume(shape))); err != nil {
			return err
		}
		begun := time.Now()
		if err := l.callUntimed(c, "create", name, shapeArgs(shape, chunk)...); err != nil {
			return err
		}
		if _, err := l.peers.call(c, "close"); err != nil {
			return err
		}
		l.printf("  %s: %v written by %s in %.1f s\n", name, shape, c.program, time.Since(begun).Seconds())
	}
	return nil
}

func shapeArgs(shape, chunk []int) []string {
	return []string{"shape=" + commaed(shape), "chunk=" + commaed(chunk)}
}

// callUntimed sends a request about an array and ignores the times of the answer.
func (l *lab) callUntimed(c competitor, verb, name string, args ...string) error {
	_, err := l.peers.call(c, verb, append([]string{"path=" + l.path(c, name)}, args...)...)
	return err
}

// openAll opens the array in the process of each competitor, and lets each read all of it once.
// Competitors that keep their array in memory create it here. It returns an error if the sum of a
// competitor differs from that of the first one.
func (l *lab) openAll(cs []competitor, name string, shape, chunk []int, args ...string) error {
	check := ""
	for _, c := range cs {
		verb := "open"
		if c.store == "memory" {
			verb = "create"
		}
		if err := l.callUntimed(c, verb, name, append(shapeArgs(shape, chunk), args...)...); err != nil {
			return err
		}
		r, err := l.peers.call(c, "sweep", fmt.Sprintf("rows=%d", chunk[0]))
		if err != nil {
			return err
		}
		if check == "" {
			check = r.check
		}
		if r.check != check && c.exact() {
			return fmt.Errorf("%s: the array is not what %s has", c.series, cs[0].series)
		}
	}
	return nil
}

// warm drops the files of every store from the page cache and reads them once. The cache then holds
// them in the units in which the system reads files, the same for all. Otherwise the units would
// depend on the sizes of each competitor's writes.
func (l *lab) warm(cs []competitor, name string) error {
	buf := make([]byte, 1<<20)
	done := map[string]bool{}
	for _, c := range cs {
		path := l.path(c, name)
		if done[path] {
			continue
		}
		done[path] = true
		_, err := dropFromCache(path)
		if err == nil {
			err = walkStore(path, func(file string, _ os.FileInfo) error { return readThrough(file, buf) })
		}
		if err != nil {
			return fmt.Errorf("warm %s: %w", c.series, err)
		}
		share, err := resident(path)
		if err == nil && share < 0.99 && share > 0 {
			l.printf("  %s: only %.0f %% of the array is in the page cache\n", c.series, 100*share)
		}
	}
	return nil
}

// buildAndOpen creates the array of each competitor on disk, loads it into the page cache, and
// opens it.
func (l *lab) buildAndOpen(cs []competitor, name string, shape, chunk []int) error {
	if err := l.build(cs, name, shape, chunk); err != nil {
		return err
	}
	if err := l.warm(cs, name); err != nil {
		return err
	}
	return l.openAll(cs, name, shape, chunk)
}

// remove removes the arrays of a name.
func (l *lab) remove(cs []competitor, name string) error {
	var errs []error
	for _, c := range cs {
		errs = append(errs, removeStore(l.path(c, name)))
	}
	return errors.Join(errs...)
}

// simple returns an entrant that sends one request about an array per repetition.
func (l *lab) simple(c competitor, verb, name string, args ...string) entrant {
	return entrant{series: c.series, limit: c.limit, run: func(seed uint64) (result, error) {
		return l.peers.call(c, verb, append([]string{"path=" + l.path(c, name), fmt.Sprintf("seed=%d", seed)}, args...)...)
	}}
}

// repeated returns an entrant that sends one request, with enough rounds to be measurable. The
// number of rounds follows from a trial request of one round, which another one precedes to warm
// up. Except in a short run, an untimed request with as many rounds goes first: the other entrants
// have evicted this array's page translations from the caches of the processor and of the virtual
// machine's host, and loading them again takes a million random accesses. The first round has the
// same positions for all entrants, so that their results can be compared.
func (l *lab) repeated(c competitor, verb string, args ...string) entrant {
	rounds := 0
	target := pick(l, 100*time.Millisecond, 8*time.Millisecond)
	call := func(seed uint64, rounds int) (result, error) {
		r, err := l.peers.call(c, verb, append([]string{fmt.Sprintf("rounds=%d", rounds), fmt.Sprintf("seed=%d", seed)}, args...)...)
		if !c.exact() {
			r.check = "" // it reads other elements
		}
		return r, err
	}
	return entrant{series: c.series, limit: c.limit, run: func(seed uint64) (result, error) {
		if rounds == 0 {
			r, err := call(77, 1) // may map, verify and cache the chunks
			if err == nil {
				r, err = call(78, 1)
			}
			if err != nil {
				return r, err
			}
			rounds = int(min(max(target/max(r.wall, 1), 1), 5000))
		}
		if !l.short {
			if _, err := call(seed+100, rounds); err != nil {
				return result{}, err
			}
		}
		return call(seed, rounds)
	}}
}

// entrants applies f to all competitors.
func entrants(cs []competitor, f func(competitor) entrant) []entrant {
	var es []entrant
	for _, c := range cs {
		es = append(es, f(c))
	}
	return es
}

// readThrough reads a file to its end.
func readThrough(name string, buf []byte) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for err == nil {
		_, err = f.Read(buf)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}
