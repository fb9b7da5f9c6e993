import { runTestFiles } from "../../dev/run-test-files.ts"
import { classifyLine, isInvalid, type LabelledReply, readReplies, readUnseenReplies } from "./labelled-replies.ts"
import { type Outcome, outcomeOf, type ScoredAnswer, type Truth, type Verdict } from "./score.ts"

/** A case of a part, with the outcome of our answer. */
export interface ScoredCase {
  /** The truth of an address, with its server if it is a real one, or the first labelled class of a reply. */
  readonly kind: string
  readonly outcome: Outcome
  /** What was expected and what we say, in one line. */
  readonly about: string
}

export interface Part {
  readonly name: string
  readonly cases: readonly ScoredCase[]
  /** Why there are no cases. */
  readonly problem: string | null
}

/** What a test of test/mta records about a case of test/mta/cases.tsv. */
export interface ServerAnswer {
  readonly server: string
  readonly service: string
  readonly address: string
  readonly truth: Truth
  readonly verdict: Verdict
  /** The node's report and the edge's verdict. */
  readonly summary: string
}

const SERVER_TESTS = ["postfix", "exim", "opensmtpd"].map((server) => `test/mta/${server}.test.ts`)
/** Tables whose wrong lines changed the rules. */
const TUNED_TABLES = ["replies.tsv", "replies-about-us.tsv", "replies-languages.tsv", "provider-replies.tsv"]

/** Our answers for the sandbox addresses. */
export function sandboxPart({
  answers,
  problem,
}: {
  readonly answers: readonly ScoredAnswer[]
  readonly problem: string | null
}): Part {
  const cases = answers.map((answer) => ({
    kind: answer.truth,
    outcome: answer.outcome,
    about: describeAnswer(answer),
  }))
  return { name: "sandbox addresses", cases, problem }
}

export function describeAnswer({ address, verdict, truth, raw }: Omit<ScoredAnswer, "outcome">): string {
  const words = raw.length > 100 ? `${raw.slice(0, 99)}…` : raw
  return `${address.padEnd(31)} ${truth}; says ${verdict}: ${words.replaceAll("\n", " ")}`
}

/** Runs the tests of the real mail servers. A failed test counts by the verdict that it recorded. */
export async function measureServers(): Promise<Part> {
  const outcomes = await runTestFiles(SERVER_TESTS)
  const answers = outcomes.flatMap(({ meta }) => (meta as { serverAnswer?: ServerAnswer }).serverAnswer ?? [])
  const problem = "not measured: run scripts/ci-install.sh as root, and this command as root"
  return {
    name: "cases at Postfix, Exim and OpenSMTPD",
    cases: answers.map(scoreServerAnswer),
    problem: answers.length > 0 ? null : problem,
  }
}

function scoreServerAnswer({ server, service, address, truth, verdict, summary }: ServerAnswer): ScoredCase {
  const about = describeAnswer({ address, truth, verdict, raw: `${server} (${service}), ${summary}` })
  return { kind: `${server}: ${truth}`, outcome: outcomeOf(truth, verdict), about }
}

/** The classes that our rules give to labelled replies: those that the rules were written with, and unseen ones. */
export function measureReplies(): readonly Part[] {
  const { odd, even } = readUnseenReplies()
  const tuned = [...TUNED_TABLES.flatMap(readReplies), ...odd]
  return [
    { name: "known labelled replies", cases: tuned.map(scoreReply), problem: null },
    { name: "unseen labelled replies", cases: even.map(scoreReply), problem: null },
  ]
}

/** Another class is cautious when it leads to unknown or to the same verdict. */
export function scoreReply({ classes, line }: LabelledReply): ScoredCase {
  const read = classifyLine(line).class
  const kind = classes[0]!
  const about = `${classes.join("|")} read as ${read}: ${line.replaceAll("\n", " ")}`
  if (classes.includes(read)) return { kind, outcome: "right", about }
  const truth = classes.some(isInvalid) ? "missing" : classes.includes("accepted") ? "exists" : "cannot be known"
  const outcome = outcomeOf(truth, isInvalid(read) ? "undeliverable" : read === "accepted" ? "deliverable" : "unknown")
  return { kind, outcome: outcome === "right" ? "cautious" : outcome, about }
}
