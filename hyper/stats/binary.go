package stats

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"drx/hyper/internal/exact"
)

// Moments are kept as bytes, all numbers with the lowest byte first:
//
//	8 bytes   "drxmom1\n"
//	4 bytes   bands
//	4 bytes   planes
//	8 bytes   number of vectors
//	          per plane the sum of x and the upper triangle of the sum of xx', row by row, as float64:
//	          plane 0 has the sums, rounded, plane 1 what is left of them, rounded, and so on
//	4 bytes   CRC-32C of all bytes before
//
// Equal sums have equal bytes, in whatever order they were added.
const (
	magic      = "drxmom1\n"
	headerSize = 24
	maxBands   = 1 << 15
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the moments as bytes. It is an error if a sum is not finite.
func (m *Moments) MarshalBinary() ([]byte, error) {
	if err := m.check(0); err != nil {
		return nil, err
	}
	planes := m.sums.Planes()
	le := binary.LittleEndian
	data := append(make([]byte, 0, headerSize+len(planes)*length(m.bands)*8+4), magic...)
	data = le.AppendUint32(data, uint32(m.bands))
	data = le.AppendUint32(data, uint32(len(planes)))
	data = le.AppendUint64(data, uint64(m.n))
	for _, p := range planes {
		for _, v := range p {
			data = le.AppendUint64(data, math.Float64bits(v))
		}
	}
	return le.AppendUint32(data, crc32.Checksum(data, castagnoli)), nil
}

// UnmarshalBinary parses the bytes of MarshalBinary. The error says what is wrong in the data.
func (m *Moments) UnmarshalBinary(data []byte) error {
	le := binary.LittleEndian
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return fmt.Errorf("%d bytes are no moments: they must begin with %q", len(data), magic)
	}
	bands, planes, n := int64(le.Uint32(data[8:])), int64(le.Uint32(data[12:])), int64(le.Uint64(data[16:]))
	if bands < 1 || bands > maxBands || planes < 1 || n < 0 {
		return fmt.Errorf("moments with %d bands (1 to %d), %d planes and %d vectors", bands, maxBands, planes, n)
	}
	numbers := data[headerSize:]
	each := int64(length(int(bands))) * 8
	if (int64(len(numbers))-4)/each != planes || (int64(len(numbers))-4)%each != 0 {
		return fmt.Errorf("moments of %d bands and %d planes have %d bytes, not %d", bands, planes, len(data), headerSize+planes*each+4)
	}
	end := len(data) - 4
	if sum := crc32.Checksum(data[:end], castagnoli); sum != le.Uint32(data[end:]) {
		return fmt.Errorf("moments are damaged: their checksum is %08x, not %08x", sum, le.Uint32(data[end:]))
	}
	all := make([][]float64, planes)
	for k := range all {
		all[k] = make([]float64, 0, each/8)
		for i := int64(0); i < each; i += 8 {
			all[k] = append(all[k], math.Float64frombits(le.Uint64(numbers[int64(k)*each+i:])))
		}
	}
	sums, err := exact.FromPlanes(all)
	if err != nil {
		return fmt.Errorf("moments are damaged: %w", err)
	}
	*m = Moments{bands: int(bands), n: n, sums: sums}
	return nil
}
