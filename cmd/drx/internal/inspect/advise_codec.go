package inspect

import (
	"fmt"
	"io"

	"drx"
	"drx/cmd/drx/internal/cli"
)

// A codecAdvice compares codecs by the size of an array's written chunks, in bytes and in blocks of
// 4 KiB, the unit in which file systems allocate space.
type codecAdvice struct {
	Tried   int64     `json:"bytes_tried"`
	Present codecSize `json:"present"` // the codec that the array has
	Advised codecSize `json:"advised"` // see drx.ChooseCodec
}

type codecSize struct {
	Codec  string `json:"codec"`
	Stored int64  `json:"bytes_stored"`
	OnDisk int64  `json:"bytes_on_disk"`
}

func newCodecSize(c drx.CodecChoice) codecSize { return codecSize{c.Codec, c.Stored, c.Blocks} }

// adviseCodec tries codecs on chunks of an array, and returns nil if none are written.
func adviseCodec(a *drx.Array) (*codecAdvice, error) {
	best, err := a.ChooseCodec()
	if err != nil || best.Tried == 0 {
		return nil, err
	}
	present, err := a.TryCodec(a.Layout().Codec)
	if err != nil {
		return nil, err
	}
	return &codecAdvice{present.Tried, newCodecSize(present), newCodecSize(best)}, nil
}

// print writes the advice for people; chunkBytes is the size of a chunk.
func (c *codecAdvice) print(out io.Writer, chunkBytes int) {
	fmt.Fprintf(out, "\ncodec %s, as tried on %s of chunks: ", c.Advised.Codec, cli.ByteSize(c.Tried))
	fmt.Fprintf(out, "%s stored, %s in blocks of 4 KiB; %s, which the array has: %s, %s\n", cli.ByteSize(c.Advised.Stored),
		cli.ByteSize(c.Advised.OnDisk), c.Present.Codec, cli.ByteSize(c.Present.Stored), cli.ByteSize(c.Present.OnDisk))
	if chunkBytes < smallForCodec && (c.Advised.Codec != "none" || c.Present.Codec != "none" || chunkBytes <= 4<<10) {
		fmt.Fprintf(out, "chunks of %s are small for a codec: what is stored of each takes whole blocks; 64 KiB or more gain most\n", cli.ByteSize(int64(chunkBytes)))
	}
}
