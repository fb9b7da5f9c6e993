#!/usr/bin/env bash
# Installs Debian's headless Chromium for test/browser, python3 for test/python, Go for test/openapi and nftables for the
# guides of test/chaos, and unpacks Debian's mail servers into a separate root for test/mta. No mail server is installed,
# configured or started on this machine. The separate root holds three packages that conflict with each other. Needs root
# and apt.
set -euo pipefail
cd "$(dirname "$0")/.."

servers=(postfix postgrey exim4-daemon-light opensmtpd)
home=$PWD/.cache/mta
root=$home/root
say() { printf '[ci-install] %s\n' "$*"; }

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  say "root and apt-get are required: nothing was installed"
  exit 1
fi
mkdir -p "$home/debs/partial"
exec 9>"$home/lock"
flock 9

apt=(apt-get -q -y --no-install-recommends -o Acquire::Retries=3 -o Acquire::http::Timeout=20
  -o Acquire::https::Timeout=20 -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0)

# A failure is no error here: the tests that need the package report it, and the mail servers need none.
install() {
  say "installing $1"
  "${apt[@]}" update >/dev/null || say "apt-get update failed; using the existing package lists"
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install "$@" >"$home/$1.log" 2>&1 || {
    tail -n 5 "$home/$1.log"
    say "$1 could not be installed"
  }
}
command -v chromium-headless-shell >/dev/null || install chromium-headless-shell fonts-dejavu-core
# Debian's python3 has no pip and no venv of its own.
python3 -c 'import ensurepip, venv' 2>/dev/null || install python3 python3-venv
# The clean roots of test/chaos/guides.test.ts have the packages of this machine.
command -v nft >/dev/null || install nftables

# Debian 12 has Go 1.19, which is too old for test/openapi. It downloads a newer one as a module, which Go's checksum
# database verifies. Archives of modules have no executable files.
go=$PWD/.cache/go
has_go() { (cd test/openapi && PATH=$go/bin:$PATH go list -m) >/dev/null 2>&1; }
install_go() {
  local toolchain=golang.org/toolchain@v0.0.1-go1.26.8.linux-$(dpkg --print-architecture)
  command -v go >/dev/null || install golang-go
  say "downloading Go"
  rm -rf "$go" "$go.module"
  (cd / && timeout 300 env GOFLAGS=-modcacherw GOMODCACHE="$go.module" go mod download "$toolchain") &&
    chmod -R +x "$go.module/$toolchain"/{bin,pkg/tool} && mv "$go.module/$toolchain" "$go" && rm -rf "$go.module"
}
has_go || install_go || say "Go could not be installed"

stamp=$(sha256sum "$0" | cut -c1-16)
if [ "$(cat "$root/.stamp" 2>/dev/null)" = "$stamp" ]; then
  say "already in $root"
  exit 0
fi

# With an empty package status apt downloads every library. Each server separately, because the packages conflict.
: >"$home/nothing-installed"
elsewhere=(-o "Dir::State::status=$home/nothing-installed" -o "Dir::Cache::archives=$home/debs")

fetch() {
  "${apt[@]}" update >/dev/null || say "apt-get update failed; using the existing package lists"
  for server in "${servers[@]}"; do
    say "fetching $server"
    "${apt[@]}" "${elsewhere[@]}" --download-only install "$server" >"$home/apt.log" 2>&1 || {
      tail -n 5 "$home/apt.log"
      return 1
    }
  done
}

unpack() {
  local next=$home/root.next
  rm -rf "$next"
  mkdir -p "$next"/usr/{bin,sbin,lib,lib64} "$next"/{dev,etc,proc,run,tmp,srv,var/run,var/tmp}
  for merged in bin sbin lib lib64; do ln -s "usr/$merged" "$next/$merged"; done
  chmod 1777 "$next/tmp" "$next/var/tmp"
  for deb in "$home"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -C "$next" --keep-directory-symlink -xf - \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
  done
  # Where device nodes cannot be created, plain files replace them.
  mknod -m 666 "$next/dev/null" c 1 3 || install -m 666 /dev/null "$next/dev/null"
  mknod -m 666 "$next/dev/urandom" c 1 9 || head -c 4096 /dev/urandom >"$next/dev/urandom"
  add_accounts "$next"
  # Names resolve only from the hosts file.
  printf '127.0.0.1 localhost\n' >"$next/etc/hosts"
  printf 'hosts: files\n' >"$next/etc/nsswitch.conf"
  printf 'lookup file\nnameserver 127.0.0.1\n' >"$next/etc/resolv.conf"
  echo "$stamp" >"$next/.stamp"
  rm -rf "$root"
  mv "$next" "$root"
}

# The accounts that the packages would create, and two users. The .forward file of one user is invalid.
add_accounts() {
  local number=990
  printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n' >"$1/etc/passwd"
  printf 'root:x:0:\nmail:x:8:\nnogroup:x:65534:\npostdrop:x:989:\n' >"$1/etc/group"
  for account in postfix Debian-exim opensmtpd opensmtpq postgrey alice bob; do
    number=$((number + 1))
    printf '%s:x:%s:%s::/home/%s:/bin/false\n' "$account" "$number" "$number" "$account" >>"$1/etc/passwd"
    printf '%s:x:%s:\n' "$account" "$number" >>"$1/etc/group"
  done
  mkdir -p "$1/home/bob"
  echo '"| no end of quote' >"$1/home/bob/.forward"
  chown -R "$number:$number" "$1/home/bob"
}

for attempt in 1 2 3; do
  if fetch; then
    say "unpacking"
    unpack
    say "ready in $root ($(du -sm "$root" | cut -f1) MB)"
    exit 0
  fi
  say "attempt $attempt failed"
  sleep $((attempt * 5))
done
say "could not fetch the mail servers"
exit 1
