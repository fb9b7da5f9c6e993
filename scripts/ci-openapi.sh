#!/usr/bin/env bash
# Lets others' tools judge the OpenAPI document of a running service: Schemathesis calls each operation, and
# openapi-python-client and oapi-codegen generate clients. Needs Python 3.10 or later with venv, Go 1.26, and their
# registries for what .cache does not have yet. Without Go, oapi-codegen does not run.
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
timeout 120 "$tools/bin/openapi-python-client" generate --path "$document" --output-path "$work/generated_client" \
  --meta none >"$work/python.log" 2>&1 || { cat "$work/python.log"; exit 1; }
generated=$(find "$work/generated_client/api" -name '*.py' ! -name __init__.py | wc -l)
if [ "$generated" != "$operations" ]; then
  grep 'will not be generated' "$work/python.log" || true
  say "$generated of $operations operations are generated"
  exit 1
fi
(cd "$work" && find generated_client -name '*.py' ! -name __init__.py | sed 's/\.py$//; s#/#.#g; s/^/import /' >import_all.py &&
  PYTHONDONTWRITEBYTECODE=1 timeout 60 "$tools/bin/python" import_all.py)

say "oapi-codegen"
# scripts/ci-install.sh downloads Go where the machine has none that is new enough.
PATH=$PWD/.cache/go/bin:$PATH
export GOMODCACHE=$home/go-modules GOFLAGS="-modcacherw -trimpath"
if (cd "$settings" && go list -m) >/dev/null 2>&1; then
  mkdir "$work/go"
  cp "$settings"/go.{mod,sum} "$work/go"
  # vet checks all types. A build would take half a minute longer and find nothing more.
  (cd "$work/go" && timeout 300 go tool oapi-codegen -config "$settings/oapi-codegen.yaml" "$document" && timeout 300 go vet .)
elif [ -n "${GO_REQUIRED:-}" ]; then
  say "Go 1.26 is missing"
  exit 1
else
  say "skipped: Go 1.26 is missing"
fi

say "Schemathesis"
# Calls a path with a body and answers the value of a field. The credential is the last parameter.
field() {
  curl -sf -X POST "$url$1" -H "$4" -H 'Content-Type: application/json' -d "$2" | grep -oP "\"$3\":\"\K[^\"]+"
}
OPENAPI_ADMIN_SECRET=$(grep -oP '"adminSecret": *"\K[^"]+' "$work/data/secrets.json")
admin="X-Admin-Secret: $OPENAPI_ADMIN_SECRET"
account=$(field /admin/users '{"email": "schemathesis@inbox.test"}' account_id "$admin")
OPENAPI_KEY=$(field "/admin/users/$account/keys" '{"name": "calls", "tier": "unlimited"}' api_key "$admin")
OPENAPI_FORM_KEY=$(field /keys '{"name": "form", "owner_email": "schemathesis@inbox.test", "kind": "publishable",
  "allowed_origins": ["https://shop.example"]}' api_key "X-API-Key: $OPENAPI_KEY")
link=$(field "/admin/users/$account/sign-in-link" '{}' url "$admin")
OPENAPI_SESSION=$(field /auth/verify "{\"token\": \"${link##*/}\"}" session_token "$admin")
OPENAPI_SPARE_ACCOUNT=$(field /admin/users '{"email": "spare@inbox.test"}' account_id "$admin")
OPENAPI_SPARE_KEY=$(field "/admin/users/$account/keys" '{"name": "spare", "tier": "free"}' key_id "$admin")
OPENAPI_PROGRAM=$(field /oauth/register '{"client_name": "calls", "redirect_uris": ["https://agent.example/callback"],
  "token_endpoint_auth_method": "none"}' client_id "Accept: application/json")
OPENAPI_URL=$url
export "${!OPENAPI_@}"
# It writes a cache into the current directory.
(cd "$work" && PYTHONPATH=$settings timeout 300 "$tools/bin/schemathesis" --config-file "$settings/schemathesis.toml" \
  run "$document" --no-color)
say "passed"
