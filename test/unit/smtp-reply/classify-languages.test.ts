import { describe, expect, test } from "vitest"
import {
  classifyLine,
  isInvalid,
  type LabelledReply,
  readReplies,
} from "../../../scripts/bench/verdicts/labelled-replies.ts"

const replies = readReplies("replies-languages.tsv")
const languages = [...new Set(replies.map(({ source }) => source.replace(/-\d$/, "")))]
const withoutMarks = (text: string) =>
  text
    .normalize("NFKD")
    .replace(/\p{Mn}/gu, "")
    .normalize("NFC")

/** The ways in which servers write the same words. */
const FORMS: readonly [name: string, write: (words: string) => string][] = [
  ["alone", (words) => `550 ${words}`],
  ["as a sentence in capitals", (words) => `550 ${words.toUpperCase()}.`],
  ["without marks", (words) => `550 ${withoutMarks(words)}`],
  ["without marks, after an enhanced code", (words) => `550 5.7.1 ${withoutMarks(words)}`],
  ["with U+200F and U+200E around it", (words) => `550 \u200f${words}\u200e`],
  ["over two lines", (words) => `550-${words.replace(" ", "\r\n550 ")}`],
  ["as a reason", (words) => `554 5.5.0 <them@example.com>: Recipient address rejected: ${words}`],
  ["as a detail", (words) => `550 Requested action not taken: ${words}`],
]

function misread(rows: readonly LabelledReply[], write: (words: string) => string): readonly string[] {
  return rows
    .map(({ classes, line }) => ({ classes, line: write(line.slice(4)) }))
    .map((row) => ({ ...row, verdict: classifyLine(row.line) }))
    .filter(({ classes, verdict }) => !classes.includes(verdict.class))
    .map(({ classes, line, verdict }) => `${classes.join("|")} read as ${verdict.class} by ${verdict.ruleId}: ${line}`)
}

describe.each(languages)("%s", (language) => {
  const own = replies.filter(({ source }) => source.startsWith(language))

  test.each(FORMS)("the usual wordings are read %s", (_, write) => {
    expect(own.length).toBeGreaterThan(40)
    expect(misread(own, write)).toEqual([])
  })

  test("a wording with a 4xx code, or before RCPT, never marks an address as invalid", () => {
    for (const { line } of own) {
      expect(isInvalid(classifyLine(`450${line.slice(3)}`).class), line).toBe(false)
      expect(isInvalid(classifyLine(line, "mail").class), line).toBe(false)
    }
  })
})
