import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { run } from "../../src/client/cli/program.ts"

const folder = mkdtempSync(join(tmpdir(), "mailverdict-lists-"))
const [table, lines] = [join(folder, "list.csv"), join(folder, "list.txt")]
const JOB = { job_id: "job_1", status: "complete", total: 1, progress: 1, results: [], next_cursor: null }
const service = createServer((request, response) => {
  request.resume().on("end", () => response.end(JSON.stringify(JOB)))
})
beforeAll(async () => {
  for (const file of [table, lines]) writeFileSync(file, "a@b.test\n")
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
})
afterAll(() => {
  service.close().closeAllConnections()
  rmSync(folder, { recursive: true })
})

// Over a slow line a list takes minutes; whoever asks how far it is has an answer at once, or none.
test.each([
  ["bulk", table, [15, 1.5, 15]],
  ["bulk", lines, [15, 1.5, 15]],
  ["job", "results job_1", [15]],
])("%s %s: minutes that each call may take", async (command, rest, minutes) => {
  const timeouts = vi.spyOn(AbortSignal, "timeout")
  const MAILVERDICT_URL = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const env = { MAILVERDICT_URL, MAILVERDICT_API_KEY: "mv_live_test" }
  const terminal = { stdin, stdout, stderr, isInteractive: false, hasColour: false, env }
  expect(await run(terminal, [command, ...rest.split(" ")])).toBe(0)
  expect(timeouts.mock.calls.map(([ms]) => ms / 60_000)).toEqual(minutes)
  timeouts.mockRestore()
})
