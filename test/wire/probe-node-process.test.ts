import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { describe, expect, test } from "vitest"
import { generateKeyPair } from "../../schema/wire/keys.ts"
import { startCommand } from "../support/node-command.ts"

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
  test("says where it listens, and ends by itself when told to stop", async () => {
    const { child, said } = start(GOOD)
    await once(child.stdout, "data")
    const url = /^probe node eu-1 listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(said.out)?.[1]
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" })
    child.kill("SIGTERM")
    const [code] = await once(child, "exit")
    expect(code).toBe(0)
    const events = said.err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).event)
    expect(events).toEqual(["draining", "stopped"])
  })

  test("names every wrong setting and does not start", async () => {
    const { child, said } = start({ ...GOOD, PROBE_HELO: "localhost", PROBE_PORT: "x" })
    const [code] = await once(child, "close")
    expect(code).toBe(1)
    expect(said.out).toBe("")
    expect(
      said.err
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ").slice(0, 3).join(" ")),
    ).toEqual(["probe node: PROBE_PORT", "probe node: PROBE_HELO"])
  })

  test.each([
    ["PROBE_PORT", { PROBE_HOST: "127.0.0.1" }, /EADDRINUSE/],
    ["PROBE_HOST", { PROBE_HOST: "203.0.113.9" }, /EADDRNOTAVAIL/],
  ])("%s: where it cannot listen it says so in a line, and ends", async (_, settings, reason) => {
    const taken = createServer().listen(0, "127.0.0.1")
    await once(taken, "listening")
    const { port } = taken.address() as AddressInfo
    const { child, said } = start({ ...GOOD, PROBE_PORT: String(port), PROBE_DOCTOR_HOSTS: "off", ...settings })
    const [code] = await once(child, "close")
    taken.close()
    expect(code).toBe(1)
    expect(said.err).toMatch(/^probe node: PROBE_HOST and PROBE_PORT: .*\n$/)
    expect(said.err).toMatch(reason)
  })

  test("a reader that has read enough is no error", async () => {
    const { child, said } = start(GOOD, ["--help"])
    child.stdout.destroy()
    expect([(await once(child, "close"))[0], said.err]).toEqual([0, ""])
  })

  test("without a command it serves, with the options given", async () => {
    const { child, said } = start({}, ["--settings", "gone.env"])
    expect([(await once(child, "close"))[0], said.err]).toEqual([1, expect.stringContaining("gone.env")])
  })

  test.each(["--help", "-h", "help"])("%s names its commands", async (word) => {
    const { child, said } = start({}, [word])
    expect([(await once(child, "close"))[0], said.err]).toEqual([0, ""])
    for (const name of ["serve", "doctor", "check", "enrol", "keygen"]) expect(said.out).toContain(name)
  })

  test("knows its commands", async () => {
    const { child, said } = start({}, ["dance"])
    const [code] = await once(child, "close")
    expect([code, said.err]).toEqual([
      1,
      expect.stringMatching(/^probe node: unknown command "dance": use one of serve/),
    ])
  })
})
