import { stripVTControlCharacters } from "node:util"
import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import { findingsTable } from "../../../probe-node/commands/doctor.ts"
import { withLines } from "../../../probe-node/commands/enrol.ts"
import { Transcript, type TranscriptLine, transcriptText, wantsColor } from "../../../probe-node/commands/terminal.ts"
import { Durations } from "../../../probe-node/health.ts"
import type { DoctorReport } from "../../../schema/wire/health.ts"

const REPORT: DoctorReport = {
  ranAt: 0,
  fit: false,
  findings: [
    { check: "clock", subject: null, result: "ok", detail: "agrees with a.test" },
    {
      check: "blocklists",
      subject: "192.0.2.1",
      result: "fail",
      detail: "is on a list that has a name: \u001b[2J read why, end it",
    },
  ],
}

describe("the table of findings", () => {
  test("wraps the detail in its column and escapes control characters", () => {
    expect(findingsTable(REPORT, { colored: false, width: 62 })).toBe(
      [
        "ok       clock                  agrees with a.test",
        "fail     blocklists  192.0.2.1  is on a list that has a name:",
        "                                \\x1b[2J read why, end it",
        "",
        "unfit: the edge sends no probes until the failures are fixed: 1 fail, 0 warn, 0 unknown, 1 ok",
      ].join("\n"),
    )
  })

  test("color changes no text", () => {
    const colored = findingsTable(REPORT, { colored: true, width: 80 })
    expect(colored).toContain("\u001b[31mfail")
    expect(stripVTControlCharacters(colored)).toBe(findingsTable(REPORT, { colored: false, width: 80 }))
  })
})

describe("color", () => {
  const { NO_COLOR, TERM } = process.env
  afterEach(() => {
    for (const [name, value] of Object.entries({ NO_COLOR, TERM }))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  test.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
  ])("terminal %s, %j: %s", (isTTY, env, expected) => {
    Object.assign(process.env, { NO_COLOR: "", TERM: "xterm" }, env)
    expect(wantsColor({ isTTY })).toBe(expected)
  })
})

describe("a settings file", () => {
  test.each<[before: string, after: string]>([
    ["", "A=1\nB=2\n"],
    ["A=0\n", "A=1\nB=2\n"],
    ["# A=0\n\nB=0\nC=3", "# A=0\n\nB=2\nC=3\nA=1\n"],
    ["export B='x'\nA=\n\n\n", "B=2\nA=1\n"],
  ])("%j becomes %j", (before, after) => {
    expect(withLines(before, { A: "1", B: "2" })).toBe(after)
  })
})

describe("a transcript", () => {
  const received = "220 héllo \u001b[31m\r\n250-a\r\n250 b\n\r\nrest"

  test("does not depend on the chunking of the bytes", () => {
    const bytes = Buffer.from(received)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (places) => {
        const transcript = new Transcript(() => undefined)
        const cuts = [0, ...places.toSorted((one, other) => one - other), bytes.length]
        for (let at = 1; at < cuts.length; at++)
          transcript.trace({ kind: "received", bytes: Buffer.from(bytes.subarray(cuts[at - 1], cuts[at])) })
        transcript.trace({ kind: "over", end: { kind: "done" } })
        expect(transcript.lines.map(({ from, text }) => `${from} ${text}`)).toEqual([
          "server 220 héllo \\x1b[31m",
          "server 250-a",
          "server 250 b",
          "server ",
          "server rest",
          "node all recipients probed",
        ])
      }),
    )
  })

  test("marks the sender of each line", () => {
    const lines: TranscriptLine[] = []
    const transcript = new Transcript((line) => lines.push(line))
    transcript.trace({ kind: "connected" })
    transcript.trace({ kind: "sent", text: "EHLO a.test\r\nQUIT\r\n" })
    transcript.trace({ kind: "received", bytes: Buffer.from("221 bye\r\n") })
    expect(lines.map((line) => transcriptText({ ...line, ms: 12.34 }, false))).toEqual([
      "     12.3 ms  -- connected",
      "     12.3 ms  -> EHLO a.test",
      "     12.3 ms  -> QUIT",
      "     12.3 ms  <- 221 bye",
    ])
  })
})

test("each duration bucket counts all values up to its bound", () => {
  const durations = new Durations()
  for (const ms of [10, 50, 51, 900, 61_000]) durations.observe(ms)
  const samples = new Map(durations.samples())
  expect(["0.05", "0.1", "0.5", "1", "60", "+Inf"].map((bound) => samples.get(`_bucket{le="${bound}"}`))).toEqual([
    2, 3, 3, 4, 4, 5,
  ])
  expect(samples.get("_count")).toBe(5)
  expect(samples.get("_sum")).toBeCloseTo(62.011)
})
