import { type Service, startBenchStack } from "./bench-run.ts"
import { workerdOf } from "./process-stats.ts"

/**
 * Runs the service as `npm start` does, in a separate process: pauses of the service would delay a load generator in
 * the same process and distort the times. Settings come from the environment.
 */
const stack = await startBenchStack({ dataDir: process.env.DATA_DIR!, settings: process.env, build: false })
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
