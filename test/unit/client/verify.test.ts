import { PassThrough } from "node:stream"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import type { Terminal } from "../../../src/client/cli/terminal.ts"
import { verify } from "../../../src/client/cli/verify.ts"
import { startStub } from "../../support/providers/stub-server.ts"

test.each([
  ["no_probe_node", "no probe node was available"],
  ["unreachable", "connection failed"],
])("connection_failed with primary risk %s prints the reason %s", async (primary_risk, words) => {
  const service = await startStub(() => ({
    status: 200,
    json: {
      ...{ email: "alice@mailbox.test", status: "unknown", sub_status: "connection_failed", deliverability: "unknown" },
      deliverability_score: { score: 57, recommendation: "retry_later", can_send: false, primary_risk },
      ...{ mx_records: [], smtp_response_code: "", did_you_mean: null },
    },
  }))
  const stdout = new PassThrough()
  const terminal: Terminal = {
    ...{ stdin: new PassThrough(), stdout, stderr: new PassThrough(), isInteractive: false, hasColor: false },
    env: { MAILVERDICT_URL: service.url, MAILVERDICT_API_KEY: "mv_live_1" },
  }
  expect(await verify(terminal, "alice@mailbox.test", {})).toBe(1)
  stdout.end()
  expect(/reason {2,}(.*)/.exec(await text(stdout))?.[1]).toBe(words)
  await service.stop()
})
