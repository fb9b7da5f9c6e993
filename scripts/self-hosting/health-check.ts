import { env } from "node:process"

/**
 * The container's health check: passes when the service answers and its database accepts writes. A missing probe node is
 * no failure of the container, since a restart does not open port 25. It prints what `/health` finds wrong.
 */
const answer = await fetch(`http://127.0.0.1:${env.PORT || 8787}/health`, { signal: AbortSignal.timeout(4_000) })
const { database, detail } = (await answer.json()) as { database: { writable?: boolean }; detail?: string }
console.log(detail ?? "ok")
process.exitCode = database.writable ? 0 : 1
