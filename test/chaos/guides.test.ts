import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commandsIn, commandsOn, GUIDES, JOURNEYS } from "../support/guide/journeys.ts"
import { publishProject } from "../support/guide/published.ts"
import { LIMIT_MS, type RanCommand, runJourney } from "../support/guide/run-guides.ts"
import { missingLines, stepsOf } from "../support/stack/guide-steps.ts"

/**
 * The guides of an operator, as readers follow them: every command that can run in a clean root runs, in the order of the
 * guide, in one shell. What it prints is compared with the block below it.
 */
const isRoot = process.getuid?.() === 0

test("a clean root, which needs the superuser, is there where it is required", () => {
  expect(isRoot || !process.env.ROOT_REQUIRED).toBe(true)
})

describe.each(GUIDES)("the commands of %s", (document) => {
  test.each(commandsIn(document))("$heading: $command is run, or has a reason why not", ({ treatment }) => {
    expect(treatment).not.toBeNull()
  })

  test("each that can run is part of a journey", () => {
    const ran = JOURNEYS.flatMap(commandsOn).map(({ document: own, step, index }) => `${own} ${step} ${index}`)
    const left = commandsIn(document).filter(
      ({ treatment, step, index }) => treatment?.kind === "run" && !ran.includes(`${document} ${step} ${index}`),
    )
    expect(left.map(({ heading, command }) => ({ heading, command }))).toEqual([])
  })
})

const files = mkdtempSync(join(tmpdir(), "mailverdict-guides-"))
const repository = join(files, "repository")
beforeAll(() => isRoot && publishProject(repository))
afterAll(() => rmSync(files, { recursive: true, force: true }))

describe.each(isRoot ? JOURNEYS : [])("$name, in a clean root", (journey) => {
  let ran: readonly RanCommand[]
  beforeAll(() => {
    const folder = mkdtempSync(join(files, "root-"))
    ran = runJourney(journey, { folder, repository })
    rmSync(folder, { recursive: true, force: true })
  }, LIMIT_MS)

  test("each command succeeds, or fails for a known reason", () => {
    const wrong = ran.filter(({ code, treatment }) => {
      if (treatment?.kind !== "run" || (code !== null && treatment.mayFail)) return false
      return (code === 0) === (treatment.fails !== undefined) || code === null
    })
    expect(
      wrong.map(({ document, heading, command, code, printed }) => ({ document, heading, command, code, printed })),
    ).toEqual([])
  })

  test.each(journey.documents)("%s: each block prints what the guide shows", (document) => {
    for (const [step, { commands, output }] of stepsOf(document).entries()) {
      const own = ran.filter((one) => one.document === document && one.step === step)
      // The shown lines are those of the last command.
      if (own.at(-1)?.index !== commands.length - 1) continue
      const printed = own.map((one) => one.printed).join("\n")
      const missing = missingLines({ output }, printed)
      expect({ missing, printed: missing.length > 0 ? printed : "" }).toEqual({ missing: [], printed: "" })
    }
  })
})
