import { createSecureContext } from "node:tls"
import { afterEach, describe, expect, test } from "vitest"
import { RecipientLine } from "../../schema/wire/probe.ts"
import { brief, probe, testEngine } from "../support/mail/probe-engine.ts"
import { probeInVain } from "../support/mail/probe-in-vain.ts"
import { type Script, type ScriptedServer, type Step, startScriptedSmtp } from "../support/mail/smtp-script.ts"
import { selfSigned } from "../support/providers/self-signed.ts"

const ANNA = ["anna@a.test"]
const CONTROL = ["random@a.test"]

const servers: ScriptedServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serve(script: Script, address = "127.0.0.1", port = 0): Promise<ScriptedServer> {
  const server = await startScriptedSmtp(script, address, port)
  servers.push(server)
  return server
}

async function engineFor(script: Script, replyTimeoutMs = {}) {
  const server = await serve(script)
  return { server, engine: testEngine({ port: server.port, hosts: { "mx.test": [server.address] }, replyTimeoutMs }) }
}

/** Greylists one recipient. */
function later(name: string): NonNullable<Script["on"]> {
  return (command) => (command.startsWith(`RCPT TO:<${name}@`) ? { say: "450 4.2.0 greylisted\r\n" } : undefined)
}

/** Answers `step` to the nth command of a kind. */
function onNth(verb: string, nth: number, step: Step): NonNullable<Script["on"]> {
  return (command, count) => (command.startsWith(verb) && count >= nth ? step : undefined)
}

describe("a session", () => {
  test("probes the real mailbox first and the random recipient second", async () => {
    const { server, engine } = await engineFor({ mailboxes: ["anna"] })
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", "rcpt 550"])
    expect(server.sessions).toEqual([
      ["EHLO probe.test", "MAIL FROM:<me@probe.test>", "RCPT TO:<anna@a.test>", "RCPT TO:<random@a.test>", "QUIT"],
    ])
    expect(RecipientLine.parse(line)).toEqual(line)
    expect(line!.session).toMatchObject({ mxHost: "mx.test", address: "127.0.0.1", heloName: "probe.test", tls: null })
  })

  test("serves several recipients and domains, with one catch-all probe per domain", async () => {
    const { server, engine } = await engineFor({ mailboxes: ["anna", "carl"] })
    const lines = await probe(engine, {
      to: ["anna@a.test", "bob@b.test", "carl@a.test"],
      controls: ["random@a.test", "random@b.test"],
    })
    expect(lines.map(({ outcome }) => brief(outcome))).toEqual(["rcpt 250", "rcpt 550", "rcpt 250"])
    expect(lines.every(({ control }) => brief(control) === "rcpt 550")).toBe(true)
    expect(server.sessions).toHaveLength(1)
    expect(server.sessions[0]!.filter((command) => command.startsWith("RCPT"))).toHaveLength(5)
    expect(server.sessions[0]).toContain("RSET")
  })

  test("has no more recipients than the playbook allows", async () => {
    const { server, engine } = await engineFor({ mailboxes: ["u0", "u1", "u2", "u3", "u4"] })
    const to = Array.from({ length: 5 }, (_, at) => `u${at}@a.test`)
    const lines = await probe(engine, { to, playbook: { recipientsPerSession: 2 } })
    expect(lines.map(({ outcome }) => brief(outcome))).toEqual(to.map(() => "rcpt 250"))
    expect(server.sessions).toHaveLength(3)
  })

  test.each([
    ["separate-session", 2, "rcpt 550"],
    ["never", 1, "none"],
  ] as const)("runs the catch-all probe as the playbook says: %s", async (control, sessions, answer) => {
    const { server, engine } = await engineFor({ mailboxes: ["anna"] })
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL, playbook: { control } })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", answer])
    expect(server.sessions).toHaveLength(sessions)
    expect(server.sessions[0]).not.toContain("RCPT TO:<random@a.test>")
  })

  test("runs no separate catch-all probe for a permanently refused mailbox", async () => {
    const { server, engine } = await engineFor({ mailboxes: ["carl"], on: later("bob") })
    const playbook = { control: "separate-session" } as const
    const controls = ["random@a.test", "random@b.test", "random@c.test"]
    const lines = await probe(engine, { to: ["anna@a.test", "bob@b.test", "carl@c.test"], controls, playbook })
    expect(lines.map(({ control }) => brief(control))).toEqual(["none", "rcpt 550", "rcpt 550"])
    expect(server.sessions[1]!.filter((command) => command.startsWith("RCPT"))).toEqual([
      "RCPT TO:<random@b.test>",
      "RCPT TO:<random@c.test>",
    ])
  })

  test("runs a separate catch-all probe before the next recipients of a list", async () => {
    const { server, engine } = await engineFor({ mailboxes: ["u1", "u2", "u3"], turnMs: 5 })
    const to = ["u1@a.test", "u2@b.test", "u3@c.test"]
    const playbook = { control: "separate-session", recipientsPerSession: 1, sessionsPerHost: 1 } as const
    const controls = ["q@a.test", "q@b.test", "q@c.test"]
    await probe(engine, { to, controls, playbook, request: { priority: "bulk" } })
    const rcpts = server.sessions.flat().filter((command) => command.startsWith("RCPT"))
    expect(rcpts).toEqual(to.flatMap((address, at) => [`RCPT TO:<${address}>`, `RCPT TO:<${controls[at]}>`]))
  })

  test("sends nothing before a slow banner has ended", async () => {
    const { server, engine } = await engineFor({
      banner: { say: "220-mx.test wait\r\n220 mx.test go\r\n", dripMs: 4 },
      mailboxes: ["anna"],
    })
    const [line] = await probe(engine, { to: ANNA })
    expect(brief(line!.outcome)).toBe("rcpt 250")
    expect(server.early).toEqual([])
  })
})

describe("a session that ends early continues in a new one", () => {
  const to = ["u1", "u2", "u3", "u4", "u5"].map((name) => `${name}@a.test`)
  const many: Step = { say: "452 4.5.3 too many recipients\r\n" }
  const mailboxes = ["u1", "u2", "u3", "u4", "u5"]

  test.each([
    ["452 4.5.3 after two", onNth("RCPT", 3, many), 3],
    ["421 after two", onNth("RCPT", 3, { say: "421 4.7.0 enough\r\n", end: "close" }), 3],
    ["a hang-up after two", onNth("RCPT", 3, { end: "reset", afterMs: 20 }), 3],
    ["a hang-up in the middle of a reply", onNth("RCPT", 4, { say: "250-2.1.5 o", end: "close" }), 2],
  ] as const)("%s", async (_, on, sessions) => {
    const { server, engine } = await engineFor({ mailboxes, on })
    const lines = await probe(engine, { to })
    expect(lines.map(({ outcome }) => brief(outcome))).toEqual(to.map(() => "rcpt 250"))
    expect(server.sessions).toHaveLength(sessions)
  })

  test.each([
    ["421", { say: "421 4.7.0 enough\r\n", end: "close" }, "rcpt 421"],
    ["a hang-up", { end: "reset", afterMs: 20 }, "rcpt reset"],
    ["452 4.5.3", many, "rcpt 452"],
  ] as const)(
    "but not for the catch-all probe alone when the mailbox is permanently refused: %s",
    async (_, step, expected) => {
      const { server, engine } = await engineFor({ mailboxes: ["carl"], on: onNth("RCPT", 2, step) })
      const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
      expect([brief(line!.outcome), brief(line!.control), server.sessions.length]).toEqual(["rcpt 550", expected, 1])
      await probe(engine, { to: ["carl@a.test"], controls: CONTROL })
      expect(server.sessions.length).toBeGreaterThan(2)
    },
  )

  test("recipients that no session accepts get the limit reply", async () => {
    const names = Array.from({ length: 12 }, (_, at) => `u${at}@a.test`)
    const { server, engine } = await engineFor({ mailboxes: names, on: onNth("RCPT", 2, many) })
    const lines = await probe(engine, { to: names })
    const outcomes = lines.map(({ outcome }) => brief(outcome))
    expect(Map.groupBy(outcomes, (outcome) => outcome).get("rcpt 250")).toHaveLength(server.sessions.length)
    expect(new Set(outcomes)).toEqual(new Set(["rcpt 250", "rcpt 452"]))
  })

  test("but only a limited number of times", async () => {
    const { server, engine } = await engineFor({ mailboxes, on: onNth("RCPT", 1, { end: "reset" }) })
    const lines = await probe(engine, { to })
    expect(lines.map(({ outcome }) => brief(outcome))).toEqual(to.map(() => "rcpt reset"))
    expect(server.sessions.length).toBeLessThanOrEqual(2)
  })

  test("a 421 to the first recipient is the answer for all", async () => {
    const { server, engine } = await engineFor({ on: onNth("RCPT", 1, { say: "421 4.7.28 rate\r\n", end: "close" }) })
    const lines = await probe(engine, { to })
    expect(lines.map(({ outcome }) => brief(outcome))).toEqual(to.map(() => "rcpt 421"))
    expect(server.sessions).toHaveLength(1)
  })
})

describe("a server with a limit of recipients per transaction", () => {
  const names = Array.from({ length: 20 }, (_, at) => `u${at}`)

  /** Answers 452 (RFC 5321 §4.5.3.1.10) to every recipient after `limit` accepted ones in a transaction. */
  function takingFew(limit: number, extensions: readonly string[]): Script {
    let taken = 0
    return {
      extensions,
      mailboxes: names,
      on(command) {
        if (/^(MAIL|RSET)/.test(command)) taken = 0
        const isFull = command.startsWith("RCPT") && taken >= limit
        if (/^RCPT TO:<u/.test(command)) taken++
        return isFull ? { say: "452 4.5.3 too many recipients\r\n" } : undefined
      },
    }
  }

  test.each([
    [1, "in one group", ["PIPELINING"], 2],
    [3, "in one group", ["PIPELINING"], 2],
    [1, "one by one", [], 1],
    [3, "one by one", [], 1],
  ])("of %i, probed %s, answers for all", async (limit, _, extensions, sessions) => {
    const { server, engine } = await engineFor(takingFew(limit, extensions))
    const lines = await probe(engine, { to: names.map((name) => `${name}@a.test`), controls: CONTROL })
    expect(lines.map(({ outcome, control }) => [brief(outcome), brief(control)])).toEqual(
      names.map(() => ["rcpt 250", "rcpt 550"]),
    )
    expect(server.sessions).toHaveLength(sessions)
  })
})

describe("hostile servers are disconnected", () => {
  const NEVER = new Promise(() => undefined)
  const HASTY = { banner: 300 }
  const HOSTILE: readonly [name: string, script: Script, outcome: string, replyTimeoutMs?: object][] = [
    ["silence", { banner: {} }, "banner timeout", HASTY],
    ["a banner that drips", { banner: { say: `220 ${"x".repeat(500)}`, dripMs: 5 } }, "banner timeout", HASTY],
    ["an endless line", { banner: { say: `220 ${"x".repeat(200_000)}` } }, "banner protocol"],
    ["an endless reply", { on: onNth("EHLO", 1, { say: "250-again\r\n".repeat(20_000) }) }, "ehlo protocol"],
    ["garbage", { banner: { say: "\u0000\u0001\u0002\r\n\r\n" } }, "banner protocol"],
    ["another protocol", { banner: { say: "* OK IMAP4rev1 ready\r\n" } }, "banner protocol"],
    ["closing at once", { banner: { end: "close" } }, "banner reset"],
    ["resetting at once", { banner: { end: "reset", afterMs: 20 } }, "banner reset"],
    ["dropping within a reply", { on: onNth("EHLO", 1, { say: "250-mx.te", end: "close" }) }, "ehlo reset"],
    ["tarpitting RCPT", { on: onNth("RCPT", 1, { after: NEVER }) }, "rcpt timeout", { rcpt: 300 }],
  ]

  // A time limit that ends one stage is short there only: the other stages may take their time.
  test.each(HOSTILE)("%s", async (_, script, outcome, replyTimeoutMs) => {
    const { engine } = await engineFor(script, replyTimeoutMs)
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
    expect(brief(line!.outcome)).toBe(outcome)
    expect(RecipientLine.parse(line)).toEqual(line)
  })

  test("data after QUIT changes nothing", async () => {
    const { engine } = await engineFor({
      mailboxes: ["anna"],
      on: onNth("QUIT", 1, { say: `221 bye\r\n${"550 5.1.1 no such user\r\n".repeat(2_000)}` }),
    })
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", "rcpt 550"])
  })

  test("the caller's deadline ends a slow conversation", async () => {
    const { engine } = await engineFor({ on: onNth("RCPT", 2, { after: NEVER }), mailboxes: ["anna"] })
    const setup = { to: ANNA, controls: CONTROL, request: { deadlineMs: 60_000 } }
    const [line] = await probeInVain(engine, setup, { after: "250 2.1.5 ok\r\n", ms: 60_000 })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", "rcpt deadline"])
  })
})

describe("STARTTLS", () => {
  const tls = createSecureContext(selfSigned("mx.test"))
  const extensions = ["PIPELINING", "STARTTLS"]

  test("a certificate problem is recorded and not fatal", async () => {
    const { server, engine } = await engineFor({ tls, extensions, mailboxes: ["anna"] })
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", "rcpt 550"])
    expect(line!.session!.tls).toEqual({
      protocol: "TLSv1.3",
      authorized: false,
      problem: "DEPTH_ZERO_SELF_SIGNED_CERT",
    })
    expect(server.sessions[0]!.slice(0, 3)).toEqual(["EHLO probe.test", "STARTTLS", "EHLO probe.test"])
  })

  test("uses TLS 1.0 with a host that supports no other version", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const
    const { server, engine } = await engineFor({
      tls: createSecureContext({ ...selfSigned("mx.test"), ...old }),
      extensions,
      mailboxes: ["anna"],
    })
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 250", "rcpt 550"])
    expect([line!.session!.tls?.protocol, server.sessions.length]).toEqual(["TLSv1", 1])
  })

  test("ignores plaintext after the reply to STARTTLS", async () => {
    const injected = "250-mx.test\r\n250 PIPELINING\r\n250 ok\r\n250 ok\r\n250 ok\r\n"
    const { engine } = await engineFor({
      tls,
      extensions,
      on: onNth("STARTTLS", 1, { say: `220 go ahead\r\n${injected}`, end: "starttls" }),
    })
    const [line] = await probe(engine, { to: ANNA, controls: CONTROL })
    expect([brief(line!.outcome), brief(line!.control)]).toEqual(["rcpt 550", "rcpt 550"])
  })

  test("a failed handshake falls back to one plain connection", async () => {
    const { server, engine } = await engineFor(
      {
        extensions,
        mailboxes: ["anna"],
        on: onNth("STARTTLS", 1, { say: "220 go ahead\r\n" }),
      },
      { starttls: 300 },
    )
    const [line] = await probe(engine, { to: ANNA })
    expect(brief(line!.outcome)).toBe("rcpt 250")
    expect(line!.session!.tls).toMatchObject({ protocol: "none", authorized: false })
    expect(server.sessions).toHaveLength(2)
  })
})
