#!/usr/bin/env bash
# Tests the container image and the systemd unit without a container engine. The tests follow the instructions of the
# Dockerfile on a minimal Debian, and start the result in namespaces of its own. Needs root, apt, npm and a network.
set -euo pipefail
cd "$(dirname "$0")/.."

home=$PWD/.cache/container
say() { printf '[ci-container] %s\n' "$*"; }

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  say "root and apt-get are required: nothing was tested"
  exit 1
fi
mkdir -p "$home"
exec 9>"$home/lock"
flock 9

apt=(apt-get -q -y --no-install-recommends -o Acquire::Retries=3 -o Acquire::http::Timeout=20
  -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0)
missing=()
for need in mmdebstrap:mmdebstrap ip:iproute2 curl:curl nft:nftables openssl:openssl systemd-analyze:systemd; do
  command -v "${need%:*}" >/dev/null || missing+=("${need#*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
  say "installing ${missing[*]}"
  "${apt[@]}" update >/dev/null || say "apt-get update failed; using the existing package lists"
  DEBIAN_FRONTEND=noninteractive "${apt[@]}" install "${missing[@]}" >"$home/apt.log" 2>&1 || {
    tail -n 5 "$home/apt.log"
    exit 1
  }
fi

# The Debian below Node's image, the same with Debian's Caddy instead of Caddy's image, and with Debian's nginx.
stamp=$(sha256sum "$0" | cut -c1-16)
if [ "$(cat "$home/stamp" 2>/dev/null)" != "$stamp" ]; then
  say "fetching Debian"
  rm -rf "$home/base" "$home/caddy" "$home/nginx" "$home/stamp"
  timeout 600 mmdebstrap --quiet --variant=minbase --mode=root bookworm "$home/base" http://deb.debian.org/debian
  for proxy in caddy nginx; do cp -a "$home/base" "$home/$proxy"; done
  (cd "$home" && "${apt[@]}" download caddy nginx nginx-common libpcre2-8-0 libssl3 >/dev/null)
  dpkg-deb --fsys-tarfile "$home"/caddy_*.deb | tar -C "$home/caddy" -x ./usr/bin/caddy
  rm "$home"/caddy_*.deb
  for deb in "$home"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -C "$home/nginx" --keep-directory-symlink -x; done
  rm "$home"/*.deb
  mkdir -p "$home/caddy"/{config,data}
  echo "$stamp" >"$home/stamp"
fi

CONTAINER=1 timeout 900 npx vitest run --config test/vitest.config.ts --project container
