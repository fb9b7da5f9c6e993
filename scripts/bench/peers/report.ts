import type { Run } from "./measure.ts"
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

/** A table in Markdown, then each answer that is not right. */
export function reportOf(rows: readonly Row[]): string {
  const table = rows.map(({ name, version, outcomes, seconds, problem }) => {
    const cells = outcomes ? [...COLUMNS.map((outcome) => outcomes[outcome]), seconds] : [problem, "", "", "", ""]
    return `| ${[name, version, ...cells].join(" | ")} |`
  })
  const heading = ["verifier", "version", ...COLUMNS, "seconds"]
  return [
    `| ${heading.join(" | ")} |`,
    `|${heading.map(() => "---|").join("")}`,
    ...table,
    ...rows.flatMap(({ name, answers }) => disagreements(name, answers)),
  ].join("\n")
}

function disagreements(name: string, answers: readonly ScoredAnswer[]): string[] {
  const lines = answers
    .filter(({ outcome }) => outcome !== "right")
    .toSorted((a, b) => COLUMNS.indexOf(b.outcome) - COLUMNS.indexOf(a.outcome))
    .map(({ address, verdict, truth, outcome, raw }) => {
      const words = raw.length > 100 ? `${raw.slice(0, 99)}…` : raw
      return `  ${outcome.padEnd(9)} ${address.padEnd(31)} ${truth}; says ${verdict}: ${words.replaceAll("\n", " ")}`
    })
  return lines.length > 0 ? ["", name, ...lines] : []
}
