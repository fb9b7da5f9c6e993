import { startStack } from "../stack.ts"
import { workerdOf } from "./process-stats.ts"

/** What a bench hears of the service it measures, as one line of JSON. */
export interface Service {
  readonly url: string
  readonly adminSecret: string
  /** Its processes by name. */
  readonly pids: Readonly<Record<string, number>>
}

/**
 * The whole service as `npm start` runs it, in a process of its own: what makes the load must not wait while this one
 * works, or its own pauses would be measured as the service's. Settings come from the environment.
 */
const stack = await startStack({
  port: 0,
  dataDir: process.env.DATA_DIR!,
  sandbox: true,
  settings: process.env,
  build: false,
  onLog: () => undefined,
  onStep: () => undefined,
})
process.once("SIGTERM", async () => {
  await stack.stop()
  process.exit(0)
})
const parts = stack.children.map(({ name, pid }) => [name, pid] as const)
const service: Service = {
  url: stack.url,
  adminSecret: stack.secrets.adminSecret,
  pids: Object.fromEntries([...parts, ["workerd", workerdOf(process.pid)], ["host", process.pid]]),
}
console.log(JSON.stringify(service))
