#!/bin/sh
# Updates the container on the host, or goes back. It takes a backup first and needs no Node.
#   sh update-container.sh mailverdict-0.2.0-linux-x64.tar.gz   an unpacked release, to an archive
#   sh update-container.sh v0.2.0                               a clone, to a tag
# With --without-backup behind it, it also leaves a version that cannot make a backup.
set -eu

backup() {
  [ "$1" = --without-backup ] || docker compose run -T --rm --no-deps --entrypoint npm api run -s backup
}

# A function, because the update replaces this file.
main() {
  option=${2:-}
  here=$(cd "$(dirname "$0")" && pwd -P)
  root=${here%/scripts/self-hosting}
  if [ -e "$root/.git" ]; then
    git -C "$root" fetch --quiet --tags
    git -C "$root" rev-parse --quiet --verify "$1^{commit}" >/dev/null || { echo "there is no tag $1" >&2; exit 1; }
    cd "$here"
    backup "$option"
    git -C "$root" checkout --quiet "$1"
  else
    archive=$(realpath "$1")
    (cd "$(dirname "$archive")" && sha256sum --check --quiet "$(basename "$archive").sha256")
    cd "$here"
    backup "$option"
    # Packages that the new release does not have could be found before its own.
    rm -rf "$root/dist" "$root/node_modules"
    tar -xzf "$archive" -C "$root" --strip-components=1 --no-same-owner
  fi
  docker compose up -d --build --wait
}

main "$@"
exit
