#!/usr/bin/env bash
# Calls the tools of /mcp with the command line of the official MCP Inspector, a client that this repository does not
# write. The Inspector is too large for package.json: its pinned version is installed into .cache.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH

version=2.12.0
home=$PWD/.cache/mcp-inspector-$version
say() { printf '[ci-mcp] %s\n' "$*"; }
source scripts/ci-service.sh

if [ ! -x "$home/node_modules/.bin/mcp-inspector" ]; then
  say "installing the Inspector $version"
  mkdir -p "$home"
  timeout 300 npm install --prefix "$home" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
    "@modelcontextprotocol/inspector@$version"
fi

start_service

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
