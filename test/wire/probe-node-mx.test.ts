import { afterEach, describe, expect, test } from "vitest"
import { REPLY_TIMEOUT_MS } from "../../probe-node/smtp/connection.ts"
import type { RecipientOutcome } from "../../schema/wire/probe.ts"
import { serveMailHosts } from "../support/mail/mail-hosts.ts"
import { brief, type EngineSetup, probe, testEngine } from "../support/mail/probe-engine.ts"
import { probeInVain } from "../support/mail/probe-in-vain.ts"
import { type Script, type Step, startScriptedSmtp } from "../support/mail/smtp-script.ts"

const ANNA = ["anna@a.test"]
const GOOD: Script = { mailboxes: ["anna"] }
const SILENT: Script = { banner: {} }
const NO_GREETING = { after: "connected", ms: REPLY_TIMEOUT_MS.banner }
const NEVER = new Promise(() => undefined)

const servers: { close(): unknown }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const serve = (scripts: readonly (Script | null)[], setup?: Partial<EngineSetup>) =>
  serveMailHosts(servers, scripts, setup)

describe("the order of the MX hosts", () => {
  test.each<[name: string, first: Script | null, outcome: string]>([
    ["refuses the connection", null, "connect refused"],
    ["is busy", { banner: { say: "421 4.3.2 later\r\n", end: "close" } }, "banner 421"],
    ["greets with 4xx", { banner: { say: "450 4.3.2 later\r\n" } }, "banner 450"],
    ["greets with 5xx", { banner: { say: "554 5.7.1 no service\r\n" } }, "banner 554"],
    ["says nothing", SILENT, "banner timeout"],
    ["closes at once", { banner: { end: "close" } }, "banner reset"],
    ["speaks no SMTP", { banner: { say: "HTTP/1.1 400 Bad Request\r\n" } }, "banner protocol"],
    [
      "refuses EHLO",
      { on: (command) => (command.startsWith("EHLO") ? { say: "550 5.7.1 helo\r\n" } : undefined) },
      "ehlo 550",
    ],
    [
      "closes at MAIL",
      { on: (command) => (command.startsWith("MAIL") ? { say: "421 4.7.0 no\r\n", end: "close" } : undefined) },
      "mail 421",
    ],
  ])("tries the next host when a host %s", async (_, first, outcome) => {
    // The working host has the lowest preference.
    const { engine, sessions } = await serve([GOOD, first])
    const mx = [
      { host: "mx2.test", preference: 5 },
      { host: "mx1.test", preference: 10 },
    ]
    const setup = { to: ANNA, mx }
    const [line] = await (first === SILENT ? probeInVain(engine, setup, NO_GREETING) : probe(engine, setup))
    expect(brief(line!.outcome)).toBe("rcpt 250")
    expect(line!.session?.mxHost).toBe("mx1.test")
    expect(line!.attempts.map(({ mxHost, outcome: found }) => [mxHost, brief(found)])).toEqual([["mx2.test", outcome]])
    expect(sessions()[0]).toBe(1)
  })

  test.each([
    ["550 5.1.1 no such user", "rcpt 550"],
    ["450 4.2.0 greylisted", "rcpt 450"],
    ["554 5.7.1 your IP", "rcpt 554"],
    ["421 4.7.0 slow down", "rcpt 421"],
  ])("stops at a reply to RCPT: %s", async (reply, outcome) => {
    const first: Script = { on: (command) => (command.startsWith("RCPT") ? { say: `${reply}\r\n` } : undefined) }
    const { engine, mx, sessions } = await serve([first, GOOD])
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(brief(line!.outcome)).toBe(outcome)
    expect(sessions()).toEqual([1, 0])
  })

  test("tries hosts by preference, in any listed order", async () => {
    const { engine, mx, sessions } = await serve([GOOD, GOOD, GOOD])
    await probe(engine, { to: ANNA, mx: mx.toReversed() })
    expect(sessions()).toEqual([1, 0, 0])
  })

  test("chooses at random among equal preferences", async () => {
    const { engine, mx, sessions } = await serve([GOOD, GOOD])
    const lots = [0.9, 0.1]
    await probe(
      { ...engine, random: () => lots.shift()! },
      { to: ANNA, mx: mx.map(({ host }) => ({ host, preference: 10 })) },
    )
    expect(sessions()).toEqual([0, 1])
  })

  test("reports the last host's reply when all refuse, after at most five hosts", async () => {
    const busy: Script = { banner: { say: "421 4.3.2 later\r\n", end: "close" } }
    const { engine, mx, sessions } = await serve([busy, busy, busy, busy, busy, busy, busy])
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(brief(line!.outcome)).toBe("banner 421")
    expect(sessions()).toEqual([1, 1, 1, 1, 1, 0, 0])
    expect(line!.attempts).toHaveLength(5)
  })

  test.each<[expected: string, later: string, outcome: string, first: Script, second: Script | null]>([
    ["554 at the greeting", "is unreachable", "banner 554", { banner: { say: "554 5.7.1 blocked\r\n" } }, null],
    ["421 at the greeting", "is unreachable", "banner 421", { banner: { say: "421 4.7.0 greylisted\r\n" } }, null],
    ["421 at the greeting", "says nothing", "banner 421", { banner: { say: "421 4.7.0 greylisted\r\n" } }, SILENT],
    [
      "550 to EHLO",
      "closes at once",
      "ehlo 550",
      { on: (command) => (command.startsWith("EHLO") ? { say: "550 5.7.1 helo\r\n" } : undefined) },
      { banner: { end: "close" } },
    ],
  ])("a host's %s remains the answer when the next host %s", async (_, __, outcome, first, second) => {
    const { engine, mx } = await serve([first, second])
    const setup = { to: ANNA, controls: ["q@a.test"], mx }
    const [line] = await (second === SILENT
      ? probeInVain(engine, setup, { ...NO_GREETING, nth: 2 })
      : probe(engine, setup))
    expect([brief(line!.outcome), brief(line!.control)]).toEqual([outcome, outcome])
    expect([line!.session?.mxHost, line!.session?.address]).toEqual(["mx1.test", "127.0.4.1"])
    expect(line!.attempts.map(({ mxHost }) => mxHost)).toEqual(["mx1.test", "mx2.test"])
  })

  test("shortens the replies of skipped hosts, not the answer", async () => {
    const verbose: Script = { banner: { say: `554 ${"x".repeat(2_000)}\r\n` } }
    const { engine, mx } = await serve([verbose, verbose])
    const [line] = await probe(engine, { to: ANNA, mx })
    const textOf = ({ outcome }: { outcome: RecipientOutcome }) => (outcome.kind === "reply" ? outcome.reply.text : "")
    expect([line!, ...line!.attempts].map((report) => textOf(report).length)).toEqual([2_000, 200, 200])
  })

  test("the last of several refusals is the answer", async () => {
    const refusals = ["554 5.7.1 no", "450 4.7.1 later"].map((text): Script => ({ banner: { say: `${text}\r\n` } }))
    const { engine, mx } = await serve([...refusals, null])
    const [line] = await probe(engine, { to: ANNA, mx })
    expect([brief(line!.outcome), line!.session?.mxHost]).toEqual(["banner 450", "mx2.test"])
  })

  test("a recipient without an answer at a later host does not get the first host's refusal", async () => {
    const later: Script = {
      mailboxes: ["anna"],
      on: (command, count) => (command.startsWith("RCPT") && count > 1 ? { after: NEVER } : undefined),
    }
    const { engine, mx } = await serve([{ banner: { say: "554 5.7.1 no\r\n" } }, later])
    const noMore = { after: "250 2.1.5 ok\r\n", ms: REPLY_TIMEOUT_MS.rcpt }
    const lines = await probeInVain(engine, { to: [...ANNA, "bob@a.test"], mx }, noMore)
    expect(lines.map(({ outcome }) => brief(outcome))).toEqual(["rcpt 250", "rcpt timeout"])
  })

  test.each([
    ["all recipients", ["anna@a.test", "bob@a.test"], ["rcpt 250 rcpt 550", "banner 421 rcpt 550"], 2, "same-session"],
    ["the catch-all probe", ANNA, ["rcpt 250 banner 421"], 1, "same-session"],
    ["the separate catch-all probe", ANNA, ["rcpt 250 banner 421"], 1, "separate-session"],
  ] as const)(
    "answers of one host are not mixed with those of its backup: %s",
    async (_, to, expected, max, control) => {
      let sessions = 0
      const busy: Script = {
        mailboxes: ["anna"],
        get banner(): Step {
          return sessions++ > 0
            ? { say: "421 4.7.0 too many connections\r\n", end: "close" }
            : { say: "220 mx1.test\r\n" }
        },
        on: (command, count) =>
          command.startsWith("RCPT") && count > max ? { say: "421 4.7.0 enough\r\n", end: "close" } : undefined,
      }
      const takesAll: Script = { on: (command) => (command.startsWith("RCPT") ? { say: "250 ok\r\n" } : undefined) }
      const { engine, mx, sessions: opened } = await serve([busy, takesAll])
      const lines = await probe(engine, { to, controls: ["q@a.test"], mx, playbook: { control } })
      expect(lines.map(({ outcome, control }) => `${brief(outcome)} ${brief(control)}`)).toEqual(expected)
      expect(opened()).toEqual([2, 0])
    },
  )

  test("tries the further addresses of a host", async () => {
    const { engine, mx } = await serve([GOOD], { hosts: { "mx1.test": ["127.0.4.9", "127.0.4.1"] } })
    const [line] = await probe(engine, { to: ANNA, mx })
    expect([brief(line!.outcome), line!.session?.address]).toEqual(["rcpt 250", "127.0.4.1"])
  })

  test("speaks IPv6", async () => {
    const server = await startScriptedSmtp(GOOD, "::1")
    servers.push(server)
    const engine = testEngine({ port: server.port, hosts: { "mx.test": ["::1"] } })
    const [line] = await probe(engine, { to: ANNA })
    expect([brief(line!.outcome), line!.session?.address, line!.session?.sourceIp]).toEqual(["rcpt 250", "::1", "::1"])
  })

  test.each([
    ["has no address", {}, "connect dns"],
    ["is on a private address", { "mx1.test": ["127.0.4.1"] }, "connect blocked_address"],
  ])("opens no connection when the host %s", async (_, hosts, outcome) => {
    const { engine, mx, sessions } = await serve([GOOD], { hosts, allowPrivate: false })
    const [line] = await probe(engine, { to: ANNA, controls: ["q@a.test"], mx })
    expect([brief(line!.outcome), brief(line!.control), line!.session]).toEqual([outcome, outcome, null])
    expect(sessions()).toEqual([0])
  })

  test("names the address of a host that it does not dial: loopback only without another one", async () => {
    const hosts = { "mx1.test": ["127.0.4.1"], "mx2.test": ["127.0.4.1", "10.1.2.3"] }
    const mx = Object.keys(hosts).map((host, preference) => ({ host, preference }))
    const { engine } = await serve([GOOD], { hosts, allowPrivate: false })
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(line!.attempts.map(({ address }) => address)).toEqual(["127.0.4.1", "10.1.2.3"])
  })
})

describe("source IPs", () => {
  const sourceIps = ["127.0.0.2", "127.0.0.3"]

  test("uses the requested one", async () => {
    const { engine, mx } = await serve([GOOD], { sourceIps })
    for (const sourceIp of [...sourceIps, ...sourceIps]) {
      const [line] = await probe(engine, { to: ANNA, mx, request: { sourceIp } })
      expect(line!.session?.sourceIp).toBe(sourceIp)
    }
  })

  test("does not use the avoided ones", async () => {
    const { engine, mx } = await serve([GOOD], { sourceIps })
    for (let round = 0; round < 3; round++) {
      const [line] = await probe(engine, { to: ANNA, mx, request: { avoidSourceIps: ["127.0.0.2"] } })
      expect(line!.session?.sourceIp).toBe("127.0.0.3")
    }
  })

  test("opens no connection when all are avoided", async () => {
    const { engine, mx, sessions } = await serve([GOOD], { sourceIps })
    const [line] = await probe(engine, { to: ANNA, mx, request: { avoidSourceIps: sourceIps } })
    expect([brief(line!.outcome), sessions()]).toEqual(["connect throttled", [0]])
  })

  test("an address that the machine has lost is throttled, so that the edge uses another node", async () => {
    const { engine, mx, sessions } = await serve([GOOD], { sourceIps: ["192.0.2.77"] })
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(line!.outcome).toMatchObject({ failure: "throttled", detail: "EADDRNOTAVAIL" })
    expect(sessions()).toEqual([0])
  })

  test("avoids the system's own address once it is known", async () => {
    const { engine, mx, sessions } = await serve([GOOD])
    const [line] = await probe(engine, { to: ANNA, mx })
    const again = await probe(engine, { to: ANNA, mx, request: { avoidSourceIps: [line!.session!.sourceIp] } })
    expect([brief(again[0]!.outcome), sessions()]).toEqual(["connect throttled", [1]])
  })

  test("an IPv4 source reaches no IPv6 host", async () => {
    const { engine, mx } = await serve([GOOD], { sourceIps: ["127.0.0.2"], hosts: { "mx1.test": ["::1"] } })
    const [line] = await probe(engine, { to: ANNA, mx })
    expect(line!.outcome).toMatchObject({ failure: "unreachable", detail: "no source IP of this address family" })
  })
})

describe("pacing", () => {
  test("opens no more concurrent sessions than the playbook allows", async () => {
    let open = 0
    let most = 0
    const script: Script = {
      mailboxes: ["anna"],
      on(command) {
        if (command.startsWith("EHLO")) most = Math.max(most, ++open)
        if (command === "QUIT") open--
        return undefined
      },
      turnMs: 15,
    }
    const { engine, mx } = await serve([script])
    const to = Array.from({ length: 12 }, (_, at) => `anna@d${at}.test`)
    const lines = await probe(engine, { to, mx, playbook: { sessionsPerHost: 3, recipientsPerSession: 1 } })
    expect(lines.every(({ outcome }) => brief(outcome) === "rcpt 250")).toBe(true)
    expect(most).toBe(3)
  })

  test.each([
    ["", []],
    [", although its backup host is unreachable", [null]],
  ])("the breaker opens for an operator that refuses every session%s", async (_, backup) => {
    const { engine, mx, sessions } = await serve([{ banner: { say: "554 5.7.1 blocked\r\n" } }, ...backup])
    const outcomes: string[] = []
    for (let round = 0; round < 10; round++) outcomes.push(brief((await probe(engine, { to: ANNA, mx }))[0]!.outcome))
    expect(outcomes.slice(0, 8)).toEqual(Array(8).fill("banner 554"))
    expect(outcomes.slice(8)).toEqual(Array(2).fill("connect throttled"))
    expect(sessions()[0]).toBe(8)
  })

  test("an unnamed operator is not blocked for the refusal of another host of the domain", async () => {
    let isDown = true
    const own: Script = {
      mailboxes: ["anna"],
      get banner(): Step {
        return isDown ? { end: "close" } : { say: "220 mx1.test\r\n" }
      },
    }
    const { engine, mx } = await serve([own, { banner: { say: "554 5.7.1 blocked\r\n" } }])
    const playbook = { operator: "mx1.test" }
    const outcomes: string[] = []
    for (let round = 0; round < 10; round++)
      outcomes.push(brief((await probe(engine, { to: ANNA, mx, playbook }))[0]!.outcome))
    expect(outcomes).toEqual(Array(10).fill("banner 554"))
    isDown = false
    const [line] = await probe(engine, { to: ANNA, mx: [mx[0]!], playbook })
    expect(brief(line!.outcome)).toBe("rcpt 250")
  })
})
