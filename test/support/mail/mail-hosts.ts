import { freePort } from "../../../scripts/dev/parts.ts"
import { type EngineSetup, testEngine } from "./probe-engine.ts"
import { type Script, type ScriptedServer, startScriptedSmtp } from "./smtp-script.ts"

/**
 * Starts MX hosts mx1.test, mx2.test, … on one port of 127.0.4.1, 127.0.4.2, …, and adds them to `servers`. A host
 * without a script is closed.
 */
export async function serveMailHosts(
  servers: { close(): unknown }[],
  scripts: readonly (Script | null)[],
  setup: Partial<EngineSetup> = {},
) {
  const started: (ScriptedServer | null)[] = []
  // No other process gets this port, so the hosts without a script are closed.
  const port = await freePort("127.0.4.1")
  for (const [at, script] of scripts.entries()) {
    const server = script && (await startScriptedSmtp(script, `127.0.4.${at + 1}`, port))
    if (server) servers.push(server)
    started.push(server)
  }
  const hosts = Object.fromEntries(scripts.map((_, at) => [`mx${at + 1}.test`, [`127.0.4.${at + 1}`]]))
  const mx = scripts.map((_, at) => ({ host: `mx${at + 1}.test`, preference: 10 * (at + 1) }))
  const engine = testEngine({ port, hosts, ...setup })
  return { started, engine, mx, sessions: () => started.map((server) => server?.sessions.length ?? 0) }
}
