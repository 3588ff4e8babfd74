package transfer

import (
	"fmt"
	"slices"
	"strings"

	"drx/formats"
)

// KeepCodec is the value of ExportOptions.Codec that gives each variable the codec of its array.
const KeepCodec = "keep"

// compress sets the compression of the variables in the file: that of the options, or else the
// usual one of programs for the format. If the usual one is gzip, as in HDF5 and NetCDF-4, an array
// keeps another codec only with KeepCodec, because those programs would need a plugin for it. In
// other formats an array keeps its codec if the format has it.
func (o *exporter) compress(vars []exportVar, content *formats.Content) {
	content.Deflate, content.Codec = o.Deflate, o.codec
	f, err := formats.ByName(o.Format)
	if err != nil || content.Deflate > 0 || content.Codec != (formats.CodecSpec{}) {
		return
	}
	if f.Usual.Name == "gzip" && o.Codec != KeepCodec {
		content.Deflate = f.Usual.Level
		return
	}
	for i := range vars {
		vars[i].info.Codec = f.Usual
		if own, has := vars[i].ownCodec(); has && slices.Contains(f.Codecs, own.Name) {
			vars[i].info.Codec = own
		}
	}
}

// noteCodecs notes the codecs of a file that other programs read only with a plugin: all but
// deflate.
func (o *exporter) noteCodecs(vars []exportVar, content formats.Content) {
	f, err := formats.ByName(o.Format)
	if err != nil || f.Usual.Name != "gzip" || o.Note == nil {
		return
	}
	var found []string
	for _, v := range vars {
		c := v.info.Codec
		if content.Codec != (formats.CodecSpec{}) {
			c = content.Codec
		}
		if text := c.String(); content.Deflate == 0 && !c.IsNone() && c.Name != "gzip" && v.info.Labels == nil && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	if len(found) > 0 {
		o.Note(fmt.Sprintf("format %s: other programs read %s with a plugin only, as those of hdf5plugin; all read gzip", o.Format, strings.Join(found, ", ")))
	}
}

// ownCodec returns the codec of the array that a variable is exported from, and false if it has
// none.
func (v *exportVar) ownCodec() (formats.CodecSpec, bool) {
	if v.cube == nil {
		return formats.CodecSpec{}, false
	}
	c, err := formats.ParseCodec(v.cube.Array().Layout().Codec)
	return c, err == nil && !c.IsNone()
}

// isCompressed reports whether any variable of a file is compressed.
func isCompressed(vars []exportVar, content formats.Content) bool {
	return content.Deflate > 0 || !content.Codec.IsNone() ||
		slices.ContainsFunc(vars, func(v exportVar) bool { return !v.info.Codec.IsNone() })
}
