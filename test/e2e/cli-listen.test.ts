import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { newKey } from "../support/stack/account.ts"
import { jsonLines, runCli } from "../support/stack/run-cli.ts"

const main = fileURLToPath(new URL("../../src/client/cli/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "mailverdict-listen-"))
let env: Record<string, string>
let secret = ""

/** A developer's program: answers 204 to an event with a right signature, and else 400. */
const received: { type: string; data: Record<string, unknown> }[] = []
const program = createServer(async (request, response) => {
  try {
    const event = new Webhook(secret).verify(await text(request), request.headers as Record<string, string>)
    received.push(event as (typeof received)[number])
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
})
const hook = () => `http://127.0.0.1:${(program.address() as AddressInfo).port}/hook`

beforeAll(async () => {
  await new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve))
  const MAILVERDICT_API_KEY = (await newKey()).secret
  env = { MAILVERDICT_URL: inject("stackUrl"), MAILVERDICT_API_KEY, XDG_CONFIG_HOME: folder }
})
afterAll(() => {
  program.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

/** Starts the command as a process, because Ctrl+C ends it. */
function startListening(...args: string[]) {
  const child = spawn(process.execPath, [main, "webhooks", "listen", "--forward-to", hook(), "--poll", "1", ...args], {
    env: { PATH: process.env.PATH, ...env },
  })
  const output = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      output[name] += String(chunk)
    })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  return { child, output, ended }
}
const endpoints = async () =>
  jsonLines((await runCli(["webhooks", "list"], { env })).stdout) as { endpoint_id: string }[]
const verifyList = () => runCli(["lists", "upload", "-", "--poll", "1"], { env, input: "alice@mailbox.test\n" })

test("listen forwards job.completed with a valid signature, and removes its endpoint at the end", async () => {
  const { child, output, ended } = startListening()
  await expect.poll(() => output.stderr).toMatch(/Signing secret: whsec_\S+\n/)
  secret = /whsec_\S+/.exec(output.stderr)![0]
  expect((await verifyList()).code).toBe(0)
  await expect.poll(() => received.map(({ type }) => type)).toEqual(["job.completed"])
  expect(received[0]!.data).toMatchObject({ total: 1, status: "complete" })
  const [endpoint] = await endpoints()
  const { event_id } = jsonLines((await runCli(["webhooks", "test", endpoint!.endpoint_id], { env })).stdout)[0] as {
    event_id: string
  }
  await expect.poll(() => received.length).toBe(2)
  // A redelivery is forwarded again, and nothing else twice.
  await runCli(["webhooks", "redeliver", event_id], { env })
  await expect.poll(() => received.map(({ type }) => type)).toEqual(["job.completed", "webhook.test", "webhook.test"])
  child.kill("SIGINT")
  expect(await ended).toBe(0)
  expect(jsonLines(output.stdout)).toMatchObject([
    { type: "job.completed", http_status: 204, error: null },
    { type: "webhook.test", http_status: 204, event_id },
    { type: "webhook.test", http_status: 204, event_id },
  ])
  expect(output.stderr).toContain(`Endpoint ${endpoint!.endpoint_id} is removed.`)
  expect(await endpoints()).toEqual([])
})

test("a start after a crash uses the same endpoint and secret; a refusal of the program is shown", async () => {
  const crashed = startListening()
  await expect.poll(() => crashed.output.stderr).toContain(`Signing secret: ${secret}\n`)
  crashed.child.kill("SIGKILL")
  await crashed.ended
  const [left] = await endpoints()
  const other = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
  const { child, output, ended } = startListening("--secret", other, "--events", "job.completed")
  await expect.poll(() => output.stderr).toContain(`Signing secret: ${other}\n`)
  expect(await endpoints()).toMatchObject([{ ...left, events: ["job.completed"] }])
  await verifyList()
  await expect.poll(() => jsonLines(output.stdout)).toMatchObject([{ http_status: 400 }])
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
})
