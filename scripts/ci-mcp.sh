#!/usr/bin/env bash
# Calls the tools of /mcp with the command line of the official MCP Inspector, a client that this repository does not
# write. The Inspector is too large for package.json: its pinned version is installed into .cache.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH

version=2.12.0
home=$PWD/.cache/mcp-inspector-$version
work=$(mktemp -d)
service=
say() { printf '[ci-mcp] %s\n' "$*"; }
finish() {
  local code=$?
  if [ -n "$service" ]; then kill "$service" 2>/dev/null || true; wait "$service" || true; fi
  [ "$code" = 0 ] || tail -n 20 "$work/service.log" 2>/dev/null || true
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT

if [ ! -x "$home/node_modules/.bin/mcp-inspector" ]; then
  say "installing the Inspector $version"
  mkdir -p "$home"
  timeout 300 npm install --prefix "$home" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    "@modelcontextprotocol/inspector@$version"
fi

PORT=0 LOG_FORMAT=json DATA_DIR="$work/data" node scripts/dev/start.ts >"$work/service.log" 2>&1 &
service=$!
url=
for _ in $(seq 180); do
  url=$(grep -oP '"event":"started".*"url":"\K[^"]+' "$work/service.log") && break
  kill -0 "$service" || exit 1
  sleep 1
done
[ -n "$url" ] || { say "the service did not start in time"; exit 1; }

key=$(curl -sf -X POST "$url/keys" -H 'Content-Type: application/json' \
  -d '{"name": "inspector", "owner_email": "someone@inbox.test"}' | grep -oP '"api_key":"\K[^"]+')

inspect() {
  MCP_CATALOG_PATH="$work/catalog.json" timeout 60 "$home/node_modules/.bin/mcp-inspector" --cli "$url/mcp" \
    --transport http --header "Authorization: Bearer $key" "$@" 2>"$work/errors.log" ||
    { tail -n 30 "$work/errors.log" >&2; return 1; }
}
# Fails unless the answer contains each text.
expect() {
  local answer=$1 text
  shift
  [ -n "$answer" ] || exit 1
  for text in "$@"; do
    grep -qF -- "$text" <<<"$answer" || { say "missing: $text"; printf '%s\n' "$answer"; exit 1; }
  done
}

say "tools/list"
# --strict fails for a schema that a known client cannot read.
expect "$(inspect --method tools/list --strict)" verify_email explain_verdict verify_list get_list find_email \
  check_domain suppress check_suppression outputSchema readOnlyHint
say "tools/call verify_email"
expect "$(inspect --method tools/call --tool-name verify_email --tool-arg email=alice@mailbox.test)" \
  structuredContent '"status": "valid"' 'Sending is safe.'
say "tools/call explain_verdict"
expect "$(inspect --method tools/call --tool-name explain_verdict --tool-arg email=nobody@mailbox.test)" \
  '"rule":' 'there is no such mailbox'
say "tools/call check_domain"
expect "$(inspect --method tools/call --tool-name check_domain --tool-arg domain=null-mx.test)" 'accepts no mail'
say "passed"
