package onefile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"drx/internal/chunktable"
	"drx/internal/errkind"
	"drx/internal/state"
	"drx/internal/vfs"
)

// Damage describes the faults of a file that was opened in spite of them, see OpenDamaged. It wraps
// state.ErrCorrupt.
type Damage struct {
	Name    string   // of the file or of the array in it
	Reasons []string // the faults, in the order of the file
	Lost    int64    // bytes that the file lacks, or whose location is unknown
	// LostRecords is the number of lost records of the header, and of lost entries of the
	// directory. Their contents are unknown; records that surely belong to other arrays are not
	// counted.
	LostRecords int
}

// Error names the file and all that is wrong with it.
func (d *Damage) Error() string { return d.Name + ": " + strings.Join(d.Reasons, "; ") }

// Unwrap returns state.ErrCorrupt.
func (d *Damage) Unwrap() error { return state.ErrCorrupt }

func (d *Damage) note(format string, args ...any) {
	d.Reasons = append(d.Reasons, fmt.Sprintf(format, args...))
}

// With returns both damages as one. Either may be nil.
func (d *Damage) With(other *Damage) *Damage {
	switch {
	case d == nil:
		return other
	case other == nil:
		return d
	}
	return &Damage{d.Name, slices.Concat(d.Reasons, other.Reasons), d.Lost + other.Lost, d.LostRecords + other.LostRecords}
}

// A Layout returns the bytes from one chunk to the next of an array with the given log, which may
// end early, and the alignment of its chunks, see ShapeFor.
type Layout func(log vfs.File) (slot int64, align int, err error)

// OpenDamaged is Open for reading a file that may be damaged. Lost bytes of a truncated file are
// treated as never written, and appended bytes are ignored. If both copies of a header's record are
// damaged, it is inferred: it is the record that this program would have written, given the records
// behind it, the length of the file and, for a shape, layout. If that is ambiguous, the stream ends
// before it. Whether the bytes found this way are right is for the checksums of chunks and lines to
// show.
//
// The damage is nil for a file that Open opens as well. The error is one of those of Open for a
// file that has nothing of its array. Nobody may write to the file meanwhile.
func OpenDamaged(file vfs.File, layout Layout) (*Container, *Damage, error) {
	c, openErr := Open(file, false)
	if openErr == nil || !errors.Is(openErr, state.ErrCorrupt) && !errors.Is(openErr, errUnborn) {
		return c, nil, openErr
	}
	c, d, err := openDamagedFile(file, layout)
	switch {
	case errors.Is(err, state.ErrCorrupt): // nothing can be read
		return nil, nil, openErr
	case err != nil:
		return nil, nil, err
	}
	switch s := c.streams.Load(); {
	case s.several && c.base == logStream:
		return nil, nil, c.named(ErrSeveral)
	case !s.several && c.base != logStream:
		return nil, nil, c.named(ErrOneArray)
	case !s.laidOut(c.base):
		return nil, nil, openErr
	}
	return c, d, nil
}

// openDamagedFile is OpenDamaged for whatever the file has.
func openDamagedFile(file vfs.File, layout Layout) (*Container, *Damage, error) {
	c := New(file)
	c.write, c.fixed = false, true
	size, err := file.Size()
	if err != nil {
		return nil, nil, err
	}
	v := &salvage{c: c, size: size, layout: layout, damage: &Damage{Name: file.Name()}}
	if err := v.read(); err != nil {
		return nil, nil, c.named(err)
	}
	if err := v.checkEnd(); err != nil {
		return nil, nil, c.named(err)
	}
	c.streams.Store(v.clip())
	return c, v.damage, nil
}

// A salvage reads a header that is damaged.
type salvage struct {
	c      *Container
	size   int64 // of the file
	layout Layout
	damage *Damage

	s     *streams
	found []foundRecord // in the record blocks that were read
	last  int           // the stream of the last extent, also if a record block follows it
	end   int64         // of the last extent or record block that a whole record names
}

// A foundRecord is a record of the header, and its state.
type foundRecord struct {
	record
	state int
}

// read reads the records block by block.
func (v *salvage) read() error {
	head, err := v.readZeros(0, headerBytes)
	if err != nil {
		return err
	}
	v.find(headRecordBlock, head[recordsAt:page], head[page+recordsAt:])
	f, err := v.start(head)
	if err != nil {
		return err
	}
	v.s = newStreams(f)
	v.c.streams.Store(v.s) // for the layout, which reads the log
	v.addFound()
	for k := 1; k < len(v.s.recordBlocks); k++ {
		h := v.s.recordBlocks[k]
		raw, err := v.readZeros(h.at, 2*h.apart)
		if err != nil {
			return err
		}
		v.find(h, raw[:h.apart], raw[h.apart:])
		v.addFound()
	}
	return v.s.checkComplete()
}

// readZeros reads a part of the file. Bytes beyond its end are zeros.
func (v *salvage) readZeros(at, n int64) ([]byte, error) {
	raw := make([]byte, n)
	_, err := v.c.File().ReadAt(raw, at)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return raw, err
}

// start returns the form of the file. If both copies of the form are damaged, it follows from the
// records, unless one of the copies is of another version.
func (v *salvage) start(head []byte) (f form, err error) {
	if f, err = newestStart(head); err == nil || errors.Is(err, state.ErrVersion) {
		return f, err
	}
	v.damage.note("the first sector of its header is damaged")
	// In a file with one array that has witnesses, the presence map begins at the first block.
	word := make([]byte, len(chunktable.PresenceMagic))
	_, err = v.c.File().ReadAt(word, block)
	f.witnesses = string(word) == chunktable.PresenceMagic
	for _, r := range v.found {
		if r.state == goodRecord {
			f.witnesses = f.witnesses || isWitness(int(r.stream))
			f.several = f.several || r.stream%maxStreams > groupStream
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return f, err
}

// find finds the records of a record block.
func (v *salvage) find(h recordBlock, first, second []byte) {
	for i := range min(h.count, len(first)/recordBytes) {
		at := i * recordBytes
		r, state := newestCopy(first[at:at+recordBytes], second[at:at+recordBytes], h.first+i)
		v.found = append(v.found, foundRecord{r, state})
	}
}

// addFound adds the records that were found, and guesses those that are lost: damaged ones, and
// absent ones before others.
func (v *salvage) addFound() {
	whole := len(v.found)
	for whole > 0 && v.found[whole-1].state == absentRecord {
		whole--
	}
	if !v.s.several {
		whole = max(whole, groupStream+2) // the records of a new file
	}
	if !v.s.several && v.s.witnesses {
		whole = max(whole, groupStream+3)
	}
	for n := len(v.s.records); n < min(whole, len(v.found)); n++ {
		r := v.found[n].record
		if v.found[n].state != goodRecord {
			ok := false
			if r, ok = v.guess(n); !ok {
				v.loseRecord(n, int(r.stream))
				continue
			}
			v.damage.note("record %d of its header is damaged, and was guessed", n)
		}
		v.add(n, r)
	}
}

// lose notes that a record is lost, and with it a number of bytes of a stream.
func (v *salvage) lose(n, stream int, bytes int64) {
	v.damage.note("record %d of its header is lost, or does not continue what is before it", n)
	v.s.records = append(v.s.records, record{})
	if v.own(stream) {
		v.damage.Lost += bytes
	}
}

// loseRecord records that a record of a stream is lost, and its contents are unknown.
func (v *salvage) loseRecord(n, stream int) {
	v.lose(n, stream, 0)
	if v.own(stream) {
		v.damage.LostRecords++
	}
}

// unknownStream stands for the stream of a record whose stream is lost.
const unknownStream = 2 * maxStreams

// own reports whether a stream belongs to the array or has its name, or may do so.
func (v *salvage) own(stream int) bool {
	return stream == unknownStream || stream == v.c.base || stream == witness(v.c.base) || stream == v.c.base+1 || stream == directoryStream
}

// add adds a record that is whole, or inferred. A record that does not continue the one before it,
// because another is lost, is lost as well.
func (v *salvage) add(n int, r record) {
	err := v.s.add(r)
	switch {
	case r.kind == extentKind && err == nil:
		v.last = int(r.stream)
	case r.kind == extentKind && r.b >= v.s.end && r.c > 0 && r.c < maxEnd-r.b: // others are behind it
		v.last, v.s.end, v.s.last = int(r.stream), r.b+r.c, -1
		v.lose(n, int(r.stream), r.c)
	case err != nil:
		v.loseRecord(n, int(r.stream))
	}
	if v.found[n].state == goodRecord {
		v.end = max(v.end, v.s.end)
	}
}

// guess infers record number n. If it cannot, it returns false, and a record that has only the
// stream, which may be unknownStream.
func (v *salvage) guess(n int) (record, bool) {
	switch h := v.s.recordBlocks[len(v.s.recordBlocks)-1]; {
	case n == 0:
		return record{extentKind, logStream, 0, headerBytes, firstLogExtent}, true
	case n == h.last():
		return v.s.nextRecordBlock(), true
	case n == groupStream+1 && v.lacksPresence(n):
		return record{extentKind, uint32(witness(logStream)), 0, v.s.next(witness(logStream)), block}, true
	}
	if stream, ok := v.shapeless(n); ok {
		return v.guessShape(stream)
	}
	stream, ok := v.lostStream(n)
	if !ok {
		return record{stream: unknownStream}, false
	}
	return v.guessExtent(n, stream)
}

// lacksPresence reports whether record number n is of the presence map, as in new files with one
// array: no later one is its first.
func (v *salvage) lacksPresence(n int) bool {
	return !v.s.several && v.s.witnesses && !slices.ContainsFunc(v.found[n:], func(r foundRecord) bool {
		return r.state == goodRecord && int(r.stream) == witness(logStream) && r.a == 0
	})
}

// shapeless returns the stream whose shape must be in record number n: the one without a shape
// whose first extent is in the next record.
func (v *salvage) shapeless(n int) (stream int, ok bool) {
	if !v.s.several {
		return groupStream, n == groupStream
	}
	if n+1 < len(v.found) && v.found[n+1].state == goodRecord {
		r := v.found[n+1]
		return int(r.stream), r.kind == extentKind && r.stream%2 == 1 && !v.s.stream(int(r.stream)).shaped()
	}
	return 0, false
}

// guessShape infers the shape of a stream from the log before it.
func (v *salvage) guessShape(stream int) (record, bool) {
	lost := record{stream: uint32(stream)}
	if stream != v.c.base+1 || v.layout == nil {
		return lost, false
	}
	slot, align, err := v.layout(&logView{view: &view{Container: v.c, member: logMember}})
	if err != nil || slot <= 0 || slot > maxGroup || align < 0 || int64(align) > maxUnit {
		return lost, false
	}
	shape := v.shapeFor(slot, align, v.isOld(stream))
	return record{shapeKind, uint32(stream), shape.Slot, shape.Chunks, shape.Unit}, true
}

// shapeFor returns the shape that the program has chosen which created the groups; old selects the
// one of earlier versions.
func (v *salvage) shapeFor(slot int64, align int, old bool) Shape {
	switch shape := ShapeFor(slot, align); {
	case old && v.s.several:
		return shapeFor(slot, align, page).within(memberGroupBefore)
	case old:
		return shapeFor(slot, align, page).alone()
	case v.s.several:
		return shape.small()
	default:
		return shape.alone()
	}
}

// isOld reports whether a program of an earlier version created the groups in a stream: the file
// has no witnesses, or got them later, and the groups do not begin at a block.
func (v *salvage) isOld(stream int) bool {
	return !v.s.witnesses || slices.ContainsFunc(v.found, func(r foundRecord) bool {
		return r.state == goodRecord && r.kind == extentKind && int(r.stream) == stream && r.a == 0 && r.b%block != 0
	})
}

// lostStream returns the stream of the extent in record number n. In a file with one array streams
// alternate, since a stream that is the last to grow gets no other record. Among several arrays it
// is the first of which something is missing.
func (v *salvage) lostStream(n int) (int, bool) {
	if !v.s.several && !v.s.witnesses {
		return groupStream - v.last, true
	}
	for _, r := range v.found[n:] {
		if r.state == goodRecord && r.kind == extentKind && r.a > v.s.stream(int(r.stream)).length {
			return int(r.stream), true
		}
	}
	if v.last == groupStream {
		return logStream, !v.s.several
	}
	return groupStream, !v.s.several
}

// guessExtent returns the extent of a stream in record number n. It ends where the next one of the
// stream begins, or before the next extent or, if nothing is behind it, with the file. Of two lost
// ones in turn the log's is as long as all before it.
func (v *salvage) guessExtent(n, stream int) (record, bool) {
	st := v.s.stream(stream)
	next := record{extentKind, uint32(stream), st.length, v.s.end, 0}
	if stream%2 == 1 && !st.shaped() {
		return next, false
	}
	next.b = v.s.next(stream)
	next.c = v.guessLength(n, next)
	if st.shaped() {
		next.c = st.shape.roundUp(next.a+next.c) - next.a
	}
	return next, next.c > 0
}

// guessLength returns the length of an extent, which begins as r says, see guessExtent.
func (v *salvage) guessLength(n int, r record) int64 {
	for _, later := range v.found[n+1:] {
		if later.state == goodRecord && later.kind == extentKind && later.stream == r.stream {
			return later.a - r.a
		}
	}
	for _, later := range v.found[n+1:] {
		switch {
		case later.state == goodRecord && later.kind != shapeKind:
			return (later.b - r.b) / page * page
		case later.state == damagedRecord && r.stream%2 == 0:
			return r.a
		}
	}
	return roundUp(max(0, v.size-r.b), page)
}

// checkEnd records a fault if the file is shorter or longer than the whole records of its header
// say. Bytes behind the end count as lost if the length is a multiple of a page: only the writer
// makes such lengths, so their records may be lost.
func (v *salvage) checkEnd() error {
	if v.size < v.end {
		v.damage.note("it is cut short at byte %d of %d", v.size, v.end)
		return nil
	}
	at, err := firstNonzero(v.c.File(), v.s.end, v.size)
	switch {
	case err != nil || at < 0:
		return err
	case v.size%page != 0:
		v.damage.note("it ends at byte %d, and something was appended at byte %d", v.s.end, at)
	default:
		v.damage.note("it has %d bytes behind the end that the header names, byte %d: they were appended, or records of the header are lost", v.size-v.s.end, v.s.end)
		v.damage.Lost += v.size - v.s.end
	}
	return nil
}

// clip returns the streams without the parts beyond the end of the file, and counts the bytes that
// whole records have there.
func (v *salvage) clip() *streams {
	next := newStreams(v.s.form)
	next.records, next.recordBlocks, next.end = v.s.records, v.s.recordBlocks, min(v.s.end, v.size)
	for n, st := range v.s.list {
		short := &stream{shape: st.shape}
		for _, e := range st.extents {
			if cut := e.offset + e.length - max(v.size, e.offset); cut > 0 && e.offset+e.length <= v.end && v.own(n) {
				v.damage.Lost += cut
			}
			if e.length = min(e.length, v.size-e.offset); e.length > 0 && e.start == short.length {
				short.extents = append(short.extents, e)
				short.length += e.length
			}
		}
		next.list[n] = short
	}
	return next
}

// OpenDamagedDirectory is OpenDirectory for reading a file that may be damaged: entries of which
// both copies are damaged, or which were cut off, are left out. So arrays may be missing, or have
// earlier names. The damage covers only the entries, and is nil if there is none; OpenDamaged
// returns that of the header.
func OpenDamagedDirectory(file vfs.File) (*Directory, *Damage, error) {
	d, err := OpenDirectory(file, false)
	if err == nil || !errors.Is(err, state.ErrCorrupt) {
		return d, nil, err
	}
	c, _, err := openDamagedFile(file, nil)
	if err != nil {
		return nil, nil, err
	}
	if !c.streams.Load().several {
		return nil, nil, errkind.InFile(file.Name(), ErrOneArray)
	}
	d = newDirectory(c)
	damage, err := d.salvage()
	if err != nil {
		return nil, nil, err
	}
	if n := d.nameless(c.streams.Load()); n != 0 {
		damage.note("the last entries of its directory are lost: it has an array in stream %d, and no name for it", n)
		damage.LostRecords++
	}
	return d, damage.orNil(), nil
}

// salvage reads the whole entries. The damage counts the others.
func (d *Directory) salvage() (*Damage, error) {
	damage := &Damage{Name: d.c.Name()}
	raw := make([]byte, 2*entryBytes)
	first, end := 0, 0 // behind the last whole entry, and behind the last damaged one
	for {
		n, err := d.log.ReadAt(raw, d.end())
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, d.c.named(err)
		}
		if n < len(raw) {
			damage.loseEntries(first, end)
			return damage, nil
		}
		e, found, err := d.newest(raw)
		if err != nil {
			return nil, d.c.named(err)
		}
		switch {
		case found == absentRecord: // lost if others follow
			d.entries++
			next, _, err := d.log.Data(d.end()) // there may be a large hole
			if err == nil && next > d.end() {
				d.entries += int((next - d.end()) / (2 * entryBytes))
			}
			if errors.Is(err, io.EOF) {
				damage.loseEntries(first, end)
				return damage, nil
			}
		case found == damagedRecord || d.add(e) != nil:
			d.entries++
			end = d.entries
		default:
			damage.loseEntries(first, d.entries-1)
			first = d.entries
		}
	}
}

// loseEntries notes that the entries of a directory from first to before end are lost.
func (d *Damage) loseEntries(first, end int) {
	switch {
	case end <= first:
		return
	case end == first+1:
		d.note("entry %d of its directory is damaged, so names may be older ones", first)
	default:
		d.note("entries %d to %d of its directory are damaged, so names may be older ones", first, end-1)
	}
	d.LostRecords += end - first
}

// orNil returns nil if nothing is wrong.
func (d *Damage) orNil() *Damage {
	if len(d.Reasons) == 0 {
		return nil
	}
	return d
}
