import { afterEach, describe, expect, test } from "vitest"
import { CatchAllAnswers } from "../../probe-node/recipients.ts"
import { brief, probe, testEngine } from "../support/mail/probe-engine.ts"
import { type ScriptedServer, startScriptedSmtp } from "../support/mail/smtp-script.ts"

const TO = ["u1@a.test", "u2@a.test", "u3@a.test"]
const RANDOM = "q@a.test"

let server: ScriptedServer | null = null
afterEach(() => server?.close())

/** Probes three mailboxes of one domain in three sessions. The random recipient gets the reply `say`. */
async function probeAll(say: string) {
  const mailboxes = ["u1", "u2", "u3"]
  const on = (command: string) => (command === `RCPT TO:<${RANDOM}>` ? { say: `${say}\r\n` } : undefined)
  server = await startScriptedSmtp({ mailboxes, on })
  const engine = testEngine({ port: server.port, hosts: { "mx.test": [server.address] } })
  const playbook = { control: "separate-session", recipientsPerSession: 1, sessionsPerHost: 1 } as const
  const lines = await probe(engine, { to: TO, controls: [RANDOM], playbook, request: { priority: "bulk" } })
  return { lines, sessions: server.sessions }
}

describe("a separate catch-all probe of a domain with several sessions", () => {
  test.each([
    ["550 5.1.1 no such user", 1],
    ["550 5.1.10 no such recipient", 1],
    ["550 5.4.1 Recipient address rejected: Access denied", 1],
    ["550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550", 1],
    ["250 2.1.5 ok", 1],
    ["221 2.0.0 bye", 3],
    ["451 4.7.1 greylisted", 3],
    ["452 4.5.3 too many recipients", 3],
    ["421 4.7.0 try again later", 3],
    ["550 5.7.1 rate limit exceeded", 3],
    ["550 5.1.8 sender rejected", 3],
    ["550 refused", 3],
    ["550 Administrative prohibition - envelope blocked", 3],
    ["451 Invalid Recipient", 3],
  ])("repeats until a conclusive answer: %s", async (say, times) => {
    const { lines, sessions } = await probeAll(say)
    expect(lines.map(({ control }) => brief(control))).toEqual(TO.map(() => `rcpt ${say.slice(0, 3)}`))
    expect(sessions).toHaveLength(TO.length + times)
    expect(sessions.flat().filter((command) => command === `RCPT TO:<${RANDOM}>`)).toHaveLength(times)
  })

  test("has its own answer per host and source IP", () => {
    const answers = new CatchAllAnswers()
    const key = { randomRecipient: RANDOM, mxHost: "mx1.test", sourceIp: "192.0.2.1" }
    const outcome = { kind: "reply", stage: "rcpt", reply: { code: 250, enhanced: null, text: "ok", ms: 1 } } as const
    answers.record(key, outcome)
    expect(answers.find({ ...key })).toBe(outcome)
    expect(answers.find({ ...key, mxHost: "mx2.test" })).toBeUndefined()
    expect(answers.find({ ...key, sourceIp: "192.0.2.2" })).toBeUndefined()
  })
})
