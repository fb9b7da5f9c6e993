import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type Sandbox, type Stack, startStack } from "../../../scripts/dev/stack.ts"
import type { ConnectedTool } from "../providers/connected-tools.ts"
import { startExternalServices } from "../providers/external-services.ts"
import { startProviders } from "../providers/providers.ts"
import { freeHost } from "../providers/webhook-receiver.ts"
import { addToStackLog, stackLog } from "../report/stack-log.ts"
import { ON_SQLD, startDatabaseServer } from "./database-server.ts"

/** What the stack provides to each test. */
interface StackContext {
  stackUrl: string
  adminSecret: string
  /** The folder of the stack's files, and the address of its database. */
  dataDir: string
  database: { url: string; authToken: string }
  nodeUrl: string
  sandbox: Sandbox
  outsideUrl: string
  /** A free address for webhook receivers of a test. */
  webhookHost: string
  providerUrls: Readonly<Record<"hibp" | "google" | "accounts" | "microsoft" | "hooks" | ConnectedTool, string>>
}

declare module "vitest" {
  interface ProvidedContext extends StackContext {}
}

interface SharedStack {
  readonly values: StackContext
  /** Fails when the stack logged a bug, an address or a secret. */
  stop(): Promise<void>
}

/** Global, because each test project loads this file separately. */
const shared = globalThis as { mailverdictStack?: { readonly starting: Promise<SharedStack>; users: number } }

/** One stack for all end-to-end tests of a run, also those of several projects. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.mailverdictStack ??= { starting: startShared(), users: 0 }
  const own = shared.mailverdictStack
  own.users++
  const { values, stop } = await own.starting
  for (const name of Object.keys(values) as (keyof StackContext)[]) project.provide(name, values[name])
  return async () => {
    if (--own.users === 0) await stop()
  }
}

/** The stack of `npm start`, on free ports and in a temporary folder. */
async function startShared(): Promise<SharedStack> {
  const dataDir = mkdtempSync(join(tmpdir(), "mailverdict-e2e-"))
  const outside = await startExternalServices()
  const providers = await startProviders()
  const webhookHost = await freeHost()
  // On sqld the stack gets a database of the operator; otherwise it starts its own, as in `npm start`.
  const sqld = ON_SQLD ? await startDatabaseServer(dataDir) : null
  const stack = await startStack({
    port: 0,
    dataDir,
    sandbox: true,
    settings: {
      ...(sqld ? { LIBSQL_URL: sqld.url, LIBSQL_AUTH_TOKEN: sqld.authToken } : {}),
      SANDBOX_GREYLIST_SECONDS: "1",
      RECHECK_SECONDS: "3,3,3",
      BULK_RETRY_SECONDS: "2,1",
      CRON_MINUTE_MS: "1000",
      CLIENT_IP_HEADER: "x-real-ip",
      ANONYMOUS_PER_MINUTE: "100000",
      ANONYMOUS_PER_MONTH: "1000000",
      ...outside.settings,
      ...providers.settings,
      WEBHOOK_ALLOW_HOSTS: `${providers.settings.WEBHOOK_ALLOW_HOSTS},${webhookHost}`,
    },
    build: false,
    onLog: (source, line) => addToStackLog(`${source} ${line}`),
    onStep: () => undefined,
  })
  const values = {
    stackUrl: stack.url,
    adminSecret: stack.secrets.adminSecret,
    dataDir,
    database: { url: stack.databaseUrl, authToken: sqld?.authToken ?? stack.secrets.libsqlToken },
    nodeUrl: stack.nodeUrl,
    sandbox: stack.sandbox!,
    outsideUrl: outside.url,
    webhookHost,
    providerUrls: providers.urls,
  }
  async function stop() {
    await stack.stop()
    await sqld?.stop()
    await outside.stop()
    await providers.stop()
    rmSync(dataDir, { recursive: true, force: true })
    const log = stackLog()
    const bugs = log.filter((line) => line.includes('"unhandled_error"'))
    if (bugs.length > 0) throw new Error(`the stack logged unhandled errors:\n${bugs.slice(0, 5).join("\n")}`)
    const named = log.filter((line) => /^worker .*[\w.+-]+@[\w-]+\.\w/.test(line))
    const secrets = secretTexts(stack.secrets)
    const leaks = log.filter(
      (line) => secrets.some((one) => line.includes(one)) || /mv_live_[0-9A-Za-z]{38}/.test(line),
    )
    if (leaks.length > 0) throw new Error(`the stack logged secrets, ${leaks.length} times`)
    if (named.length > 0) throw new Error(`the Worker logged addresses:\n${named.slice(0, 5).join("\n")}`)
  }
  return { values, stop }
}

function secretTexts({ adminSecret, keyPepper, libsqlToken, edge, node }: Stack["secrets"]): string[] {
  return [adminSecret, keyPepper, libsqlToken, edge.signingKey, node.signingKey]
}
