import { expect, test } from "vitest"
import { startStub } from "../../support/providers/stub-server.ts"
import { runCli } from "../../support/stack/run-cli.ts"

const verdictOf = (email: string, primary_risk: string | null = null) => ({
  ...{ email, status: "unknown", sub_status: "connection_failed", deliverability: "unknown" },
  deliverability_score: { score: 57, recommendation: "retry_later", can_send: email.startsWith("yes"), primary_risk },
  ...{ mx_records: [], smtp_response_code: "", did_you_mean: null },
})

test.each([
  ["no_probe_node", "no probe node was available"],
  ["unreachable", "connection failed"],
])("connection_failed with primary risk %s prints the reason %s", async (primary_risk, words) => {
  const service = await startStub(() => ({ status: 200, json: verdictOf("alice@mailbox.test", primary_risk) }))
  const env = { MAILVERDICT_URL: service.url, MAILVERDICT_API_KEY: "mv_live_1" }
  const shown = await runCli(["verify", "alice@mailbox.test"], { env, columns: 80 })
  expect(/reason {2,}(.*)/.exec(shown.stdout)?.[1]).toBe(words)
  expect(shown.code).toBe(1)
  await service.stop()
})

test("an address from a file or a reply cannot rewrite the screen", async () => {
  const explanation = { ledger: [], transcript: [{ from: "server", text: "550 \u001b[2J no" }] }
  const service = await startStub(() => ({ status: 200, json: { ...verdictOf("\u001b[2Jx@a.test"), explanation } }))
  const env = { MAILVERDICT_URL: service.url }
  const { stdout } = await runCli(["verify", "x@a.test", "--explain"], { env, columns: 80 })
  expect(stdout).toContain("x@a.test")
  expect(stdout).toContain("550  no")
  expect(stdout).not.toContain("\u001b[2J")
  await service.stop()
})

test("addresses of standard input are verified a few at a time, and printed in their order", async () => {
  let [running, most] = [0, 0]
  const [windowIsFull, othersAreAnswered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const service = await startStub(async ({ body }) => {
    most = Math.max(most, ++running)
    const { email } = JSON.parse(body) as { email: string }
    if (running === 4) {
      // A request that follows all requests sent so far.
      await fetch(`${service.url}/calls`)
      windowIsFull.resolve()
    }
    // The first address is the slowest.
    await (email === "yes0@a.test" ? othersAreAnswered : windowIsFull).promise
    if (--running === 1) othersAreAnswered.resolve()
    return { status: 200, json: verdictOf(email) }
  })
  const emails = Array.from({ length: 20 }, (_, n) => `yes${n}@a.test`)
  const env = { MAILVERDICT_URL: service.url }
  const all = await runCli(["verify", "-"], { env, input: `${emails.join("\n")}\n\n` })
  expect(all.code).toBe(0)
  expect([...all.stdout.matchAll(/^\{"email":"([^"]+)"/gm)].map(([, email]) => email)).toEqual(emails)
  expect(most).toBe(4)
  expect((await runCli(["verify", "-", "no@a.test"], { env, input: "yes@a.test" })).code).toBe(1)
  const none = { code: 2, stdout: "", stderr: "mailverdict: standard input contains no addresses\n" }
  expect(await runCli(["verify", "-"], { env })).toEqual(none)
  await service.stop()
})
