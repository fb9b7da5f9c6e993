import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { describe, expect, test } from "vitest"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { startCommand } from "../support/mail/node-command.ts"

const MAIN = new URL("../../probe-node/main.ts", import.meta.url).pathname
const [edge, node] = await Promise.all(["edge-1", "node-1"].map(generateKeyPair))

const start = (env: Record<string, string>, args: string[] = []) =>
  startCommand({ file: MAIN, args, env: { PATH: process.env.PATH ?? "", ...env } })

const GOOD = {
  PROBE_PORT: "0",
  PROBE_NODE_ID: "eu-1",
  PROBE_HELO: "probe1.example.com",
  PROBE_MAIL_FROM: "probe@example.com",
  PROBE_TRUSTED_KEYS: edge!.publicKey,
  PROBE_SIGNING_KEY: node!.signingKey,
}

describe("the node as a process", () => {
  test("prints its address, and exits on SIGTERM", async () => {
    const { child, output } = start(GOOD)
    await once(child.stdout, "data")
    const url = /^probe node eu-1 listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(output.out)?.[1]
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" })
    child.kill("SIGTERM")
    const [code] = await once(child, "close")
    expect(code).toBe(0)
    const events = output.err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event)
    expect(events).toEqual(["draining", "stopped"])
  })

  test.each([
    ["closed beyond loopback, and the log names the setting", {}, 401, ["metrics_closed"]],
    ["open to the token", { PROBE_METRICS_TOKEN: "token-of-the-test" }, 200, []],
  ])("metrics are %s", async (_, settings, status, events) => {
    const { child, output } = start({ ...GOOD, PROBE_HOST: "0.0.0.0", ...settings })
    await once(child.stdout, "data")
    const url = /listening on (http:\S+)/.exec(output.out)?.[1]
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer token-of-the-test" } })
    child.kill("SIGKILL")
    await once(child, "close")
    expect(answer.status).toBe(status)
    const lines = output.err.split("\n").filter((line) => line.includes("metrics"))
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(events)
    for (const line of lines) expect(line).toContain("PROBE_METRICS_TOKEN")
    expect(output.err).not.toContain("token-of-the-test")
  })

  test("reports every invalid setting and does not start", async () => {
    const { child, output } = start({ ...GOOD, PROBE_HELO: "localhost", PROBE_PORT: "x" })
    const [code] = await once(child, "close")
    expect(code).toBe(1)
    expect(output.out).toBe("")
    expect(
      output.err
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ").slice(0, 3).join(" ")),
    ).toEqual(["probe node: PROBE_PORT", "probe node: PROBE_HELO"])
  })

  test.each([
    ["PROBE_PORT", { PROBE_HOST: "127.0.0.1" }, /EADDRINUSE/],
    ["PROBE_HOST", { PROBE_HOST: "203.0.113.9" }, /EADDRNOTAVAIL/],
  ])("%s: reports in one line that it cannot listen, and exits", async (_, settings, reason) => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as AddressInfo
    const { child, output } = start({ ...GOOD, PROBE_PORT: String(port), PROBE_DOCTOR_HOSTS: "off", ...settings })
    const [code] = await once(child, "close")
    taken.close()
    expect(code).toBe(1)
    expect(output.err).toMatch(/^probe node: PROBE_HOST and PROBE_PORT: .*\n$/)
    expect(output.err).toMatch(reason)
  })

  test("a closed output pipe is no error", async () => {
    const { child, output } = start(GOOD, ["--help"])
    child.stdout.destroy()
    expect([(await once(child, "close"))[0], output.err]).toEqual([0, ""])
  })

  test("without a command it serves, with the given options", async () => {
    const { child, output } = start({}, ["--settings", "gone.env"])
    expect([(await once(child, "close"))[0], output.err]).toEqual([1, expect.stringContaining("gone.env")])
  })

  test.each(["--help", "-h", "help"])("%s lists the commands", async (word) => {
    const { child, output } = start({}, [word])
    expect([(await once(child, "close"))[0], output.err]).toEqual([0, ""])
    for (const name of ["serve", "doctor", "check", "enrol", "keygen"]) expect(output.out).toContain(name)
  })

  test("rejects an unknown command", async () => {
    const { child, output } = start({}, ["dance"])
    const [code] = await once(child, "close")
    expect([code, output.err]).toEqual([
      1,
      expect.stringMatching(/^probe node: unknown command "dance": use one of serve/),
    ])
  })
})
