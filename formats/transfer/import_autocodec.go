package transfer

import (
	"errors"
	"slices"

	"drx"
	"drx/internal/wording"
	"drx/nd"
	"drx/optionerr"
)

// smallestTried is the size, in bytes, above which codecs are tried on a variable. Less takes one
// block of the file system, compressed or not.
const smallestTried = 4 << 10

// chooseCodecs chooses the codecs of variables for drx.AutoCodec and notes them. It tries codecs on
// elements of the file after their conversion.
func (o *importer) chooseCodecs(in *importFile, p *plan) error {
	if o.Codec != drx.AutoCodec {
		return nil
	}
	for i := range p.vars {
		v := &p.vars[i]
		choice := drx.CodecChoice{Codec: "none"}
		if n, _ := v.info.Bytes(); n > smallestTried { // checked by the format
			samples, err := o.codecSamples(in, v)
			if err != nil {
				return err
			}
			choice = drx.ChooseCodec(v.spec.DType, samples...)
		}
		if v.spec.Codec = choice.Codec; o.Note != nil && choice.Tried > 0 {
			o.Note(in.name + ": " + inVariable(v.info) + "codec " + choice.String())
		}
	}
	return nil
}

// codecSamples returns the elements of some chunks of a variable, for drx.ChooseCodec.
func (o *importer) codecSamples(in *importFile, v *varPlan) (samples [][]byte, err error) {
	twice := func() error {
		return optionerr.Wrong("codec", o.Codec, "%s cannot be read twice: name a codec, or import a file", wording.Printable(in.name))
	}
	if in.stdin != nil {
		return nil, twice()
	}
	r, err := o.files.reader(in, v.info.Name)
	if err != nil {
		return nil, readError{err}
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.Info().Streamed {
		return nil, twice()
	}
	if err := sameAsListed(in.name, r.Info(), v.info); err != nil {
		return nil, err
	}
	for _, sec := range drx.CodecSamples(v.spec.DType, nd.Box(make([]int, len(v.spec.Shape)), v.spec.Shape), v.spec.ChunkShape) {
		if v.sliceDim >= 0 {
			sec = slices.Delete(sec, v.sliceDim, v.sliceDim+1)
		}
		n, _ := sec.Len() // of a section of the variable
		buf := make([]byte, n*v.info.DType.Size())
		if err := r.ReadSection(sec, buf); err != nil {
			return nil, readError{err}
		}
		converted, err := v.conv.applyTo(sec, buf)
		if err != nil {
			return nil, conversionError(in.name, v.info, sec, err)
		}
		samples = append(samples, slices.Clone(converted))
	}
	return samples, nil
}
