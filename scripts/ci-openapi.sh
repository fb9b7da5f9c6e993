#!/usr/bin/env bash
# Lets others' tools judge the OpenAPI document of a running service: Schemathesis calls each operation, and
# openapi-python-client and oapi-codegen generate clients. Needs Python 3.10 or later with venv, Go, and their registries
# for what .cache/openapi does not have yet. Without Go, oapi-codegen does not run.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH

settings=$PWD/test/openapi
home=$PWD/.cache/openapi
tools=$home/tools
say() { printf '[ci-openapi] %s\n' "$*"; }
source scripts/ci-service.sh

lock=$(sha256sum <"$settings/requirements.txt")
if [ "$(cat "$tools/installed-from" 2>/dev/null)" != "$lock" ]; then
  say "installing the Python tools"
  mkdir -p "$home"
  python3 -m venv --clear "$tools"
  timeout 300 "$tools/bin/pip" install -q --disable-pip-version-check --require-hashes -r "$settings/requirements.txt"
  echo "$lock" >"$tools/installed-from"
fi

start_service
document=$work/openapi.json
curl -sf "$url/openapi.json" -o "$document"
operations=$(node -p 'Object.values(require(process.argv[1]).paths).flatMap(Object.keys).length' "$document")

say "openapi-python-client"
timeout 120 "$tools/bin/openapi-python-client" generate --path "$document" --output-path "$work/python" --meta none \
  >"$work/python.log" 2>&1 || { cat "$work/python.log"; exit 1; }
generated=$(find "$work/python/api" -name '*.py' ! -name __init__.py | wc -l)
if [ "$generated" != "$operations" ]; then
  grep 'will not be generated' "$work/python.log" || true
  say "$generated of $operations operations are generated"
  exit 1
fi

say "oapi-codegen"
if command -v go >/dev/null; then
  mkdir "$work/go"
  cp "$settings"/go.{mod,sum} "$work/go"
  (cd "$work/go" && timeout 300 go tool oapi-codegen -config "$settings/oapi-codegen.yaml" "$document" && timeout 300 go build .)
elif [ -n "${GO_REQUIRED:-}" ]; then
  say "Go is missing"
  exit 1
else
  say "skipped: Go is missing"
fi

say "Schemathesis"
secret=$(grep -oP '"adminSecret": *"\K[^"]+' "$work/data/secrets.json")
# Answers the value of a field.
admin() {
  curl -sf -X POST "$url$1" -H "X-Admin-Secret: $secret" -H 'Content-Type: application/json' -d "$2" | grep -oP "\"$3\":\"\K[^\"]+"
}
account=$(admin /admin/users '{"email": "schemathesis@inbox.test"}' account_id)
key=$(admin "/admin/users/$account/keys" '{"name": "Schemathesis", "tier": "unlimited"}' api_key)
export OPENAPI_URL=$url OPENAPI_KEY=$key OPENAPI_ADMIN_SECRET=$secret
# It writes a cache into the current directory.
(cd "$work" && timeout 600 "$tools/bin/schemathesis" --config-file "$settings/schemathesis.toml" run "$document" --no-color)
say "passed"
