import { type Expression, type PrivateIdentifier, Visitor } from "oxc-parser"
import { fileRule } from "./source-rules.ts"
import type { Case } from "./test-rule-cases.ts"

const SEND_DECISION = "src/domain/verification/send-decision.ts"
const NEXT_ATTEMPT = "src/domain/verification/next-attempt.ts"
const THRESHOLD = "CAN_SEND_FROM"
const COMPARISON = /^(<|<=|>|>=)$/
/** Statuses in SQL that exclude an address from sending. */
const EXCLUDED_IN_SQL = /NOT IN \('invalid', 'invalid_syntax'\)/
const DELAYS = /^(recheck|retry)?delaysMs$/i

const nameOf = (node: Expression | PrivateIdentifier): string | null => {
  if (node.type === "Identifier") return node.name
  return node.type === "MemberExpression" && node.property.type === "Identifier" ? node.property.name : null
}

/** A comparison with the score of sending, in code or in SQL, is a second send decision. */
const sendDecisionHasOneHome = fileRule(
  (path) => path.startsWith("src/") && path !== SEND_DECISION,
  ({ program }) => {
    const found: string[] = []
    new Visitor({
      BinaryExpression({ left, operator, right }) {
        if (COMPARISON.test(operator) && [left, right].some((side) => nameOf(side) === THRESHOLD))
          found.push(`compares with ${THRESHOLD}: use ${SEND_DECISION}`)
      },
      TemplateLiteral({ quasis, expressions }) {
        for (const [n, expression] of expressions.entries())
          if (nameOf(expression) === THRESHOLD && /[<>]=?\s*$/.test(quasis[n]!.value.raw))
            found.push(`compares with ${THRESHOLD} in SQL: read the stored decision`)
      },
      TemplateElement({ value }) {
        if (EXCLUDED_IN_SQL.test(value.raw)) found.push("decides by status in SQL: read the stored decision")
      },
    }).visit(program)
    return found
  },
)

/** The delay of an attempt, and the wait that a mail server requests, are read where they are combined. */
const nextAttemptHasOneHome = fileRule(
  (path) => path.startsWith("src/") && path !== NEXT_ATTEMPT,
  ({ program }) => {
    const found: string[] = []
    new Visitor({
      MemberExpression({ object, property, computed }) {
        const owner = nameOf(object)
        if (computed && owner && DELAYS.test(owner)) found.push(`reads a delay of ${owner}: use ${NEXT_ATTEMPT}`)
        if (!computed && owner === "reply" && property.type === "Identifier" && property.name === "retryAfterSeconds")
          found.push(`reads the requested wait of a reply: use ${NEXT_ATTEMPT}`)
      },
    }).visit(program)
    return found
  },
)

/** Rules about decisions of the domain that have one home each. */
export const DECISION_CASES: Readonly<Record<string, Case>> = {
  "the send decision is made in one file": {
    rule: sendDecisionHasOneHome,
    bad: [
      { "src/domain/x.ts": "export const canSend = (score) => score.total >= CAN_SEND_FROM" },
      { "src/domain/x.ts": "const isLow = CAN_SEND_FROM > band * 10" },
      { "src/adapters/x.ts": `const isSendable = sql\`score >= \${CAN_SEND_FROM}\`` },
      { "src/adapters/x.ts": "const a = sql`SELECT 1 WHERE status NOT IN ('invalid', 'invalid_syntax')`" },
    ],
    good: {
      [SEND_DECISION]: "export const allowsSending = (score) => score >= CAN_SEND_FROM",
      "src/adapters/x.ts": "const a = sql`SELECT email FROM job_items WHERE can_send`",
      "src/routes/x.ts": `const text = \`Sending needs \${CAN_SEND_FROM} points.\``,
    },
  },
  "when a deferred address is probed again is decided in one file": {
    rule: nextAttemptHasOneHome,
    bad: [
      { "src/services/x.ts": "const delay = ctx.config.recheckDelaysMs[attempt]" },
      { "src/domain/x.ts": "const wait = Math.max(delaysMs[passes], 1)" },
      { "src/services/x.ts": "const wait = verdict.reply?.retryAfterSeconds ?? 0" },
    ],
    good: {
      [NEXT_ATTEMPT]: "export const wait = policy.delaysMs[attempt] + reply.retryAfterSeconds",
      "src/services/x.ts":
        'const policy = { of: "list", delaysMs: config.bulk.retryDelaysMs }\nheader(error.retryAfterSeconds)',
    },
  },
}
