import { once } from "node:events"
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

  test("knows its commands", async () => {
    const { child, said } = start({}, ["dance"])
    const [code] = await once(child, "close")
    expect([code, said.err]).toEqual([
      1,
      expect.stringMatching(/^probe node: unknown command "dance": use one of serve/),
    ])
  })
})
