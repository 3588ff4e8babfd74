package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// path returns where the arrays of a store are, by the name of the array.
func (l *lab) path(c competitor, name string) string { return filepath.Join(l.dir, name+"-"+c.store) }

// present returns the competitors that can be run here. Those that cannot are told about
// when the run begins.
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
		if c.store == "memory" { // built in the process that reads it, by openAll
			continue
		}
		if err := hold(8 * int64(volume(shape))); err != nil {
			return err
		}
		begun := time.Now()
		if err := l.ask(c, "create", name, shapeArgs(shape, chunk)...); err != nil {
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

// ask sends a request about an array whose times are of no interest.
func (l *lab) ask(c competitor, verb, name string, args ...string) error {
	_, err := l.peers.call(c, verb, append([]string{"path=" + l.path(c, name)}, args...)...)
	return err
}

// openAll opens the array in the process of each competitor, which then reads all of it
// once; limits that live in memory load it. Who finds another sum than the first fails.
func (l *lab) openAll(cs []competitor, name string, shape, chunk []int, args ...string) error {
	check := ""
	for _, c := range cs {
		verb := "open"
		if c.store == "memory" {
			verb = "create"
		}
		if err := l.ask(c, verb, name, append(shapeArgs(shape, chunk), args...)...); err != nil {
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

// warm takes the files of every store out of the page cache, as far as they are durable, and reads them
// once: the cache then holds them as the system reads files, not in blocks as large as whoever wrote them
// happened to write at a time.
func (l *lab) warm(cs []competitor, name string) error {
	buf := make([]byte, 1<<20)
	done := map[string]bool{}
	for _, c := range cs {
		path := l.path(c, name)
		if done[path] {
			continue
		}
		done[path] = true
		_, err := forget(path)
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

// repeated returns an entrant that sends one request with as many rounds as take a
// measurable time, found out by a second request with one. Except in a short run, one like it goes before: what the
// processor and the host of a virtual machine know of an array's pages, others have displaced
// meanwhile, and to find all of it again takes a million accesses at random. The first round is
// the same for all entrants, so that what they found can be compared.
func (l *lab) repeated(c competitor, verb string, args ...string) entrant {
	rounds := 0
	target := pick(l, 100*time.Millisecond, 8*time.Millisecond)
	call := func(seed uint64, rounds int) (result, error) {
		r, err := l.peers.call(c, verb, append([]string{fmt.Sprintf("rounds=%d", rounds), fmt.Sprintf("seed=%d", seed)}, args...)...)
		if !c.exact() {
			r.check = "" // not the elements asked for
		}
		return r, err
	}
	return entrant{series: c.series, limit: c.limit, run: func(seed uint64) (result, error) {
		if rounds == 0 {
			r, err := call(77, 1) // which may map, check and cache what is asked for
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
