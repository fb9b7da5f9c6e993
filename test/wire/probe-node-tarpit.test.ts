import { afterEach, describe, expect, test } from "vitest"
import { brief, probe, testEngine } from "../support/mail/probe-engine.ts"
import { type Script, type ScriptedServer, startScriptedSmtp } from "../support/mail/smtp-script.ts"
import { deadlinesChecked, type SteadyClock, stopSteadyClock } from "../support/time/steady-clock.ts"

const CONTROL = ["random@a.test"]
const REFUSAL = "550 5.1.1 User unknown\r\n"

let server: ScriptedServer
afterEach(() => server.close())

async function engineFor(script: Script) {
  server = await startScriptedSmtp(script)
  return testEngine({ port: server.port, hosts: { "mx.test": [server.address] } })
}

describe("a host that delays its refusals", () => {
  // Sendmail's BAD_RCPT_THROTTLE: it sleeps a second for each recipient, and replies after it has read the whole group.
  test("may delay each recipient of a group, and reply at the end", async () => {
    const clock = stopSteadyClock()
    let held = ""
    const engine = await engineFor({
      on(command) {
        if (command.startsWith("EHLO")) return undefined
        if (command === "QUIT") return { after: deadlinesChecked(), say: held, end: "close" }
        const isRcpt = command.startsWith("RCPT")
        if (isRcpt) clock.pass(1_000)
        held += isRcpt ? REFUSAL : "250 2.1.0 ok\r\n"
        return {}
      },
    })
    const to = Array.from({ length: 20 }, (_, at) => `u${at}@a.test`)
    const lines = await probe(engine, { to, controls: CONTROL })
    expect(new Set(lines.map(({ outcome }) => brief(outcome)))).toEqual(new Set(["rcpt 550"]))
    expect(server.sessions).toHaveLength(1)
  })

  // Courier's TARPIT: 8 s for the first refusal of a session, 16 s for the second.
  const tarpit = (clock: SteadyClock): Script => ({
    extensions: ["XVERP=Courier", "PIPELINING"],
    mailboxes: ["anna", "carl"],
    on: (command, count) => {
      if (!/^RCPT TO:<(?!anna|carl)/.test(command)) return undefined
      clock.pass(8_000 * count)
      return { after: deadlinesChecked(), say: REFUSAL }
    },
  })

  test("gets the other recipients in a new session, where the delay starts again", async () => {
    const engine = await engineFor(tarpit(stopSteadyClock()))
    const lines = await probe(engine, { to: ["u1@a.test", "u2@a.test", "anna@a.test", "carl@a.test"] })
    const outcomes = lines.map(({ outcome }) => brief(outcome))
    expect(outcomes).toEqual(["rcpt 550", "rcpt 550", "rcpt 250", "rcpt 250"])
    expect(server.sessions.map((commands) => commands.slice(2, 4))).toEqual([
      ["RCPT TO:<u1@a.test>", "QUIT"],
      ["RCPT TO:<u2@a.test>", "QUIT"],
      ["RCPT TO:<anna@a.test>", "RCPT TO:<carl@a.test>"],
    ])
  })

  test("but no new session for the catch-all probe alone", async () => {
    const engine = await engineFor(tarpit(stopSteadyClock()))
    const [line] = await probe(engine, { to: ["u1@a.test"], controls: CONTROL })
    expect(line).toMatchObject({ control: { failure: "timeout", detail: expect.stringMatching(/^not waited for/) } })
    expect(server.sessions).toHaveLength(1)
  })
})
