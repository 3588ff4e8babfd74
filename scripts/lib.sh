#!/usr/bin/env bash
# Builds libdrx, and installs it.
#
#   lib.sh build FOLDER                    libdrx.so.1 with the link libdrx.so, and libdrx.a
#   lib.sh install FOLDER PREFIX [DESTDIR] these, the headers, drx.pc and the manual page, below DESTDIR/PREFIX
#
# VERSION is that of drx_version() and of drx.pc. KINDS limits what is built: "so", "a" or both.
set -euo pipefail
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly sources
readonly version=${VERSION:-devel}

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
export GOFLAGS="${GOFLAGS:-} -buildvcs=false" CGO_ENABLED=1

# compile MODE FILE LDFLAGS: without the C library's resolver, which a library has no use for.
compile() {
	(cd "$sources" && go build -trimpath -tags netgo,osusergo -buildmode="$1" -ldflags "-s -w -X main.version=$version $3" -o "$2" ./cmd/libdrx)
}

# build_so: only the names of drx.h are visible, with the version of cmd/libdrx/drx.map.
build_so() {
	compile c-shared "$1/libdrx.so.1" "-extldflags '-Wl,--version-script=$sources/cmd/libdrx/drx.map -Wl,-soname,libdrx.so.1'"
	rm -f "$1/libdrx.so.h"
	ln -sf libdrx.so.1 "$1/libdrx.so"
}

# build_a: all objects become one. In it the constructors keep their order, common symbols are allocated (-d), and only the names of drx.h are visible.
build_a() {
	local objects
	objects=$(mktemp -d)
	compile c-archive "$objects/go.a" ''
	(
		cd "$objects"
		ar x go.a
		ld -r -d -o drx.o go.o 0*.o
		objcopy --wildcard --keep-global-symbol='drx_*' drx.o
		rm -f libdrx.a && ar rcs libdrx.a drx.o
	)
	mv "$objects/libdrx.a" "$1/libdrx.a"
	rm -r "$objects"
}

build() {
	local out kind
	mkdir -p "$1"
	out=$(cd "$1" && pwd)
	for kind in ${KINDS:-so a}; do "build_$kind" "$out"; done
}

install_lib() {
	local from=$1 prefix=$2 to=${3:-}$2
	install -d "$to/lib/pkgconfig" "$to/include" "$to/share/man/man3"
	install -m 755 "$from/libdrx.so.1" "$to/lib"
	ln -sf libdrx.so.1 "$to/lib/libdrx.so"
	[[ ! -f $from/libdrx.a ]] || install -m 644 "$from/libdrx.a" "$to/lib"
	install -m 644 "$sources/include/drx.h" "$sources/include/drx.hpp" "$to/include"
	install -m 644 "$sources/cmd/libdrx/drx.3" "$to/share/man/man3"
	cat >"$to/lib/pkgconfig/drx.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: drx
Description: arrays in files that grow along any dimension
Version: ${version#v}
Libs: -L\${libdir} -ldrx
Libs.private: -pthread
Cflags: -I\${includedir}
PC
}

case ${1:-} in
build) build "$2" ;;
install) install_lib "$2" "$3" "${4:-}" ;;
*) echo "lib.sh: build FOLDER, or install FOLDER PREFIX [DESTDIR]" >&2 && exit 2 ;;
esac
