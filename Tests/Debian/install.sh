#!/bin/bash
# Installs, upgrades, removes and purges a package with dpkg: install.sh PACKAGE.
#
# Below a directory of its own, with a copy of this machine's dpkg database: dependencies are
# compared with what is installed here, and nothing of the machine changes. Maintainer scripts run
# with DPKG_ROOT. Needs root, or user namespaces.
set -euo pipefail

package="$(realpath "${1:?error: name a package.}")"
for program in dpkg systemd-sysusers groff; do
  command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 0; }
done
if [ "$(id -u)" != 0 ]; then
  unshare -r true 2>/dev/null || { echo "skipped: neither root nor user namespaces"; exit 0; }
  exec unshare -r "$0" "$package"
fi

root="$(mktemp -d)"
trap 'rm -rf "$root"' EXIT
fail() { echo "error: $*" >&2; exit 1; }

mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers} "$root/etc" "$root/tmp"
: > "$root/var/lib/dpkg/available"
# Without a package of this name that may be installed here.
awk 'BEGIN { RS = ""; ORS = "\n\n" } $0 !~ /(^|\n)Package: subledger\n/' /var/lib/dpkg/status > "$root/var/lib/dpkg/status"
cp /var/lib/dpkg/info/*.list "$root/var/lib/dpkg/info/"
rm -f "$root/var/lib/dpkg/info/subledger.list"

dpkg_here() {
  dpkg --root="$root" --force-script-chrootless --no-triggers --no-debsig "$@" \
    > "$root/tmp/dpkg.log" 2>&1 || { cat "$root/tmp/dpkg.log" >&2; fail "dpkg $1"; }
}
status() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Status}' subledger 2>/dev/null || true; }
present() { [ -e "$root/$1" ] || fail "$1 is missing"; }
absent() { [ ! -e "$root/$1" ] || fail "$1 is still there"; }

# --- Installed ---

dpkg_here -i "$package"
[ "$(status)" = installed ] || fail "the package is $(status)"
version="$(dpkg-deb -f "$package" Version)"
[ "$("$root/usr/bin/subledger" --version)" = "${version%%+*}" ] || fail "the binary has another version"
dpkg --root="$root" --verify subledger | grep . && fail "files differ from their sums"
grep -q '^subledger:.*:/var/lib/subledger:' "$root/etc/passwd" || fail "there is no user subledger"

# As Service.md describes it, before the first start: with the app of the shipped configuration,
# and as the user, where this process may become another one.
data="$root/var/lib/subledger"
[ -d "$data" ] || fail "there is no directory for the ledger"
[ "$(stat -c %a "$data")" = 750 ] || fail "the directory has the mode $(stat -c %a "$data")"
sed -e '/^# apps:/,/appAppleId/s/^# //' -e "s|^dataDirectory: |&$root|" \
  "$root/etc/subledger/subledger.yaml" > "$root/tmp/configured.yaml"
grep -q "^dataDirectory: $data\$" "$root/tmp/configured.yaml" || fail "the configuration names another directory"
IFS=: read -r _ _ user group _ < <(grep '^subledger:' "$root/etc/passwd")
chmod 755 "$root"
as_user=(setpriv --reuid "$user" --regid "$group" --clear-groups)
if "${as_user[@]}" "$root/usr/bin/subledger" --version >/dev/null 2>&1; then
  [ "$(stat -c %u:%g "$data")" = "$user:$group" ] || fail "the user does not own the directory"
else
  echo "skipped: the checks of the configuration run as root"
  as_user=()
fi
"${as_user[@]}" "$root/usr/bin/subledger" doctor --config "$root/tmp/configured.yaml" \
  > "$root/tmp/doctor.txt" 2>&1 || { cat "$root/tmp/doctor.txt" >&2; fail "doctor refuses the configuration"; }

mkdir "$root/tmp/man"
cp "$root"/usr/share/man/man1/*.1.gz "$root/tmp/man"
gunzip "$root"/tmp/man/*.gz
# Warnings name their page.
warnings="$(groff -K utf8 -man -ww -rLL=80n -Tutf8 -Z "$root"/tmp/man/*.1 2>&1 >/dev/null)"
[ -z "$warnings" ] || fail "$warnings"
present usr/share/man/man1/subledger-audit-verify.1.gz
bash -n "$root/usr/share/bash-completion/completions/subledger" || fail "bash cannot read its completion"
if command -v zsh >/dev/null; then
  zsh -fc 'fpath=("$1/usr/share/zsh/vendor-completions" $fpath); autoload -Uz compinit; compinit -D -u
    [ "$_comps[subledger]" = _subledger ] && autoload +X _subledger' zsh "$root" || fail "zsh does not load its completion"
else echo "skipped: zsh is not installed"; fi
# What a shell completes the last of these words to, beside the file configured.yaml.
in_bash() {
  root="$root" bash -c '
    PATH="$root/usr/bin:$PATH"; shopt -s extglob
    . "$root/usr/share/bash-completion/completions/subledger"
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
    _subledger subledger "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[@]}"' bash "$@" 2>/dev/null
}
in_fish() {
  fish --no-config -c "source $root/usr/share/fish/vendor_completions.d/subledger.fish; complete -C '$*'" | cut -f 1
}
for shell in bash fish; do
  command -v "$shell" >/dev/null || { echo "skipped: $shell is not installed"; continue; }
  while read -r wanted words; do
    # shellcheck disable=SC2086 # The words of a line.
    answer="$(cd "$root/tmp" && "in_$shell" $words </dev/null)"
    [ "$answer" = "$wanted" ] || fail "$shell completes \`$words\` as \`$answer\`"
  done <<END
churn subledger chur
sandbox subledger find 1 --environment s
quarter subledger churn --interval q
configured.yaml subledger doctor --config conf
configured.yaml subledger ingest conf
END
done

# --- Upgraded, removed, purged ---

echo '# a change of the operator' >> "$root/etc/subledger/subledger.yaml"
echo evidence > "$root/var/lib/subledger/log"
dpkg_here -i "$package"
grep -q 'a change of the operator' "$root/etc/subledger/subledger.yaml" || fail "the upgrade replaced the configuration"

dpkg_here -r subledger
[ "$(status)" = config-files ] || fail "after removal the package is $(status)"
absent usr/bin/subledger
absent usr/share/doc/subledger
absent usr/lib/systemd/system/subledger.service
present etc/subledger/subledger.yaml
dpkg_here -P subledger
[ -z "$(status)" ] || [ "$(status)" = not-installed ] || fail "after purging the package is $(status)"
absent etc/subledger
present var/lib/subledger/log
echo "verdict: sound"
