import { type Expression, type Program, Visitor } from "oxc-parser"
import { analyse } from "scslre"
import type { Rule } from "./layer-rules.ts"

interface Literal {
  readonly source: string
  readonly flags: string
}

type Constants = ReadonlyMap<string, Expression>

/**
 * Where an expression needs more than linear time: two quantifiers share a text that one character fills, or each
 * position of such a text is the start of a search to its end. Counted repetitions are bounded and not reported.
 */
export function superLinearParts({ source, flags }: Literal): string[] {
  return analyse({ source, flags }).reports.map(
    ({ type, exponential, character }) =>
      `${exponential ? "exponential" : type === "Move" ? "quadratic from every position" : "polynomial"} for ${JSON.stringify(character.pick)}`,
  )
}

/** No input, however long, blocks the thread of a process that serves many callers. */
export const expressionsTakeLinearTime: Rule = ({ files }) =>
  files
    .filter(({ path }) => /^(src|schema|probe-node)\//.test(path))
    .flatMap(({ path, program }) =>
      expressionsIn(program).flatMap((literal) =>
        superLinearParts(literal).map((problem) => `${path}: /${literal.source}/${literal.flags}: ${problem}`),
      ),
    )

/** The only file that recognizes a DNS record of mail authentication, by the version in the record. */
const RECORD_HOMES: readonly (readonly [version: string, home: string])[] = [
  ["spf1", "schema/wire/spf-record.ts"],
  ["DMARC1", "src/domain/dns/mail-auth.ts"],
  ["STSv1", "src/domain/dns/mail-auth.ts"],
  ["BIMI1", "src/domain/dns/mail-auth.ts"],
]

/** Edge and nodes read a published record by the same rules. */
export const mailRecordsAreReadInOneFile: Rule = ({ files }) =>
  files
    .filter(({ path }) => !path.startsWith("test/"))
    .flatMap(({ path, program }) =>
      expressionsIn(program).flatMap(({ source }) =>
        RECORD_HOMES.filter(([version, home]) => source.includes(version) && path !== home).map(
          ([version, home]) => `${path} recognizes ${version}: use ${home}`,
        ),
      ),
    )

/** The literals, and each `new RegExp` of constant text. */
function expressionsIn(program: Program): Literal[] {
  const found: Literal[] = []
  const constants = constantsOf(program)
  const add = (callee: Expression, [source, flags]: readonly { readonly type: string }[]) => {
    if (callee.type !== "Identifier" || callee.name !== "RegExp" || !source) return
    const texts = [source, flags].map((text) => (text ? textOf(text as Expression, constants) : ""))
    if (texts.every((text) => text !== null)) found.push({ source: texts[0]!, flags: texts[1]! })
  }
  new Visitor({
    Literal(literal) {
      if ("regex" in literal) found.push({ source: literal.regex.pattern, flags: literal.regex.flags })
    },
    NewExpression: (call) => add(call.callee, call.arguments),
    CallExpression: (call) => add(call.callee, call.arguments),
  }).visit(program)
  return found
}

function constantsOf({ body }: Program): Constants {
  const declarations = body.flatMap((statement) =>
    statement.type === "VariableDeclaration" ? statement.declarations : [],
  )
  return new Map(
    declarations.flatMap(({ id, init }) => (id.type === "Identifier" && init ? [[id.name, init] as const] : [])),
  )
}

/** The text of a string, or of a template and a sum of constant ones; null when it is not constant. */
function textOf(node: Expression, constants: Constants): string | null {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null
  if (node.type === "Identifier") {
    const constant = constants.get(node.name)
    return constant ? textOf(constant, constants) : null
  }
  if (node.type === "BinaryExpression" && node.operator === "+")
    return joined([textOf(node.left, constants), textOf(node.right, constants)])
  if (node.type !== "TemplateLiteral") return null
  return joined(
    node.quasis.flatMap(({ value }, index) => {
      const next = node.expressions[index]
      return next ? [value.cooked, textOf(next, constants)] : [value.cooked]
    }),
  )
}

function joined(parts: readonly (string | null)[]): string | null {
  return parts.every((part) => part !== null) ? parts.join("") : null
}
