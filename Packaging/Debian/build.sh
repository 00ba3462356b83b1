#!/bin/bash
# Builds a Debian package of a release binary: BINARY=… build.sh DIRECTORY. Prints its path.
# The same binary and sources give the same package, byte for byte.
set -euo pipefail
umask 022

[ -x "${BINARY:-}" ] || { echo "error: BINARY must name a release binary of subledger." >&2; exit 2; }
directory="$(realpath "${1:?error: name the directory of the package.}")"
BINARY="$(realpath "$BINARY")"
here="$(realpath "$(dirname "$0")")"
cd "$here/../.."

program_version="$("$BINARY" --version)"
# With the commit: apt may take another build of an installed version for the installed one.
commit="$(TZ=UTC git log -1 --date=format-local:%Y%m%d%H%M%S --abbrev=8 --format=%cd.%h 2>/dev/null || true)"
version="$program_version${commit:+"+$commit"}"
architecture="$(dpkg --print-architecture)"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}"
maintainer="Subledger maintainers <maintainers@subledger.invalid>"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
root="$work/root"
documents="$root/usr/share/doc/subledger"

# --- Files ---

install -D "$BINARY" "$root/usr/bin/subledger"
strip --strip-unneeded "$root/usr/bin/subledger"
install -D -m 644 -t "$root/usr/lib/systemd/system" Examples/subledger.service Examples/subledger@.service
install -D -m 644 "$here/sysusers.conf" "$root/usr/lib/sysusers.d/subledger.conf"
install -D -m 644 -t "$root/etc/subledger" "$here/subledger.yaml"

# Links between the pages are relative, so the tree stays as it is.
mkdir -p "$documents"
find README.md BENCHMARKS.md CONTRIBUTING.md Docs Examples Sources -type f \
  \( -name '*.md' -o -name openapi.yaml -o -path 'Docs/*' -o -path 'Examples/*' \) \
  -exec install -D -m 644 {} "$documents/{}" \;
install -m 644 LICENSE "$documents/copyright"
gzip -9n > "$documents/changelog.gz" <<END
subledger ($version) stable; urgency=medium

  * Version $version.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
chmod 644 "$documents/changelog.gz"

man="$root/usr/share/man/man1"
mkdir -p "$man"
"$BINARY" --experimental-dump-help |
  "$here/man.py" "$man" "$program_version" "$(date -u -I -d "@$SOURCE_DATE_EPOCH")"
gzip -9n "$man"/*.1

complete() {
  mkdir -p "$root/usr/share/$(dirname "$2")"
  "$BINARY" --generate-completion-script "$1" | sed '1{/^#!/d}' > "$root/usr/share/$2"
}
complete bash bash-completion/completions/subledger
complete zsh zsh/vendor-completions/_subledger
complete fish fish/vendor_completions.d/subledger.fish

# --- Control ---

# What dpkg-shlibdeps reads: it needs a source package around the binary.
mkdir -p "$work/debian"
printf 'Source: subledger\n\nPackage: subledger\nArchitecture: any\n' > "$work/debian/control"
libraries="$(cd "$work" && dpkg-shlibdeps -O "$root/usr/bin/subledger" 2>/dev/null | sed -n 's/^shlibs:Depends=//p')"
[ -n "$libraries" ] || { echo "error: dpkg-shlibdeps does not know the libraries of $BINARY." >&2; exit 1; }

mkdir "$root/DEBIAN"
cat > "$root/DEBIAN/control" <<END
Package: subledger
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size "$root" | cut -f 1)
Depends: $libraries, ca-certificates, tzdata, systemd | systemd-standalone-sysusers
Section: net
Priority: optional
Description: event-sourced ledger of App Store subscriptions
 Takes the notifications that Apple signs, verifies them and keeps them as
 immutable events, and answers what state a subscription is in and why, with
 the events that prove it.
 .
 The package starts no service: configure /etc/subledger/subledger.yaml, then
 enable subledger.service, or subledger@NODE.service for each node over a
 database. The ledger in /var/lib/subledger is never removed.
END
echo /etc/subledger/subledger.yaml > "$root/DEBIAN/conffiles"
install -t "$root/DEBIAN" "$here"/{postinst,prerm,postrm}
(cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z |
  xargs -0 md5sum) > "$root/DEBIAN/md5sums"

find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
package="$directory/subledger_${version}_$architecture.deb"
dpkg-deb --root-owner-group -Z"${DEB_COMPRESSION:-xz}" --build "$root" "$package" >/dev/null
echo "$package"
