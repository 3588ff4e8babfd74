#!/usr/bin/env bash
# Builds bin/drx-bridge with every C library that is installed. As root on Debian it first installs
# the packages that scripts/tags lists for them. Arguments are passed on to go build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"

# The packages below formats with large libraries, most of them in C, and their build tags.
readonly bridges=(hdf5:hdf5 netcdf:netcdf fits:fits gdal:gdal mat:matio parquet:parquet)

# install installs the Debian packages of all tags, as root on Debian, if some are missing.
install() {
	local bridge missing=() p
	command -v apt-get >/dev/null && ((EUID == 0)) || return 0
	for bridge in "${bridges[@]}"; do
		[[ -d formats/${bridge%:*} ]] || continue
		for p in gcc $(awk -v tag="${bridge#*:}" '$1 == tag { $1 = ""; print }' scripts/tags); do
			dpkg-query -Wf '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
		done
	done
	dpkg-query -Wf '${Status}' libdeflate-dev 2>/dev/null | grep -q 'ok installed' || missing+=(libdeflate-dev)
	((${#missing[@]} > 0)) || return 0
	echo "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
		echo 'some packages cannot be installed'
}

install
tags=
for bridge in "${bridges[@]}"; do
	name=${bridge%:*} tag=${bridge#*:}
	[[ -d formats/$name ]] || continue
	if why=$(go build -tags "$tag" "./formats/$name" 2>&1); then
		tags+=${tags:+,}$tag
	else
		echo "without $name: $(tail -n 1 <<<"$why")"
	fi
done
if go build -tags hdf5,deflate ./formats/h5chunk 2>/dev/null; then # optional: faster decoding
	tags+=${tags:+,}deflate
fi
go build -tags "$tags" -o bin/ "$@" ./cmd/drx-bridge
echo "bin/drx-bridge: $(bin/drx-bridge formats | paste -sd ' ')"
