import { afterEach, describe, expect, test } from "vitest"
import { brief, type EngineSetup, probe, testEngine } from "../support/mail/probe-engine.ts"
import { type Script, type ScriptedServer, startScriptedSmtp } from "../support/mail/smtp-script.ts"

const CONTROL = ["random@a.test"]
const REFUSAL = "550 5.1.1 User unknown\r\n"

let server: ScriptedServer
afterEach(() => server.close())

async function engineFor(script: Script, replyTimeoutMs: EngineSetup["replyTimeoutMs"] = {}) {
  server = await startScriptedSmtp(script)
  return testEngine({ port: server.port, hosts: { "mx.test": [server.address] }, replyTimeoutMs })
}

describe("a host that delays its refusals", () => {
  // Sendmail's BAD_RCPT_THROTTLE: it sleeps a second for each recipient, and replies after it has read the whole group.
  test("may delay each recipient of a group, and reply at the end", async () => {
    let held = ""
    const engine = await engineFor(
      {
        on(command) {
          if (/^(EHLO|QUIT)/.test(command)) return command === "QUIT" ? { say: held, end: "close" } : undefined
          const isRcpt = command.startsWith("RCPT")
          held += isRcpt ? REFUSAL : "250 2.1.0 ok\r\n"
          return { say: "", afterMs: isRcpt ? 88 : 0 }
        },
      },
      { mail: 1_600 },
    )
    const to = Array.from({ length: 20 }, (_, at) => `u${at}@a.test`)
    const lines = await probe(engine, { to, controls: CONTROL })
    expect(new Set(lines.map(({ outcome }) => brief(outcome)))).toEqual(new Set(["rcpt 550"]))
    expect(server.sessions).toHaveLength(1)
  })

  // Courier's TARPIT: 8 s for the first refusal of a session, 16 s for the second.
  const tarpit: Script = {
    extensions: ["XVERP=Courier", "PIPELINING"],
    mailboxes: ["anna", "carl"],
    on: (command, count) => {
      const isRefused = /^RCPT TO:<(?!anna|carl)/.test(command)
      return isRefused ? { say: REFUSAL, afterMs: count === 1 ? 900 : 60_000 } : undefined
    },
  }
  const patience = { rcpt: 2_000 }

  test("gets the other recipients in a new session, where the delay starts again", async () => {
    const engine = await engineFor(tarpit, patience)
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
    const engine = await engineFor(tarpit, patience)
    const [line] = await probe(engine, { to: ["u1@a.test"], controls: CONTROL })
    expect(line).toMatchObject({ control: { failure: "timeout", detail: expect.stringMatching(/^not waited for/) } })
    expect(server.sessions).toHaveLength(1)
  })
})
