import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { unstable_readConfig } from "wrangler"
import { SCHEDULES } from "../../src/schedules/index.ts"
import { missingLines, stepsOf } from "../support/stack/guide-steps.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "mailverdict-deploy-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** 1,100 KB. Cloudflare accepts 10 MB on a paid plan, and a small upload starts fast. */
const MAX_GZIP_KIB = 1_100_000 / 1024

interface Bound {
  readonly name: string
  readonly services: readonly { readonly service: string }[]
  readonly triggers: { readonly crons: readonly string[] }
  readonly durable_objects: { readonly bindings: readonly { readonly class_name: string }[] }
  readonly migrations: readonly { readonly new_sqlite_classes?: readonly string[] }[]
  readonly queues: Readonly<Record<"producers" | "consumers", readonly { readonly queue: string }[]>>
}

let deployed: { code: number | null; output: string }
beforeAll(async () => {
  const child = spawn("npm", ["run", "deploy", "--", "--dry-run", "--outdir", join(folder, "out")], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: folder, CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += String(chunk)
    })
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  deployed = { code, output }
})

describe("npm run deploy -- --dry-run", () => {
  test("builds everything and succeeds, without network", () => {
    expect(deployed).toMatchObject({ code: 0, output: expect.stringContaining("--dry-run: exiting now") })
    expect(existsSync(join(folder, "out/worker.mjs"))).toBe(true)
    expect(deployed.output).not.toMatch(/\[(WARNING|ERROR)\]/)
  })

  test("prints what docs/deploy.md shows", () => {
    const steps = stepsOf("docs/deploy.md").filter(({ commands }) =>
      commands.join("\n").includes("npm run deploy -- --dry-run"),
    )
    expect(steps.map((step) => missingLines(step, deployed.output))).toEqual([[]])
  })

  test("stays below the size limit", () => {
    const kib = Number(/gzip: ([\d.]+) KiB/.exec(deployed.output)?.[1])
    expect(kib).toBeGreaterThan(100)
    expect(kib).toBeLessThan(MAX_GZIP_KIB)
  })

  test.each([
    ["KEY_GATE (KeyGate)", "Durable Object"],
    ["FLIGHT (Flight)", "Durable Object"],
    ["CACHE", "KV Namespace"],
    ["BULK_QUEUE (mailverdict-bulk)", "Queue"],
    ["WEBHOOK_DISPATCHER (mailverdict#WebhookDispatcher)", "Worker"],
    ["ASSETS", "Assets"],
  ])("binds %s", (binding, resource) => {
    const line = deployed.output.split("\n").find((one) => one.startsWith(`env.${binding}`))
    expect(line).toContain(resource)
  })
})

describe("wrangler.toml", () => {
  const config: Bound = unstable_readConfig({ config: join(root, "wrangler.toml") })

  test("has exactly one trigger per schedule, and one for each time", () => {
    expect(config.triggers.crons).toEqual(Object.keys(SCHEDULES))
    // Another spelling of the same minute would be a second cron for it.
    for (const cron of config.triggers.crons) expect(cron).toMatch(/^(?:(?:\d+|\*)(?: |$)){5}$/)
  })

  test("declares every Durable Object class for SQLite in the migrations", () => {
    const classes = config.durable_objects.bindings.map(({ class_name }) => class_name)
    expect(config.migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes)).toEqual(classes)
  })

  test("binds its services to its own name", () => {
    expect(config.services.map(({ service }) => service)).toEqual([config.name])
  })

  test("consumes the queues that it produces for", () => {
    const produced = config.queues.producers.map(({ queue }) => queue)
    expect(config.queues.consumers.map(({ queue }) => queue)).toEqual(produced)
  })
})
