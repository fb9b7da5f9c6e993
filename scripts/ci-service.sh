# Sourced by the scripts that call a service of their own: a sandbox on free ports, with its data in $work. The caller
# defines say, and node is that of this repository. Calls with generated values must reach no host of the Internet, so the
# service finds a closed port instead of each provider.

work=$(mktemp -d)
service=
url=
finish() {
  local code=$?
  if [ -n "$service" ]; then kill "$service" 2>/dev/null || true; wait "$service" || true; fi
  [ "$code" = 0 ] || tail -n 20 "$work/service.log" 2>/dev/null || true
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT

# Starts the service and sets its url.
start_service() {
  local setting closed=http://127.0.0.1:9
  for setting in DOH RDAP_BOOTSTRAP GRAVATAR HIBP HUBSPOT KLAVIYO MAILCHIMP SALESFORCE_LOGIN SLACK STRIPE_API \
    GOOGLE_JWKS GOOGLE_TOKEN GOOGLE_DIRECTORY MS_LOGIN MS_GRAPH; do
    export "${setting}_URL=$closed"
  done
  PORT=0 LOG_FORMAT=json DATA_DIR="$work/data" node scripts/dev/start.ts >"$work/service.log" 2>&1 &
  service=$!
  for _ in $(seq 180); do
    url=$(grep -oP '"event":"started".*"url":"\K[^"]+' "$work/service.log") && return
    kill -0 "$service" || exit 1
    sleep 1
  done
  say "the service did not start in time"
  exit 1
}
