package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// smoothField returns a chunk of int16: a smooth field of two dimensions with some noise.
func smoothField(rows, cols int) []byte {
	rng := rand.New(rand.NewPCG(1, 6))
	field := make([]byte, 2*rows*cols)
	for i := range rows {
		for j := range cols {
			v := 3000*math.Sin(float64(i)/90)*math.Cos(float64(j)/70) + 10*rng.NormFloat64()
			binary.LittleEndian.PutUint16(field[2*(i*cols+j):], uint16(int16(v)))
		}
	}
	return field
}

// benchSpecs are what BenchmarkCodecs measures.
var benchSpecs = []string{
	"blosc:lz4:5:shuffle", "blosc:lz4:1:shuffle", "blosc:lz4:9:shuffle", "blosc:lz4:5:bitshuffle", "blosc:lz4hc:5:shuffle",
	"blosc:zstd:1:shuffle", "blosc:zstd:3:shuffle", "blosc:zstd:5:shuffle", "blosc:zstd:7:shuffle", "blosc:zstd:1:bitshuffle",
}

// BenchmarkCodecs compresses and decompresses 4 MiB of a smooth int16 field in one thread, and
// compares with C-Blosc at the same settings: its shortest times divided by ours.
func BenchmarkCodecs(b *testing.B) {
	field := smoothField(1024, 2048)
	for _, text := range benchSpecs {
		c := newCodec(b, text, 2)
		frame, ok := c.Encode(nil, field)
		if !ok {
			b.Fatal(text)
		}
		again, whole := make([]byte, len(field)), make([]byte, len(field))
		encode := func() { c.Encode(again, field) }
		decode := func() { check(b, c.Decode(whole, frame)) }
		var theirs struct{ encode, decode, bytes float64 }
		_, err := fmt.Sscan(string(newOracle(b).ask("time", text, 2, field)), &theirs.encode, &theirs.decode, &theirs.bytes)
		check(b, err)
		run := func(name string, f func(), peer float64) {
			b.Run(text+"/"+name, func(b *testing.B) {
				least := math.Inf(1)
				for range b.N {
					start := time.Now()
					f()
					least = min(least, time.Since(start).Seconds())
				}
				b.SetBytes(int64(len(field)))
				b.ReportMetric(float64(len(field))/least/1e9, "GB/s")
				b.ReportMetric(float64(len(field))/peer/1e9, "c-blosc-GB/s")
				b.ReportMetric(peer/least, "times-c-blosc")
				b.ReportMetric(theirs.bytes/float64(len(frame)), "ratio/c-blosc's")
			})
		}
		run("encode", encode, theirs.encode)
		run("decode", decode, theirs.decode)
	}
}
