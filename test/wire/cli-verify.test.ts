import { spawn } from "node:child_process"
import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { run } from "../../src/client/cli/program.ts"
import { type Given, type StubRequest, startStub } from "../support/providers/stub-server.ts"
import { jsonLines, memoryTerminal, runCli } from "../support/stack/run-cli.ts"

const main = fileURLToPath(new URL("../../src/client/cli/main.ts", import.meta.url))
const emailOf = ({ body }: StubRequest) => (JSON.parse(body) as { email: string }).email
const verdict = (email: string): Given => ({
  status: 200,
  json: {
    ...{ email, status: "valid", sub_status: "", deliverability: "deliverable", mx_records: [] },
    deliverability_score: { score: 90, recommendation: "send", can_send: true, primary_risk: null },
  },
})
const addresses = (count: number) => Array.from({ length: count }, (_, n) => `user${n}@a.test`)

test("a closed pipe ends verify: hardly any address is charged", async () => {
  const service = await startStub((asked) => verdict(emailOf(asked)))
  const script = `"${process.execPath}" "${main}" verify ${addresses(60).join(" ")} | head -n 1`
  const env = { PATH: process.env.PATH, MAILVERDICT_URL: service.url, HOME: "/nonexistent" }
  const child = spawn("bash", ["-c", script], { env })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(jsonLines(out)).toMatchObject([{ email: "user0@a.test" }])
  expect(err).toBe("")
  expect(service.calls.length).toBeLessThan(30)
  await service.stop()
})

test.each([null, 80])("a failure prints the verdicts before it, and ends the others (columns %j)", async (columns) => {
  let release: () => void = () => undefined
  const hanging = new Promise<void>((resolve) => {
    release = resolve
  })
  const service = await startStub(async (asked) => {
    const email = emailOf(asked)
    if (email === "user1@a.test") return { status: 402, json: { detail: "no credits left" } }
    if (email === "user2@a.test") await hanging
    return verdict(email)
  })
  const failed = await runCli(["verify", ...addresses(3)], { env: { MAILVERDICT_URL: service.url }, columns })
  release()
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("mailverdict: no credits left") })
  expect(failed.stdout).toContain("user0@a.test")
  expect(failed.stdout).not.toContain("user2@a.test")
  await service.stop()
})

test("standard input is verified as it arrives", async () => {
  const service = await startStub((asked) => verdict(emailOf(asked)))
  const { terminal, stdout } = memoryTerminal({ env: { MAILVERDICT_URL: service.url } })
  const stdin = new PassThrough()
  const ended = run({ ...terminal, stdin }, ["verify", "-"])
  stdin.write(`${addresses(10).join("\n")}\n`)
  await expect.poll(() => String(stdout.read() ?? "")).toContain("user0@a.test")
  stdin.end()
  expect(await ended).toBe(0)
  await service.stop()
})
