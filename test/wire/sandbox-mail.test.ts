import { connect } from "node:net"
import fc from "fast-check"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Sandbox, startSandbox } from "../../scripts/sandbox/main.ts"
import type { InboxMessage, SandboxLog } from "../../scripts/sandbox/server-state.ts"
import { MAIL_HOSTS } from "../../src/adapters/sandbox/mail-hosts.ts"
import { readPath, wireReply } from "../../src/adapters/sandbox/smtp-session.ts"
import { stopSteadyClock } from "../support/time/steady-clock.ts"

const HELO = "EHLO probe.mailverdict.test"
const MAIL = "MAIL FROM:<probe@mailverdict.test>"

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({
    smtpPort: 0,
    dnsPort: 0,
    dohPort: 0,
    greylistSeconds: 300,
    latencyMs: 0,
    upstream: [],
  })
})
afterAll(() => sandbox?.stop())

interface Call {
  /**
   * Each part is sent after the answer to the previous one. A part may have several commands, or a message with its
   * final dot.
   */
  readonly parts: readonly string[]
  readonly from?: string
  /** Send the first part without waiting for the greeting. */
  readonly eager?: boolean
}

/** Connects to a host, sends the parts and returns all lines until the host closes after QUIT. */
async function call(host: string, { parts, from = "127.0.0.1", eager = false }: Call): Promise<string[]> {
  const { address } = MAIL_HOSTS.find(({ name }) => name === host)!
  const socket = connect({ host: address, port: sandbox.smtpPort, localAddress: from })
  const queue = [...parts, "QUIT"]
  const expected = { replies: eager ? 0 : 1, seen: 0 }
  const send = () => {
    const part = queue.shift()
    if (part === undefined) return
    expected.replies += part.endsWith("\n.") ? 1 : part.split("\n").length
    socket.write(`${part.replaceAll("\n", "\r\n")}\r\n`)
  }
  let received = ""
  if (eager) socket.once("connect", send)
  for await (const chunk of socket) {
    received += chunk
    expected.seen = received.match(/^\d{3} .*\r\n/gm)?.length ?? 0
    if (expected.seen >= expected.replies) send()
  }
  return received.trimEnd().split("\r\n")
}

const rcpt = (recipient: string) => `RCPT TO:<${recipient}>`

describe("greylisting", () => {
  const rcptReply = async (recipient: string, from = "127.0.0.1", mail = MAIL) =>
    (await call("mx.greylist.test", { parts: [HELO, mail, rcpt(recipient)], from })).at(-2)!.slice(0, 9)

  it("accepts the same client, sender and recipient after the delay, and only those", async () => {
    const clock = stopSteadyClock()
    expect(await rcptReply("alice@greylist.test")).toBe("451 4.7.1")
    clock.pass(299_000)
    expect(await rcptReply("alice@greylist.test")).toBe("451 4.7.1")
    clock.pass(1_000)
    expect(await rcptReply("alice@greylist.test", "127.0.0.2")).toBe("451 4.7.1")
    expect(await rcptReply("alice@greylist.test", "127.0.0.1", "MAIL FROM:<other@mailverdict.test>")).toBe("451 4.7.1")
    expect(await rcptReply("alice+tag@greylist.test")).toBe("451 4.7.1")
    expect(await rcptReply("alice@greylist.test")).toBe("250 2.1.5")
  })

  it("refuses an unknown recipient at once", async () => {
    expect(await rcptReply("nobody@greylist.test")).toBe("550 5.1.1")
  })
})

describe("protocol violations", () => {
  beforeEach(() => fetch(new URL("/sandbox/log", sandbox.dohUrl), { method: "DELETE" }))
  const logged = async () => {
    const response = await fetch(new URL("/sandbox/log", sandbox.dohUrl))
    return ((await response.json()) as SandboxLog).connections
  }

  it("an early talker is refused and logged", async () => {
    const said = await call("mx.slow-greeting.test", { parts: [HELO], eager: true })
    expect(said).toEqual(["554 5.5.1 mx.slow-greeting.test Protocol error: you talk too soon"])
    expect(await logged()).toMatchObject([{ host: "mx.slow-greeting.test", client: "127.0.0.1", earlyTalk: true }])
  })

  it("an early talker at a host of the library is refused and logged too", async () => {
    const said = await call("mx.inbox.test", { parts: [HELO], eager: true })
    expect(said[0]).toMatch(/^421 /)
    expect(await logged()).toMatchObject([{ host: "mx.inbox.test", earlyTalk: true }])
  })

  it("a pipelined group is answered reply by reply, in order", async () => {
    const group = [
      MAIL,
      rcpt("alice@mailbox.test"),
      rcpt("nobody@mailbox.test"),
      rcpt("x@elsewhere.test"),
      "RSET",
    ].join("\n")
    const said = await call("mx.mailbox.test", { parts: [HELO, group] })
    expect(said.slice(0, 6)).toEqual([
      "220 mx.mailbox.test ESMTP Sandbox",
      "250-mx.mailbox.test",
      "250-PIPELINING",
      "250-SIZE 10485760",
      "250-8BITMIME",
      "250 ENHANCEDSTATUSCODES",
    ])
    expect(said.slice(6).map((line) => line.slice(0, 9))).toEqual([
      "250 2.1.0",
      "250 2.1.5",
      "550 5.1.1",
      "554 5.7.1",
      "250 2.0.0",
      "221 2.0.0",
    ])
    const commands = [HELO, ...group.split("\n"), "QUIT"]
    await expect.poll(logged).toMatchObject([{ improperPipelining: false, commands, closed: true }])
  })

  it("pipelining without an offer closes the connection", async () => {
    const said = await call("mx.no-pipelining.test", { parts: [HELO, `${MAIL}\n${rcpt("alice@no-pipelining.test")}`] })
    expect(said.at(-1)).toBe("503 5.5.0 Improper use of SMTP command pipelining")
    expect(await logged()).toMatchObject([{ improperPipelining: true }])
  })

  it("commands sent after EHLO and before its answer are logged", async () => {
    await call("mx.mailbox.test", { parts: [`${HELO}\n${MAIL}`] })
    expect(await logged()).toMatchObject([{ improperPipelining: true }])
  })
})

describe("the order of commands", () => {
  it.each([
    ["MAIL before EHLO", [MAIL], "503 5.5.1"],
    ["RCPT before MAIL", [HELO, rcpt("alice@mailbox.test")], "503 5.5.1"],
    ["RCPT after RSET", [HELO, MAIL, "RSET", rcpt("alice@mailbox.test")], "503 5.5.1"],
    ["RCPT after a second EHLO", [HELO, MAIL, HELO, rcpt("alice@mailbox.test")], "503 5.5.1"],
    ["a second MAIL", [HELO, MAIL, MAIL], "503 5.5.1"],
    ["a bounce's empty sender", [HELO, "MAIL FROM:<> SIZE=100", rcpt("alice@mailbox.test")], "250 2.1.5"],
    ["lower case", ["ehlo x.test", "mail from:<a@b.test>", "rcpt to:<ALICE@MAILBOX.TEST>"], "250 2.1.5"],
    ["a quoted local part", [HELO, MAIL, 'RCPT TO:<"alice"@mailbox.test>'], "250 2.1.5"],
    ["no angle brackets", [HELO, MAIL, "RCPT TO:alice@mailbox.test"], "501 5.1.3"],
    ["STARTTLS where it is not offered", [HELO, "STARTTLS"], "502 5.5.1"],
    ["SMTPUTF8 where it is not offered", [HELO, `${MAIL} SMTPUTF8`], "555 5.5.4"],
    ["DATA without a recipient", [HELO, MAIL, "DATA"], "554 5.5.1"],
    ["DATA with a recipient: no message is stored", [HELO, MAIL, rcpt("alice@mailbox.test"), "DATA"], "451 4.3.0"],
    ["an unknown command", ["BREW coffee"], "500 5.5.2"],
  ])("%s", async (_what, parts, expected) => {
    const said = await call("mx.mailbox.test", { parts })
    expect(said.at(-2)!.slice(0, 9)).toBe(expected)
    expect(said.at(-1)).toBe("221 2.0.0 Bye")
  })

  it("SMTPUTF8 at MAIL is required for a recipient beyond ASCII", async () => {
    const rcptReply = async (mail: string) =>
      (await call("mx.utf8.test", { parts: [HELO, mail, rcpt("josé@utf8.test")] })).at(-2)!.slice(0, 9)
    expect([await rcptReply(MAIL), await rcptReply(`${MAIL} SMTPUTF8`)]).toEqual(["553 5.6.7", "250 2.1.5"])
  })

  it("an endless line is ended", async () => {
    const said = await call("mx.mailbox.test", { parts: ["x".repeat(3_000)] })
    expect(said.at(-2)).toBe("500 5.5.2 Command not recognized")
  })
})

describe("the inbox", () => {
  const read = async (query: string) => {
    const response = await fetch(new URL(`/sandbox/inbox${query}`, sandbox.dohUrl))
    return (await response.json()) as InboxMessage[]
  }
  const deliver = (to: string, subject: string) =>
    call("mx.inbox.test", { parts: [HELO, MAIL, rcpt(to), "DATA", `Subject: ${subject}\n\n..dots\n.`] })

  it("stores delivered messages by recipient", async () => {
    const said = await deliver("Owner@inbox.test", "Sign in")
    expect(said.find((line) => line.startsWith("354"))).toBeDefined()
    expect(await read("?to=owner@INBOX.test")).toMatchObject([
      { from: "probe@mailverdict.test", to: ["Owner@inbox.test"], raw: "Subject: Sign in\r\n\r\n.dots\r\n" },
    ])
    expect(await read("?to=somebody@inbox.test")).toEqual([])
  })

  it("drops a message whose sender disconnects in the middle", async () => {
    const { address } = MAIL_HOSTS.find(({ name }) => name === "mx.inbox.test")!
    const socket = connect(sandbox.smtpPort, address)
    const lines = [HELO, MAIL, rcpt("half@inbox.test"), "DATA", "Subject: half"]
    for await (const _reply of socket) {
      const line = lines.shift()
      if (!line) break
      socket.write(`${line}\r\n`)
      if (line.startsWith("Subject")) break
    }
    socket.destroy()
    await deliver("whole@inbox.test", "whole")
    expect([await read("?to=half@inbox.test"), (await read("?to=whole@inbox.test")).length]).toEqual([[], 1])
  })

  it("stores the last hundred messages", async () => {
    await Promise.all(Array.from({ length: 105 }, (_, n) => deliver("many@inbox.test", `number ${n}`)))
    expect(await read("")).toHaveLength(100)
    await fetch(new URL("/sandbox/inbox", sandbox.dohUrl), { method: "DELETE" })
    expect(await read("")).toEqual([])
  })
})

describe("numbered domains", () => {
  it("have numbered users only, on both of their hosts", async () => {
    for (const host of ["mx07.bulk.test", "mx08.bulk.test"]) {
      const group = [MAIL, ...["user1", "USER-2+tag", "no-1", "info"].map((local) => rcpt(`${local}@d1707.test`))]
      const said = await call(host, { parts: [HELO, group.join("\n")] })
      expect(said.slice(-5, -1).map((line) => line.slice(0, 3))).toEqual(["250", "250", "550", "550"])
    }
  })
})

describe("the table of hosts", () => {
  it("has unique names and addresses", () => {
    expect(new Set(MAIL_HOSTS.map(({ name }) => name)).size).toBe(MAIL_HOSTS.length)
    expect(new Set(MAIL_HOSTS.map(({ address }) => address)).size).toBe(MAIL_HOSTS.length)
  })
})

describe("replies and paths", () => {
  it("have their code on every line", () => {
    expect(wireReply("550 5.2.1 one\ntwo\nthree")).toBe("550-5.2.1 one\r\n550-5.2.1 two\r\n550 5.2.1 three\r\n")
    expect(wireReply("250 host\nSIZE 1")).toBe("250-host\r\n250 SIZE 1\r\n")
    expect(wireReply("354 Go")).toBe("354 Go\r\n")
  })

  it("every mailbox is read as it was written", () => {
    const local = fc.stringMatching(/^[a-zé0-9._-]{1,20}$/u)
    fc.assert(
      fc.property(local, fc.option(local), fc.boolean(), (name, tag, quoted) => {
        const whole = tag === null ? name : `${name}+${tag}`
        const mailbox = `${quoted ? `"${whole}"` : whole}@mailbox.test`
        const path = readPath(`RCPT TO:<${mailbox}> NOTIFY=NEVER`)
        expect(path).toMatchObject({ mailbox, account: name.normalize("NFC"), domain: "mailbox.test" })
      }),
    )
  })
})
