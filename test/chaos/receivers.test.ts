import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ChaosStack } from "../support/stack/chaos-stack.ts"

/** Faulty receivers by path. Other paths answer 200. */
const FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/never": () => undefined,
  "/drip": (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write("."), 500)
    response.once("close", () => clearInterval(timer))
  },
  "/endless": (response) => {
    response.writeHead(500)
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
      if (!response.destroyed) response.once("drain", more)
    }
    more()
  },
}
let sent = 0
const requested: string[] = []
let server: Server
let url = ""
let chaos: ChaosStack

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    requested.push(request.url ?? "")
    const fault = FAULTS[request.url ?? ""]
    if (fault) fault(response)
    else response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  url = `http://${host}`
  chaos = await ChaosStack.start({ settings: { WEBHOOK_ALLOW_HTTP: "1", WEBHOOK_ALLOW_HOSTS: host } })
  await chaos.nodeIs("node-0", "healthy")
})
afterAll(async () => {
  await chaos.stop()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const submit = async (key: string, path: string) => {
  const body = { emails: ["alice@mailbox.test"], webhook_url: url + path }
  expect((await chaos.call("/validate/bulk/async", { key, body })).status).toBe(200)
}
interface Deliveries {
  readonly deliveries: readonly { readonly state: string; readonly attempts: readonly { readonly outcome: string }[] }[]
}
const attempts = async (key: string) =>
  (await chaos.call<Deliveries>("/webhooks/deliveries", { key })).body.deliveries.flatMap((one) => one.attempts)

test("receivers that hang, drip or never end delay no other receiver, and are retried", async () => {
  const bad = await Promise.all(Object.keys(FAULTS).map(async (path) => ({ path, key: await chaos.newKey() })))
  const good = await chaos.newKey()
  await Promise.all(bad.map(({ path, key }) => submit(key, path)))
  await expect.poll(() => Object.keys(FAULTS).every((path) => requested.includes(path))).toBe(true)
  await submit(good, "/good")
  await expect.poll(() => requested.includes("/good")).toBe(true)
  const never = bad.find(({ path }) => path === "/never")!
  expect(await attempts(never.key)).toEqual([]) // the attempt still waits

  await expect.poll(async () => (await attempts(never.key)).length).toBeGreaterThanOrEqual(1)
  expect((await attempts(never.key))[0]).toMatchObject({ outcome: expect.stringMatching(/time|unreachable/) })
  await chaos.rows("UPDATE outbound_events SET due_at = 0 WHERE state = 'pending'")
  await expect.poll(() => requested.filter((path) => path === "/never").length).toBeGreaterThan(1)
  expect(sent).toBeLessThan(50_000_000)
  expect(chaos.bugs).toEqual([])
})
