#!/usr/bin/env bash
# Lints and builds the n8n package with n8n's own tools, and runs its node in n8n's engine (n8n-core) against a service.
# n8n itself is left out: the installation of its SQLite downloads a binary from GitHub. The tools are too large for
# package.json: those of test/n8n/package-lock.json are installed into .cache (380 MB).
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH
say() { printf '[ci-n8n] %s\n' "$*"; }
source scripts/ci-service.sh

home=$PWD/.cache/n8n-$(sha256sum test/n8n/package-lock.json | cut -c1-12)
if [ ! -e "$home/installed" ]; then
  say "installing n8n's tools"
  rm -rf .cache/n8n-*
  mkdir -p "$home"
  cp test/n8n/package*.json "$home"
  timeout 400 npm ci --prefix "$home" --no-audit --no-fund --ignore-scripts --loglevel=error
  touch "$home/installed"
fi
cp test/n8n/*.ts test/n8n/tsconfig.json "$home"
rm -rf "$home/package"
cp -r src/n8n "$home/package"
# Strict packages must use n8n's configuration unchanged, so it is not copied into the repository.
cp "$home/node_modules/@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs" "$home/package"
cp LICENSE "$home/package"
npm pkg set --prefix "$home/package" "version=$(node -p 'require("./package.json").version')"

say "linting"
(cd "$home/package" && timeout 120 npx --no-install n8n-node lint) | tee "$work/lint.log"
if grep -q ✖ "$work/lint.log"; then say "a warning of the linter counts"; exit 1; fi
say "building"
(cd "$home/package" && timeout 120 npx --no-install n8n-node build >"$work/build.log" 2>&1) ||
  { cat "$work/build.log"; exit 1; }
(cd "$home" && timeout 120 npx --no-install tsc -p .)

start_service
key=$(curl -sf -X POST "$url/keys" -H 'Content-Type: application/json' \
  -d '{"name": "n8n", "owner_email": "someone@inbox.test"}' | grep -oP '"api_key":"\K[^"]+')
say "testing"
BASE=$url KEY=$key PACKAGE=$home/package N8N_USER_FOLDER=$work N8N_LOG_LEVEL=silent timeout 120 \
  node --test --test-reporter=spec "$home/workflow.test.ts" 2>"$work/engine.log" | tee "$work/tests.log" ||
  { cat "$work/engine.log"; exit 1; }
count() { grep -oP "$1 \K\d+" "$work/tests.log" | tail -n 1; }
[ -z "${TEST_COUNTS:-}" ] || echo "$(count pass) passed, $(count fail) failed" >>"$TEST_COUNTS"
rm -rf dist/n8n
mkdir -p dist/n8n
cp -r "$home"/package/{package.json,README.md,LICENSE,dist} dist/n8n
say "passed; the package is in dist/n8n"
