import type { Run } from "./measure.ts"
import { describeAnswer, type Part } from "./parts.ts"
import { countOutcomes, type Outcome, type ScoredAnswer, score, TRUTHS } from "./score.ts"

export interface Row {
  readonly name: string
  readonly version: string
  readonly outcomes: Readonly<Record<Outcome, number>> | null
  readonly seconds: number
  readonly problem: string | null
  readonly answers: readonly ScoredAnswer[]
}

export function rowOf({ name, version, seconds, answers, problem }: Run): Row {
  const scored = score(answers, TRUTHS)
  const outcomes = problem ? null : countOutcomes(scored)
  return { name, version, outcomes, seconds: Math.round(seconds * 10) / 10, problem, answers: scored }
}

const COLUMNS = ["right", "cautious", "unproven", "grave"] as const

/** Verifiers on the sandbox: a table in Markdown, then each answer that is not right. */
export function reportOf(rows: readonly Row[]): string {
  const cells = rows.map(({ name, version, outcomes, seconds, problem }) => {
    const figures = outcomes ? [...COLUMNS.map((outcome) => outcomes[outcome]), seconds] : [problem, "", "", "", ""]
    return [name, version, ...figures]
  })
  return [
    ...tableOf(["verifier", "version", ...COLUMNS, "seconds"], cells),
    ...rows.flatMap(({ name, answers }) => {
      const lines = answers.map((answer) => ({ outcome: answer.outcome, about: describeAnswer(answer) }))
      return disagreements(name, lines)
    }),
  ].join("\n")
}

/** Our verdicts by part and kind: a table in Markdown, then each case that is not right. */
export function reportOfParts(parts: readonly Part[]): string {
  const cells = parts.flatMap(({ name, cases, problem }) => {
    if (problem) return [[name, problem, "", "", "", "", ""]]
    const kinds = Map.groupBy(cases, ({ kind }) => kind)
    const rows = [...kinds].map(([kind, own]) => [name, kind, own.length, ...figuresOf(own)])
    return [...rows, [name, "**all**", cases.length, ...figuresOf(cases)]]
  })
  return [
    ...tableOf(["part", "kind", "cases", ...COLUMNS], cells),
    ...parts.flatMap(({ name, cases }) => disagreements(name, cases)),
  ].join("\n")
}

/** What README.md quotes in a sentence, and docs/comparison.md in a table. */
export function quotesOf(parts: readonly Part[], { measuredAt, commit }: { measuredAt: Date; commit: string }): string {
  const date = measuredAt.toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" })
  const measured = parts.filter(({ problem }) => problem === null)
  const run = `Measured on ${date}, at commit ${commit}`
  const right = measured.map(({ name, cases }) => `${countOutcomes(cases).right} of ${cases.length} ${name}`)
  const others = countOutcomes(measured.flatMap(({ cases }) => cases))
  const rows = measured.map(({ name, cases }) => [name, cases.length, ...figuresOf(cases)])
  return [
    "For README.md:",
    "",
    `${run}. Right: ${right.join(", ")}. Cautious: ${others.cautious}. Unproven: ${others.unproven}. Grave: ${others.grave}.`,
    "",
    "For docs/comparison.md:",
    "",
    `${run}:`,
    "",
    ...tableOf(["Cases", "Number", "Right", "Cautious", "Unproven", "Grave"], rows),
  ].join("\n")
}

type Cells = readonly (string | number | null)[]

function figuresOf(cases: Part["cases"]): readonly number[] {
  const counts = countOutcomes(cases)
  return COLUMNS.map((outcome) => counts[outcome])
}

function tableOf(heading: readonly string[], rows: readonly Cells[]): readonly string[] {
  const line = (cells: Cells) => `| ${cells.join(" | ")} |`
  return [line(heading), `|${heading.map(() => "---|").join("")}`, ...rows.map(line)]
}

function disagreements(name: string, cases: readonly Pick<Part["cases"][number], "outcome" | "about">[]): string[] {
  const lines = cases
    .filter(({ outcome }) => outcome !== "right")
    .toSorted((a, b) => COLUMNS.indexOf(b.outcome) - COLUMNS.indexOf(a.outcome))
    .map(({ outcome, about }) => `  ${outcome.padEnd(9)} ${about}`)
  return lines.length > 0 ? ["", name, ...lines] : []
}
