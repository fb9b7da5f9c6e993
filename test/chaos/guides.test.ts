import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunStep, runGuides } from "../support/guide/run-guides.ts"
import { treatmentOf } from "../support/guide/treatments.ts"
import { missingLines, stepsOf } from "../support/stack/guide-steps.ts"

/**
 * The guides of an operator, as a reader follows them: every command that can run in a clean root runs, in the order of
 * the guide, in one shell. What it prints is compared with the block below it.
 */
const GUIDES = ["docs/self-hosting.md", "docs/deploy.md", "probe-node/README.md"]

describe.each(GUIDES)("the commands of %s", (document) => {
  test.each(stepsOf(document).flatMap(({ heading, commands }) => commands.map((command) => ({ heading, command }))))(
    "$heading: $command is run, or has a reason why not",
    ({ command, heading }) => {
      expect(treatmentOf(command, heading)).not.toBeNull()
    },
  )
})

// A clean root needs namespaces, and so the superuser.
describe.each(process.getuid?.() === 0 ? ["a clean root"] : [])("in %s", () => {
  const folder = mkdtempSync(join(tmpdir(), "mailverdict-guides-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let ran: Map<string, RunStep[]>
  beforeAll(() => {
    ran = runGuides(folder, GUIDES)
  }, 240_000)

  test.each(GUIDES)("%s: each command succeeds, or fails for a known reason", (document) => {
    const commands = ran.get(document)!.flatMap((step) => step.commands)
    const started = commands.filter(({ treatment }) => treatment?.kind === "run")
    const wrong = started.filter(
      ({ code, treatment }) => (code === 0) === (treatment?.kind === "run" && !!treatment.fails),
    )
    expect(wrong.map(({ heading, command, code, printed }) => ({ heading, command, code, printed }))).toEqual([])
  })

  test.each(GUIDES)("%s: each command prints what the guide shows", (document) => {
    for (const { commands, output } of ran.get(document)!) {
      if (commands.some(({ treatment }) => treatment?.kind !== "run")) continue
      const printed = commands.map((one) => one.printed).join("\n")
      const missing = missingLines({ output }, printed)
      expect({ missing, printed: missing.length > 0 ? printed : "" }).toEqual({ missing: [], printed: "" })
    }
  })
})
