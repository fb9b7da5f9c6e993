import { startStack } from "../dev/stack.ts"
import { workerdOf } from "./process-stats.ts"

/** The line of JSON that the service prints for a bench. */
export interface Service {
  readonly url: string
  readonly adminSecret: string
  /** Process ids by name. */
  readonly pids: Readonly<Record<string, number>>
}

/**
 * Runs the service as `npm start` does, in a separate process: pauses of the service would delay a load generator in
 * the same process and distort the times. Settings come from the environment.
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
