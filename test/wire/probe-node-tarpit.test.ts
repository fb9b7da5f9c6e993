import { afterEach, describe, expect, test } from "vitest"
import { ask, brief, type EngineSetup, testEngine } from "../support/probe-engine.ts"
import { type Script, type ScriptedServer, startScriptedSmtp } from "../support/smtp-script.ts"

const CONTROL = ["random@a.test"]
const REFUSAL = "550 5.1.1 User unknown\r\n"

let server: ScriptedServer
afterEach(() => server.close())

async function engineFor(script: Script, patienceMs: EngineSetup["patienceMs"] = {}) {
  server = await startScriptedSmtp(script)
  return testEngine({ port: server.port, hosts: { "mx.test": [server.address] }, patienceMs })
}

describe("a host that slows down whom it refuses", () => {
  // Sendmail's BAD_RCPT_THROTTLE: it sleeps a second over each, and says nothing before it has read the whole group.
  test("may take its time over each recipient of a group, and say all at its end", async () => {
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
    const lines = await ask(engine, { to, controls: CONTROL })
    expect(new Set(lines.map(({ outcome }) => brief(outcome)))).toEqual(new Set(["rcpt 550"]))
    expect(server.sessions).toHaveLength(1)
  })

  // Courier's TARPIT: 8 s for the first of a session, 16 for the second.
  const tarpit: Script = {
    extensions: ["XVERP=Courier", "PIPELINING"],
    mailboxes: ["anna", "carl"],
    on: (command, count) => {
      const isRefused = /^RCPT TO:<(?!anna|carl)/.test(command)
      return isRefused ? { say: REFUSAL, afterMs: count === 1 ? 900 : 60_000 } : undefined
    },
  }
  const patience = { rcpt: 2_000 }

  test("is asked about the others in a new session, where it begins anew", async () => {
    const engine = await engineFor(tarpit, patience)
    const lines = await ask(engine, { to: ["u1@a.test", "u2@a.test", "anna@a.test", "carl@a.test"] })
    const outcomes = lines.map(({ outcome }) => brief(outcome))
    expect(outcomes).toEqual(["rcpt 550", "rcpt 550", "rcpt 250", "rcpt 250"])
    expect(server.sessions.map((commands) => commands.slice(2, 4))).toEqual([
      ["RCPT TO:<u1@a.test>", "QUIT"],
      ["RCPT TO:<u2@a.test>", "QUIT"],
      ["RCPT TO:<anna@a.test>", "RCPT TO:<carl@a.test>"],
    ])
  })

  test("but not about nobody's mailbox alone, for whose answer nobody waits", async () => {
    const engine = await engineFor(tarpit, patience)
    const [line] = await ask(engine, { to: ["u1@a.test"], controls: CONTROL })
    expect(line).toMatchObject({ control: { failure: "timeout", detail: expect.stringMatching(/^not waited for/) } })
    expect(server.sessions).toHaveLength(1)
  })
})
