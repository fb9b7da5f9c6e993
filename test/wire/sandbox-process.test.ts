import { connect, createServer } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { startChild } from "../../scripts/dev/child.ts"
import { freePort } from "../../scripts/dev/parts.ts"
import { startSandbox } from "../../scripts/sandbox/main.ts"

const ENV = {
  SANDBOX_SMTP_PORT: "0",
  SANDBOX_DNS_PORT: "0",
  SANDBOX_DOH_PORT: "0",
  SANDBOX_GREYLIST_SECONDS: "1",
  SANDBOX_UPSTREAM: "http://127.0.0.1:9/dns-query",
}
const FREE = { smtpPort: 0, dnsPort: 0, dohPort: 0, greylistSeconds: 1, latencyMs: 0, upstream: [] }

describe("the sandbox as a process", () => {
  it("prints its addresses in one line, and exits on SIGTERM with open connections", async () => {
    const lines: string[] = []
    const child = await startChild("sandbox", "scripts/sandbox/main.ts", {
      env: ENV,
      onLine: (line) => lines.push(line),
    })
    const ready = JSON.parse(child.readyLine)
    expect(ready).toEqual({
      smtpPort: expect.any(Number),
      smtpNetwork: "127.42.0.0/16",
      dnsAddress: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      dohUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/dns-query$/),
    })
    const pages = new URL("/sandbox/log", ready.dohUrl)
    expect((await fetch(pages)).status).toBe(200)
    pages.hostname = "127.0.0.2"
    await expect(fetch(pages), "pages at another address of the machine").rejects.toThrow()
    const hanging = connect(ready.smtpPort, "127.42.0.22")
    hanging.on("error", () => undefined)
    await new Promise((resolve) => hanging.once("connect", resolve))
    await child.stop()
    expect(await child.ended).toBe(0)
    expect(lines).toEqual([])
  })

  it("reports why it cannot start", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.42.0.36", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address ? address.port : 0
    await expect(startSandbox({ ...FREE, smtpPort: port })).rejects.toMatchObject({ code: "EADDRINUSE" })
    const env = { ...ENV, SANDBOX_SMTP_PORT: String(port) }
    await expect(startChild("sandbox", "scripts/sandbox/main.ts", { env, onLine: () => undefined })).rejects.toThrow(
      /exit code 1\).\nThe sandbox did not start: .*EADDRINUSE/,
    )
    taken.close()
  })

  it("can be started again on the same ports", async () => {
    const [smtpPort, dnsPort, dohPort] = [
      await freePort("127.42.0.10"),
      await freePort("127.0.0.1"),
      await freePort("127.0.0.1"),
    ]
    for (const _ of ["first", "again"]) {
      const sandbox = await startSandbox({ ...FREE, smtpPort, dnsPort, dohPort })
      expect(sandbox).toMatchObject({
        smtpPort,
        dnsAddress: `127.0.0.1:${dnsPort}`,
        dohUrl: `http://127.0.0.1:${dohPort}/dns-query`,
      })
      await sandbox.stop()
    }
  })

  it("waits before each reply when a latency is set", async () => {
    const latencyMs = 61_234
    const waiting: (() => void)[] = []
    const { setTimeout: start } = globalThis
    const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms = 0) => {
      if (ms !== latencyMs) return start(callback, ms)
      waiting.push(callback)
      return start(() => undefined, 0)
    }) as typeof setTimeout)
    onTestFinished(() => timers.mockRestore())
    const slow = await startSandbox({ ...FREE, latencyMs })
    const replies = () => slow.log().connections[0]?.replies.map((reply) => reply.slice(0, 3))
    const socket = connect(slow.smtpPort, "127.42.0.10")
    const nextReply = async () => {
      await expect.poll(() => waiting.length).toBe(1)
      const before = replies()
      waiting.pop()!()
      await expect.poll(replies).not.toEqual(before)
      return [before, replies()]
    }
    expect(await nextReply()).toEqual([[], ["220"]])
    socket.write("QUIT\r\n")
    expect(await nextReply()).toEqual([["220"], ["220", "221"]])
    await slow.stop()
  })
})
