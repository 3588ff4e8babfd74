package main

import "slices"

// runBatches reads and writes many random elements with one call: HDF5 by a selection of points,
// or element by element where that is faster; zarr by vindex.
func runBatches(l *lab, t *table, name string, shape, chunk []int) error {
	batch := func(c competitor) competitor { return c.with(c.series+", one selection", "batch=1") }
	cs := l.present(drxDefault, hdf5Default, hdf5Cached, hdf5Bare,
		batch(hdf5Default), batch(hdf5Cached), batch(hdf5Bare), netcdfOfDefault(netcdfBare), zarr, rowMajor, rowMap)
	n := pick(l, "n=20000", "n=3000")
	if err := l.openAll(cs, name, shape, chunk); err != nil {
		return err
	}
	c := cell{metric: "batch", column: "gather", unit: nanoseconds}
	if _, err := l.race(t, c, entrants(cs, func(c competitor) entrant { return l.repeated(c, "gather", n) })...); err != nil {
		return err
	}
	if err := l.peers.stopAll(); err != nil { // one writer at a time
		return err
	}
	// NetCDF does not write to files that HDF5 has created.
	cs = slices.DeleteFunc(cs, func(c competitor) bool { return c.program == "netcdf" })
	es := entrants(cs, func(c competitor) entrant {
		return l.openForWriting(c, name, shapeArgs(shape, chunk), l.repeated(c, "scatter", n))
	})
	c.column = "scatter"
	if _, err := l.race(t, c, es...); err != nil {
		return err
	}
	t.best("batch", "hdf5")
	return nil
}

// openForWriting opens the array before each run of an entrant and closes it afterwards, so that
// no other entrant has the file open while this one writes.
func (l *lab) openForWriting(c competitor, name string, open []string, e entrant) entrant {
	inner := e.run
	e.run = func(seed uint64) (result, error) {
		args := append([]string{"path=" + l.path(c, name), "write=1"}, open...)
		if _, err := l.peers.call(c, "open", args...); err != nil {
			return result{}, err
		}
		r, err := inner(seed)
		if err != nil {
			return r, err
		}
		_, err = l.peers.call(c, "close")
		return r, err
	}
	return e
}
