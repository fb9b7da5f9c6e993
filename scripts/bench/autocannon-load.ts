import { readFileSync } from "node:fs"
import autocannon from "autocannon"
import type { Counted } from "./bench-edge.ts"

/** `node autocannon-load.ts <url> <paths file> <connections> <seconds> [<header>: <value>]`: replaces wrk. */
const [url = "", file = "", connections = "", seconds = "", ...headers] = process.argv.slice(2)
const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  headers: Object.fromEntries(headers.map((header) => header.split(": ", 2))),
  requests: readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((path) => ({ path })),
})
const counted: Counted = {
  requests: result.requests.total,
  seconds: result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  refused: result.non2xx,
  broken: result.errors + result.timeouts,
}
console.log(JSON.stringify(counted))
