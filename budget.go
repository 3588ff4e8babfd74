package drx

import (
	"sync"

	"drx/internal/mapped"
)

// DefaultCache is the largest memory for chunks, in bytes, if Options.Cache is 0.
const DefaultCache = 64 << 20

// SetMemory limits the memory for the elements of all arrays that are opened without Options.Cache,
// in bytes. They share it for chunks in memory and for resident pages of mapped files. 0 means a
// quarter of the memory available to this process, which is that of the machine or of its control
// group, whichever is less. It takes effect at once, also for open arrays. However many arrays
// share the memory, each keeps one chunk and up to 16 MiB of recently used pages. A program that
// shares a machine with others, such as one worker of several, should set its own share.
func SetMemory(bytes int64) {
	arrayMemory.mu.Lock()
	defer arrayMemory.mu.Unlock()
	arrayMemory.limit = max(0, bytes)
	arrayMemory.distribute()
}

// Memory returns the limit of SetMemory in bytes, or its default.
func Memory() int64 {
	arrayMemory.mu.Lock()
	defer arrayMemory.mu.Unlock()
	return arrayMemory.total()
}

// ram returns the memory of the machine in bytes, or 0 if unknown.
var ram = sync.OnceValue(mapped.RAM)

// arrayMemory is the memory shared by arrays without Options.Cache.
var arrayMemory = sharedMemory{members: map[*memoryMember]bool{}, parts: 1}

// A sharedMemory divides a limit equally among its members.
type sharedMemory struct {
	mu      sync.Mutex
	limit   int64 // 0 for the default
	members map[*memoryMember]bool
	parts   int // at least the number of members
}

// A memoryMember is an array that shares the memory.
type memoryMember struct {
	compressed bool
	set        func(chunks, resident int64)
}

func (m *sharedMemory) total() int64 {
	if m.limit > 0 {
		return m.limit
	}
	return max(2*DefaultCache, ram()/4)
}

// join adds a member. It passes their parts to the member, and to the others if those change, now
// and at each later change. leave ends that.
func (m *sharedMemory) join(member *memoryMember) (leave func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.members[member] = true
	if len(m.members) > m.parts {
		m.parts *= 2
		m.distribute()
	} else {
		member.set(m.part(member.compressed))
	}
	return func() { m.leave(member) }
}

// leave removes a member. The others get larger parts only when far fewer members are left, so that
// a program that opens and closes arrays one by one does not update all others each time.
func (m *sharedMemory) leave(member *memoryMember) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.members, member)
	if m.parts > 1 && len(m.members) <= m.parts/4 {
		m.parts /= 2
		m.distribute()
	}
}

// firstPart returns the limits for an array that is about to join.
func (m *sharedMemory) firstPart(compressed bool) (chunks, resident int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.part(compressed)
}

func (m *sharedMemory) distribute() {
	for member := range m.members {
		member.set(m.part(member.compressed))
	}
}

// part returns the limits, in bytes, of the chunks in memory and of the resident pages of one
// member. Compressed chunks are decompressed into memory; others are mostly used where they are
// mapped.
func (m *sharedMemory) part(compressed bool) (chunks, resident int64) {
	part := m.total() / int64(m.parts)
	chunks = part / 2
	if compressed {
		chunks = part - part/4
	}
	chunks = min(chunks, DefaultCache)
	return chunks, part - chunks
}
