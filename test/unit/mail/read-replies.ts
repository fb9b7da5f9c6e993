import { readFileSync } from "node:fs"
import { REPLY_CLASSES, type ReplyClass, type SmtpStage } from "../../../schema/vocabulary.ts"
import { classifyReply, type ReplyVerdict } from "../../../src/domain/mail/classify-reply.ts"

/** A labelled line of a reply table; `classes` are equally right. */
export interface LabelledReply {
  readonly source: string
  readonly classes: readonly ReplyClass[]
  readonly line: string
}

/** Reads a table of `source, class|class, reply` lines, "\n" written out in the reply. */
export function readReplies(fileName: string): readonly LabelledReply[] {
  const lines = readFileSync(new URL(fileName, import.meta.url), "utf8").split("\n")
  return lines
    .filter((line) => line && !line.startsWith("#") && !line.startsWith("source\t"))
    .map((line) => {
      const [source = "", classes = "", reply = ""] = line.split("\t")
      return { source, classes: classes.split("|").map(asClass), line: reply.replaceAll("\\n", "\n") }
    })
}

/** Classifies a whole reply line as it came off the wire, enhanced code unparsed. */
export function classifyLine(line: string, stage: SmtpStage = "rcpt"): ReplyVerdict {
  return classifyReply({ code: Number(line.slice(0, 3)), enhanced: null, text: line.slice(4), stage })
}

/** What a verifier calls invalid. */
export function condemns(meaning: ReplyClass): boolean {
  return meaning === "mailbox_missing" || meaning === "mailbox_disabled"
}

/** Counts and the lines that went wrong, for a table half or whole. */
export function score(replies: readonly LabelledReply[]) {
  const judged = replies.map((reply) => ({ ...reply, verdict: classifyLine(reply.line) }))
  const wrong = judged.filter(({ classes, verdict }) => !classes.includes(verdict.class))
  return {
    total: judged.length,
    wrong: wrong.length,
    // Replies that say nothing lasting about the mailbox, and were read as if they did.
    falselyInvalid: judged.filter(({ classes, verdict }) => !classes.some(condemns) && condemns(verdict.class)).length,
    missed: judged.filter(({ classes, verdict }) => classes.every(condemns) && !condemns(verdict.class)).length,
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
