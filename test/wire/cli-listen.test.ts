import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, expect, test } from "vitest"
import { type Given, type StubServer, startStub } from "../support/providers/stub-server.ts"

const main = fileURLToPath(new URL("../../src/client/cli/main.ts", import.meta.url))
const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
const DELIVERY = { event_id: "evt_1", type: "job.completed", payload: {}, attempts: [{}] }
const page = (...deliveries: object[]): Given => ({ status: 200, json: { deliveries } })

let service: StubServer
/** What the service answers to a request for deliveries. */
let deliveries: () => Given | Promise<Given>
beforeEach(async () => {
  deliveries = () => page()
  service = await startStub(({ method, path }) => {
    if (path === "/hook") return { status: 204 }
    if (path === "/webhooks/deliveries") return deliveries()
    const endpoint = { endpoint_id: "whe_1", events: ["job.completed"] }
    return { status: 200, json: method === "GET" ? { endpoints: [] } : endpoint }
  })
})
afterEach(() => service.stop())

/** Starts the command in a shell. @param rest follows the command */
function listening(rest = "") {
  const command = `"${process.execPath}" "${main}" webhooks listen --forward-to "${service.url}/hook" --poll 1`
  const env = { PATH: process.env.PATH, HOME: "/nonexistent", MAILVERDICT_URL: service.url }
  const child = spawn("bash", ["-c", `${rest === "" ? "exec " : ""}${command} --secret ${SECRET} ${rest}`], { env })
  const output = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk) => {
      output[name] += String(chunk)
    })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const ready = () => expect.poll(() => output.stderr).toContain("Signing secret")
  return { child, output, ended, ready }
}

test("listen continues after an outage", async () => {
  const { child, output, ended, ready } = listening()
  await ready()
  let refused = 0
  deliveries = () => {
    refused++
    return { status: 503 }
  }
  // The client alone gives up after four attempts.
  await expect.poll(() => refused).toBeGreaterThan(5)
  deliveries = () => page(DELIVERY)
  await expect.poll(() => output.stdout).toContain('"event_id":"evt_1"')
  child.kill("SIGINT")
  expect(await ended).toBe(0)
  expect(service.calls.at(-1)).toBe("DELETE /webhooks/endpoints/whe_1")
})

test("Ctrl+C ends listen while it waits for an answer", async () => {
  const { child, output, ended, ready } = listening()
  await ready()
  let asked = false
  deliveries = () => {
    asked = true
    return new Promise(() => undefined)
  }
  await expect.poll(() => asked).toBe(true)
  child.kill("SIGINT")
  expect(await ended).toBe(0)
  expect(output.stderr).toContain("Endpoint whe_1 is removed.")
})

test("a closed pipe ends listen at the next event", async () => {
  const { output, ended, ready } = listening("| true")
  await ready()
  deliveries = () => page(DELIVERY)
  expect(await ended).toBe(0)
  expect(output.stderr).toContain("Endpoint whe_1 is removed.")
})
