import { readFileSync } from "node:fs"
import { REPLY_CLASSES, type ReplyClass, type SmtpStage } from "../../../schema/vocabulary.ts"
import { classifyReply, type ReplyVerdict } from "../../../src/domain/smtp-reply/classify-reply.ts"

/** A labelled line of a reply table. All `classes` are equally correct. */
export interface LabelledReply {
  readonly source: string
  readonly classes: readonly ReplyClass[]
  readonly line: string
}

const TABLES = new URL("../../../test/unit/smtp-reply/", import.meta.url)

/** Reads a table with the columns source, class|class and reply, in which "\n" is a line break. */
export function readReplies(fileName: string): readonly LabelledReply[] {
  const lines = readFileSync(new URL(fileName, TABLES), "utf8").split("\n")
  return lines
    .filter((line) => line && !line.startsWith("#") && !line.startsWith("source\t"))
    .map((line) => {
      const [source = "", classes = "", reply = ""] = line.split("\t")
      return { source, classes: classes.split("|").map(asClass), line: reply.replaceAll("\\n", "\n") }
    })
}

/** Rules are changed for the odd lines of this table only, so its even lines measure them. */
export function readUnseenReplies() {
  const replies = readReplies("replies-unseen.tsv")
  const isOdd = (_: LabelledReply, index: number) => index % 2 === 0
  return { odd: replies.filter(isOdd), even: replies.filter((reply, index) => !isOdd(reply, index)) }
}

/** Classifies a whole reply line as received, without a parsed enhanced code. */
export function classifyLine(line: string, stage: SmtpStage = "rcpt"): ReplyVerdict {
  return classifyReply({ code: Number(line.slice(0, 3)), enhanced: null, text: line.slice(4), stage })
}

/** Whether a reply of this class makes the address invalid. */
export function isInvalid(meaning: ReplyClass): boolean {
  return meaning === "mailbox_missing" || meaning === "mailbox_disabled"
}

/** Counts the misread replies of a table and lists them. */
export function score(replies: readonly LabelledReply[]) {
  const judged = replies.map((reply) => ({ ...reply, verdict: classifyLine(reply.line) }))
  const wrong = judged.filter(({ classes, verdict }) => !classes.includes(verdict.class))
  return {
    total: judged.length,
    wrong: wrong.length,
    // Replies without a permanent state of the mailbox that were read as one.
    falselyInvalid: judged.filter(({ classes, verdict }) => !classes.some(isInvalid) && isInvalid(verdict.class))
      .length,
    missed: judged.filter(({ classes, verdict }) => classes.every(isInvalid) && !isInvalid(verdict.class)).length,
    report: wrong
      .map(
        ({ source, classes, verdict, line }) =>
          `${classes.join("|")} read as ${verdict.class} by ${verdict.ruleId}: [${source}] ${line}`,
      )
      .join("\n"),
  }
}

function asClass(word: string): ReplyClass {
  const found = REPLY_CLASSES.find((known) => known === word)
  if (!found) throw new Error(`no such class: ${word}`)
  return found
}
