import { type CallExpression, type ObjectExpression, Visitor } from "oxc-parser"
import type { SourceFile } from "./import-graph.ts"
import type { Rule } from "./layer-rules.ts"
import { calledMember, fileRule, rootName } from "./source-rules.ts"

const TEST_FUNCTIONS = /^(test|it|describe|suite|bench)$/
const LEFT_OUT = /^(skip|only|todo|fails|skipIf|runIf)$/
const LEFT_OUT_FUNCTIONS = /^(xit|xtest|xdescribe|fit|fdescribe)$/
/** What measures how long something takes. A deadline uses `Date.now`. */
const USED_RESOURCES = /^(cpuUsage|threadCpuUsage|resourceUsage|hrtime)$/
const TIMES = /^Date\.(now|parse)$/
const BOUND = /^toBe(Less|Greater)Than(OrEqual)?$/
const TIMERS = /^(node:)?timers(\/promises)?$/
const RETRY = /--retry\b/
const CONFIG = "test/vitest.config.ts"
/** ms. A machine with other work may stand still for seconds. */
const LEAST_PATIENCE = 10_000
/** A domain of the sandbox where any suite may verify addresses. */
const NUMBERED_DOMAIN = /\bd\d{4}\.test\b/gi

const inTests = (path: string) => path.startsWith("test/")

export const noSkippedTests = fileRule(inTests, ({ program }) => {
  const found: string[] = []
  new Visitor({
    MemberExpression({ object, property, computed }) {
      if (computed || property.type !== "Identifier" || !LEFT_OUT.test(property.name)) return
      if (TEST_FUNCTIONS.test(rootName(object) ?? "")) found.push(`.${property.name}`)
    },
    CallExpression(call) {
      if (call.callee.type === "Identifier" && LEFT_OUT_FUNCTIONS.test(call.callee.name)) found.push(call.callee.name)
      found.push(...optionsOf(call).filter((name) => LEFT_OUT.test(name)))
    },
  }).visit(program)
  return found
})

/** A duration depends on the machine and its other work. Tests count steps, or run work that could not end in time. */
export const testsJudgeNothingByTime = fileRule(inTests, ({ program }) => {
  const found: string[] = []
  let [assertions, differences] = [0, 0]
  new Visitor({
    CallExpression(call) {
      if (isBound(call)) assertions++
      const called = calledMember(call)
      if (called === "performance.now") found.push(`${called} measures a duration`)
      if (assertions > 0 && differences > 0 && TIMES.test(called)) found.push("a duration is compared with a bound")
    },
    "CallExpression:exit"(call) {
      if (isBound(call)) assertions--
    },
    MemberExpression({ object, property }) {
      if (object.type !== "Identifier" || object.name !== "process" || property.type !== "Identifier") return
      if (USED_RESOURCES.test(property.name)) found.push(`process.${property.name} measures a duration`)
    },
    BinaryExpression({ operator }) {
      if (operator === "-") differences++
    },
    "BinaryExpression:exit"({ operator }) {
      if (operator === "-") differences--
    },
  }).visit(program)
  return found
})

/** The only home of a wait for time is test/support/time/waiting.ts, which demands a reason. */
export const testsWaitForEvents = fileRule(
  (path) => path.startsWith("test/") && path.endsWith(".test.ts"),
  ({ program, imports }) => {
    const found = imports
      .filter(({ specifier }) => TIMERS.test(specifier))
      .map(({ specifier }) => `imports ${specifier}`)
    new Visitor({
      CallExpression({ callee }) {
        if (callee.type === "Identifier" && callee.name === "setTimeout") found.push("calls setTimeout")
      },
    }).visit(program)
    return found
  },
)

/** A short poll fails on a busy machine. */
export const pollsArePatient: Rule = (tree) => {
  const config = tree.files.find(({ path }) => path === CONFIG)
  const usual = config ? (usualTimeoutIn(config) ?? 0) : LEAST_PATIENCE
  const impatient = fileRule(inTests, (file) => shortPollsIn(file, usual))(tree)
  return usual < LEAST_PATIENCE ? [`${CONFIG}: polls wait ${usual} ms, ${LEAST_PATIENCE} at least`] : impatient
}

/** A second try hides a test that does not tell the truth. */
export const noTestIsRetried: Rule = (tree) => [
  ...fileRule(
    (path) => /^(test|scripts)\//.test(path),
    (file) => retriesIn(file),
  )(tree),
  ...tree.commands.filter(({ text }) => RETRY.test(text)).map(({ path }) => `${path}: --retry`),
]

/** On the shared stack, a verdict that one suite stores would otherwise answer the question of another. */
export const suitesHaveTheirOwnDomains: Rule = ({ files }) => {
  const firstUse = new Map<string, string>()
  return files
    .filter(({ path }) => /^test\/(e2e|browser)\//.test(path))
    .flatMap(({ path, text }) =>
      (text.match(NUMBERED_DOMAIN) ?? []).flatMap((domain) => {
        const first = firstUse.get(domain.toLowerCase()) ?? path
        firstUse.set(domain.toLowerCase(), first)
        return first === path ? [] : [`${path}: ${domain} belongs to ${first}`]
      }),
    )
}

/** Whether a call is `expect(…).toBeLessThan(…)` or alike. */
function isBound({ callee }: CallExpression): boolean {
  return callee.type === "MemberExpression" && callee.property.type === "Identifier" && BOUND.test(callee.property.name)
}

/** Names of the options in `test("…", { timeout: 1 }, f)`. */
function optionsOf(call: CallExpression): string[] {
  if (!TEST_FUNCTIONS.test(rootName(call.callee) ?? "")) return []
  const options = call.arguments.filter((argument) => argument.type === "ObjectExpression")
  return options.flatMap(({ properties }) =>
    properties.flatMap((one) => (one.type === "Property" && one.key.type === "Identifier" ? [one.key.name] : [])),
  )
}

/** The timeout of polls without one of their own, ms. */
function usualTimeoutIn({ program }: SourceFile): number | undefined {
  let found: number | undefined
  new Visitor({
    Property({ key, value }) {
      if (key.type === "Identifier" && key.name === "poll" && value.type === "ObjectExpression")
        found = timeoutIn(value)
    },
  }).visit(program)
  return found
}

function shortPollsIn({ program }: SourceFile, usual: number): string[] {
  const found: string[] = []
  new Visitor({
    CallExpression(call) {
      const [, options] = call.arguments
      if (calledMember(call) !== "expect.poll" || options?.type !== "ObjectExpression") return
      const timeout = timeoutIn(options)
      if (timeout !== undefined && timeout < usual) found.push(`a poll waits ${timeout} ms, ${usual} is usual`)
    },
  }).visit(program)
  return found
}

function timeoutIn({ properties }: ObjectExpression): number | undefined {
  for (const property of properties)
    if (property.type === "Property" && property.key.type === "Identifier" && property.key.name === "timeout")
      return property.value.type === "Literal" ? Number(property.value.value) : undefined
}

function retriesIn({ path, program }: SourceFile): string[] {
  const found: string[] = []
  new Visitor({
    CallExpression(call) {
      if (optionsOf(call).includes("retry")) found.push("a test is retried")
    },
    Property({ key }) {
      if (path === CONFIG && key.type === "Identifier" && key.name === "retry") found.push("every test is retried")
    },
    Literal({ value }) {
      if (typeof value === "string" && value.search(RETRY) === 0) found.push(value)
    },
  }).visit(program)
  return found
}
