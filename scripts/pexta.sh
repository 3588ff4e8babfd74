#!/usr/bin/env bash
# Builds bin/libpexta.a with bin/pexta.h and bin/pexta.fh, for programs that use Global Arrays with
# Open MPI. As root on Debian it first installs the packages that scripts/tags lists for them.
# VERSION is the version for PEXTA_Version().
#
#   pexta.sh                            builds them
#   pexta.sh install PREFIX [DESTDIR]   installs what was built below DESTDIR/PREFIX
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" CGO_ENABLED=1

# install_packages installs the Debian packages of Global Arrays and of MPI, as root on Debian, if
# some are missing.
install_packages() {
	local missing=() p
	command -v apt-get >/dev/null && ((EUID == 0)) || return 0
	for p in gcc $(awk '$1 == "ga" || $1 == "mpi" { $1 = ""; print }' scripts/tags); do
		dpkg-query -Wf '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
	done
	((${#missing[@]} > 0)) || return 0
	echo "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

install_built() {
	local to=${2:-}$1
	install -d "$to/bin" "$to/lib" "$to/include"
	install -m 755 bin/pexta-check "$to/bin"
	install -m 644 bin/libpexta.a "$to/lib"
	install -m 644 bin/pexta.h bin/pexta.fh "$to/include"
}

if [[ ${1:-} == install ]]; then
	install_built "${2:?pexta.sh: install PREFIX}" "${3:-}"
	exit
fi
install_packages
mkdir -p bin
go build -trimpath -tags ga,mpi -buildmode=c-archive -ldflags "-X main.version=${VERSION:-devel}" -o bin/libpexta.a ./cmd/libpexta
rm -f bin/libpexta.h # written by cgo; programs include pexta.h
cp include/pexta.h include/pexta.fh bin/
go build -trimpath -o bin/ ./cmd/pexta-check
echo "bin/libpexta.a: link it before -lga, as docs/PEXTA.md says"
