package drxmp

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"drx/nd"
	"drx/parallel/par"
)

// TestRemoteWrites: packing, encoding and decoding keep the elements of a job, whatever its
// strides.
func TestRemoteWrites(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		k, elem := 1+rng.IntN(3), 1+rng.IntN(4)
		var writes []remoteWrite
		var want [][]byte
		for range rng.IntN(4) {
			lo, hi := make([]int, k), make([]int, k)
			for d := range lo {
				lo[d] = rng.IntN(9) - 4
				hi[d] = lo[d] + rng.IntN(6)
			}
			j := job{sec: randomSection(t, rng, lo, hi)}
			shape := j.sec.Shape()
			order := nd.Order(rng.Perm(k))
			j.strides = order.Strides(shape)
			for d := range j.strides {
				j.strides[d] *= elem
			}
			n, _ := nd.Product(shape...)
			j.buf = make([]byte, n*elem)
			for i := range j.buf {
				j.buf[i] = byte(rng.Uint32())
			}
			var dense []byte
			each(make([]int, k), shape, func(at []int) {
				from := 0
				for d, i := range at {
					from += i * j.strides[d]
				}
				dense = append(dense, j.buf[from:from+elem]...)
			})
			writes, want = append(writes, pack(j, elem)), append(want, dense)
			if back := unpack(writes[len(writes)-1], j, elem); !bytes.Equal(back, j.buf) {
				t.Fatalf("seed %d: overlay gives %x, want %x", seed, back, j.buf)
			}
		}
		got, err := decode(encode(nil, writes), k, elem)
		if err != nil || len(got) != len(writes) {
			t.Fatalf("seed %d: %d writes, want %d, %v", seed, len(got), len(writes), err)
		}
		for i := range got {
			if !slices.Equal(got[i].sec, writes[i].sec) || !bytes.Equal(got[i].data, want[i]) {
				t.Fatalf("seed %d: %v %x, want %v %x", seed, got[i].sec, got[i].data, writes[i].sec, want[i])
			}
		}
	}
}

// unpack overlays a remote write on a job of the same section whose elements are zeros, and returns
// them.
func unpack(w remoteWrite, j job, elem int) []byte {
	j.buf = make([]byte, len(j.buf))
	overlay(j, w, elem)
	return j.buf
}

// FuzzDecode: an invalid message is an error.
func FuzzDecode(f *testing.F) {
	whole := encode(nil, []remoteWrite{{nd.Sec(nd.Range{Lo: -1, Hi: 5, Step: 2}, nd.Range{Lo: 0, Hi: 1, Step: 1}), []byte("abcdef")}})
	f.Add(whole, uint8(2), uint8(2))
	f.Add(whole[:40], uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, message []byte, rank, elem uint8) {
		k, size := 1+int(rank)%4, 1+int(elem)%16
		writes, err := decode(message, k, size)
		if err != nil {
			if !errors.Is(err, par.ErrSize) {
				t.Fatal(err)
			}
			return
		}
		if again := encode(nil, writes); !bytes.Equal(again, message) {
			t.Fatalf("%x is %+v, which is %x", message, writes, again)
		}
	})
}
