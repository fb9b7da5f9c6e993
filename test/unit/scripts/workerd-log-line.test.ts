import { expect, test } from "vitest"
import { logLine } from "../../../scripts/dev/workerd/workerd-process.ts"

const structured = (message: string) => JSON.stringify({ timestamp: 1, level: "error", message })
const STACK =
  "\nstack: /work/workerd@2b5edc0 /work/workerd@3fe4230; sentryErrorContext = jsgInternalError; wdErrId = v1s9"

test.each([
  ["a line of the Worker itself", structured('{"event":"request"}'), '{"event":"request"}'],
  ["a plain line", "Socket api: bind(): Address already in use", "Socket api: bind(): Address already in use"],
  ["a line that only looks structured", "{not json", "{not json"],
  ["a notice about V8's cache", structured("NOSENTRY per-isolate bootstrap compile cache failed its check"), null],
  [
    "a name that cannot be resolved",
    structured(`e = rust/worker/ffi.rs:104: failed: failed to lookup address information: Name unknown${STACK}`),
    null,
  ],
  ["a network that is down", structured(`e = rust/worker/ffi.rs:104: failed: Network is unreachable${STACK}`), null],
  [
    "a TLS failure, without the program's addresses",
    structured(`e = rust/worker/ffi.rs:104: failed: TLS handshake failed: InvalidContentType${STACK}`),
    "e = rust/worker/ffi.rs:104: failed: TLS handshake failed: InvalidContentType",
  ],
  [
    "a CONNECT request",
    structured("Uncaught exception: remote.jsg.Error: Handler does not export a connect() function."),
    "a CONNECT request was refused: the service is not a proxy",
  ],
  ["the hint before it", "Received a connect event but we lack a handler. Did you remember to export it?", null],
])("%s", (_, line, expected) => {
  expect(logLine(line)).toBe(expected)
})
