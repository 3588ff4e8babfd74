package zarr

import "container/list"

// A cache keeps decoded units. It drops the least recently used ones when they exceed its limit.
type cache struct {
	limit, bytes int64
	byKey        map[string]*list.Element
	recent       *list.List // of *cacheEntry, the latest first
}

type cacheEntry struct {
	key  string
	data []byte // nil: the unit is missing
}

// entryBytes is the memory of an entry beside its data.
const entryBytes = 200

func newCache(limit int64) *cache {
	return &cache{limit: limit, byKey: map[string]*list.Element{}, recent: list.New()}
}

// get returns the data of a unit, and whether the cache has it.
func (c *cache) get(key string) ([]byte, bool) {
	e, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cacheEntry).data, true
}

// add adds a unit that the cache does not have.
func (c *cache) add(key string, data []byte) {
	c.byKey[key] = c.recent.PushFront(&cacheEntry{key, data})
	c.bytes += int64(len(data)) + entryBytes
	for c.bytes > c.limit && c.recent.Len() > 1 {
		last := c.recent.Remove(c.recent.Back()).(*cacheEntry)
		delete(c.byKey, last.key)
		c.bytes -= int64(len(last.data)) + entryBytes
	}
}
