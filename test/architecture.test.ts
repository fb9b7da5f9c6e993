import { describe, expect, test } from "vitest"
import { DECISION_CASES } from "./support/source/decision-rules.ts"
import { HOME_CASES } from "./support/source/home-rules.ts"
import { inlineTree, readTree } from "./support/source/import-graph.ts"
import * as floors from "./support/source/layer-rules.ts"
import { expressionsTakeLinearTime, mailRecordsAreReadInOneFile } from "./support/source/regular-expressions.ts"
import * as sources from "./support/source/source-rules.ts"
import { type Case, TEST_CASES } from "./support/source/test-rule-cases.ts"

const EMPTY = "export const x = 1\n"
const lines = (count: number, line: string) => Array.from({ length: count }, () => line).join("\n")

const CASES: Readonly<Record<string, Case>> = {
  ...DECISION_CASES,
  "every file of the Worker belongs to a layer": {
    rule: floors.everyWorkerFileHasALayer,
    bad: [{ "src/other/x.ts": EMPTY }, { "src/stray.ts": EMPTY }],
    good: { "src/domain/x.ts": EMPTY, "src/worker.ts": EMPTY, "probe-node/x.ts": EMPTY },
  },
  "files import only their own layer or lower ones": {
    rule: floors.importsFollowLayers,
    bad: [
      { "schema/x.ts": 'import "../src/errors.ts"' },
      { "src/domain/x.ts": 'import type { Dns } from "../adapters/dns/resolver.ts"' },
      { "src/adapters/x.ts": 'export { y } from "../services/y.ts"' },
      { "src/concurrency/x.ts": 'import type { Clock } from "../adapters/platform.ts"' },
      { "src/services/a/x.ts": 'type App = import("../../http/y.ts").App' },
      { "src/http/x.ts": 'const app = await import("../app.ts")' },
      { "src/routes/x.ts": 'import "../../scripts/stack.ts"' },
      { "schema/wire/x.ts": 'import "../../test/support/y.ts"' },
    ],
    good: {
      "src/worker.ts": 'import { app } from "./app.ts"\nimport { z } from "zod"',
      "src/services/a/x.ts":
        'import type { Context } from "../../context.ts"\nimport "../../concurrency/y.ts"\nimport "../b/y.ts"\nimport "../../../schema/v.ts"',
    },
  },
  "the domain imports only itself, the vocabulary and pure packages": {
    rule: floors.domainIsPure,
    bad: [
      { "src/domain/x.ts": 'import { z } from "zod"' },
      { "src/domain/x.ts": 'import { readFileSync } from "node:fs"' },
      { "src/domain/x.ts": 'import type { Config } from "../env.ts"' },
      { "src/domain/x.ts": 'import { SmtpReply } from "../../schema/wire/probe.ts"' },
      { "src/domain/x.ts": 'import { type SmtpReply } from "../../schema/wire/probe.ts"' },
      { "src/domain/x.ts": 'import { results } from "../../schema/tables/results.ts"' },
    ],
    good: {
      "src/domain/a/x.ts":
        'import type { R } from "../../../schema/wire/probe.ts"\nimport "../../../schema/vocabulary.ts"\nimport "tldts"\nimport "../b/y.ts"',
      "src/services/x.ts": 'import { z } from "zod"',
    },
  },
  "services import adapters as types only": {
    rule: floors.servicesKnowAdaptersAsTypes,
    bad: [
      { "src/services/a/x.ts": 'import { createDns } from "../../adapters/dns/resolver.ts"' },
      { "src/services/x.ts": 'import { type Dns, createDns } from "../adapters/dns/resolver.ts"' },
      { "src/services/x.ts": 'export { createDns } from "../adapters/dns/resolver.ts"' },
    ],
    good: {
      "src/services/x.ts": 'import type { Dns } from "../adapters/dns/resolver.ts"\nimport "../concurrency/x.ts"',
      "src/http/x.ts": 'import { createUsageMeter } from "../adapters/accounts/usage-meter.ts"',
    },
  },
  "adapters query external services only through LookUp, which rejects reserved names": {
    rule: floors.externalCallsUseLookUp,
    bad: [{ "src/adapters/new-signal/x.ts": 'import type { Fetch } from "../outbound.ts"' }],
    good: {
      "src/adapters/new-signal/x.ts": 'import type { LookUp } from "../external-calls.ts"',
      "src/adapters/dns/x.ts": 'import type { Fetch } from "../outbound.ts"',
      "src/adapters/webhooks/webhook-sender.ts": 'import type { Fetch } from "../outbound.ts"',
    },
  },
  "a probe node imports only the wire and the vocabulary from the Worker": {
    rule: floors.probeNodeImportsOnlyWire,
    bad: [
      { "probe-node/x.ts": 'import type { Clock } from "../src/adapters/platform.ts"' },
      { "probe-node/smtp/x.ts": 'import "../../schema/tables/results.ts"' },
      { "probe-node/x.ts": 'import "../scripts/dev/child.ts"' },
    ],
    good: {
      "probe-node/smtp/x.ts":
        'import "../../schema/wire/probe.ts"\nimport "../../schema/vocabulary.ts"\nimport "node:net"',
    },
  },
  "clients import nothing from the Worker": {
    rule: floors.clientsImportNothingFromWorker,
    bad: [
      { "src/client/x.ts": 'import { z } from "../domain/plans/tiers.ts"' },
      { "src/console/x.ts": 'import "../client/x.ts"' },
      { "src/form/x.ts": 'import { decideForForm } from "../domain/form/decide.ts"' },
      { "src/n8n/nodes/x.ts": 'import "../../client/x.ts"' },
      { "src/console/x.ts": 'import { STATUSES } from "../../schema/vocabulary.ts"' },
      { "src/client/x.ts": 'import { SENDING_PROVIDERS } from "../../schema/sending-providers.ts"' },
    ],
    good: {
      "src/client/x.ts":
        'import "./y.ts"\nimport "standardwebhooks"\nimport type { Tier } from "../../schema/vocabulary.ts"',
      "src/console/x.ts": 'import { SENDING_PROVIDERS } from "../../schema/sending-providers.ts"',
    },
  },
  "the console imports only allowed packages": {
    rule: floors.consoleImportsAllowedPackages,
    bad: [{ "src/console/x.tsx": 'import { z } from "zod"' }, { "src/console/x.ts": 'import "preact/compat"' }],
    good: {
      "src/console/x.tsx": 'import { render } from "preact"\nimport "./y.ts"',
      "src/client/x.ts": 'import "zod"',
    },
  },
  "the script of forms imports no package": {
    rule: floors.formScriptImportsNoPackages,
    bad: [{ "src/form/x.ts": 'import "preact"' }, { "src/form/x.ts": 'import type { z } from "zod"' }],
    good: { "src/form/x.ts": 'import "./y.ts"', "src/console/x.tsx": 'import "preact"' },
  },
  "only tests import a probe node": {
    rule: floors.probeNodeIsImportedByTestsOnly,
    bad: [
      { "src/domain/x.ts": 'import "../../probe-node/smtp/reply.ts"' },
      { "scripts/x.ts": 'import "../probe-node/main.ts"' },
    ],
    good: { "test/x.ts": 'import "../probe-node/main.ts"', "probe-node/main.ts": 'import "./server.ts"' },
  },
  "production code does not import tests": {
    rule: floors.productionImportsNoTests,
    bad: [{ "scripts/x.ts": 'import "../test/support/mail/dns-zone.ts"' }],
    good: { "test/x.ts": 'import "./support/mail/dns-zone.ts"' },
  },
  "every import resolves to a file": {
    rule: floors.importsResolve,
    bad: [{ "src/app.ts": 'import "./gone.ts"' }, { "src/app.ts": 'import "./context"', "src/context.ts": EMPTY }],
    good: { "src/app.ts": 'import "./context.ts"\nimport "hono"', "src/context.ts": EMPTY },
  },
  "no files import each other in a cycle, types included": {
    rule: floors.noCycles,
    bad: [
      { "src/a.ts": 'import "./a.ts"' },
      { "src/a.ts": 'import "./b.ts"', "src/b.ts": 'import type { A } from "./a.ts"' },
      {
        "src/a.ts": 'import "./b.ts"',
        "src/b.ts": 'import "./c.ts"',
        "src/c.ts": 'import "./a.ts"',
        "src/d.ts": 'import "./a.ts"',
      },
    ],
    good: { "src/a.ts": 'import "./b.ts"\nimport "./c.ts"', "src/b.ts": 'import "./c.ts"', "src/c.ts": EMPTY },
  },
  "no file is too long, except data tables": {
    rule: sources.filesAreShort,
    bad: [
      { "src/app.ts": `${lines(300, "// line")}\nexport const f = () => 1` },
      { "test/x.test.ts": lines(301, "f()") },
    ],
    good: {
      "src/app.ts": `${lines(299, "// line")}\nexport const f = () => 1\n`,
      "src/domain/lists/words.ts": `export const WORDS = words(\`\n${lines(900, "word")}\`)`,
      "src/domain/lists/table.ts": `export const TABLE = [\n${lines(900, '  "row",')}\n] as const`,
      "test/x.test.ts": lines(300, "f()"),
    },
  },
  "no file has a catch-all name": {
    rule: sources.noVagueFileNames,
    bad: [
      "src/http/utils.ts",
      "src/common/x.ts",
      "test/helpers.ts",
      "scripts/string-utils.ts",
      "src/services/key-manager.ts",
    ].map((path) => ({ [path]: EMPTY })),
    good: { "src/domain/lists/commonwealth.ts": EMPTY, "src/domain/miscarriage.ts": EMPTY },
  },
  "no file has open tasks or suppressed warnings": {
    rule: sources.noOpenTasksOrSuppressions,
    bad: ["TODO later", "biome-ignore lint: x", "@ts-ignore", "@ts-expect-error x", "FIXME", "eslint-disable"].map(
      (text) => ({
        "src/app.ts": `// ${text}\n${EMPTY}`,
      }),
    ),
    good: { "src/app.ts": 'export const todo = "TODO @ts-ignore" // todos are listed', "src/context.ts": EMPTY },
  },
  "default exports only where a platform or tool requires one": {
    rule: sources.defaultExportsOnlyWhereRequired,
    bad: [
      { "src/app.ts": "export default {}" },
      { "src/app.ts": "const a = 1\nexport { a as default }" },
      { "probe-node/main.ts": "export default function main() {}" },
      { "src/app.ts": 'export { default } from "./worker.ts"' },
    ],
    good: { "src/worker.ts": "export default {}", "test/vitest.config.ts": "export default {}", "src/app.ts": EMPTY },
  },
  "every regular expression takes time in proportion to its input": {
    rule: expressionsTakeLinearTime,
    bad: [
      { "src/domain/x.ts": "export const isBad = (text) => /^(a+)+$/.test(text)" },
      { "src/domain/x.ts": "export const trimmed = text.replace(/\\s+$/, '')" },
      { "probe-node/x.ts": `const DIGITS = "[0-9]+"\nconst PAIR = new RegExp(\`^\${DIGITS}\${DIGITS}$\`, "u")` },
      { "schema/x.ts": "const WORD = 'a*'\nexport const X = RegExp(WORD + 'b?' + WORD + 'c')" },
    ],
    good: {
      "src/domain/x.ts": `const DIGITS = "[0-9]{1,9}"\nexport const X = [/(?<!\\s)\\s+$/, new RegExp(\`^\${DIGITS}\${DIGITS}$\`)]`,
      "test/x.ts": "const X = /^(a+)+$/",
    },
  },
  "a DNS record of mail authentication is recognized in one file": {
    rule: mailRecordsAreReadInOneFile,
    bad: [
      { "probe-node/doctor/spf.ts": "export const isSpf = (text) => /^v=spf1( |$)/i.test(text)" },
      { "scripts/x.ts": 'const SPF = new RegExp("^v=spf1", "i")' },
      { "src/domain/x.ts": "export const isDmarc = (text) => /^v=DMARC1;/.test(text)" },
    ],
    good: {
      "schema/wire/spf-record.ts": "export const isSpf = (text) => /^v=spf1( |$)/i.test(text)",
      "src/domain/dns/mail-auth.ts": "export const isSts = (text) => /^v=STSv1;/.test(text)",
      "scripts/x.ts": 'const RECORD = "v=spf1 mx -all"',
    },
  },
  "the domain uses no clock, no randomness and no I/O": {
    rule: sources.domainHasNoSideEffects,
    bad: [
      "Date.now()",
      "new Date()",
      "Date()",
      "Math.random()",
      "crypto.randomUUID()",
      "crypto.getRandomValues(x)",
      "crypto.subtle.generateKey('Ed25519', true, [])",
      "performance.now()",
      "fetch('x')",
      "setTimeout(f, 1)",
      "process.env.X",
      "console.log(1)",
      "globalThis.crypto",
    ].map((text) => ({ "src/domain/x.ts": `export const f = () => ${text}` })),
    good: {
      "src/domain/x.ts":
        "export const f = (now: number) => [new Date(now), crypto.subtle.digest('SHA-256', x), Math.max(1, 2), { fetch: 1 }] // Date.now()",
      "src/adapters/x.ts": "export const now = () => Date.now()",
    },
  },
  "no object literal has an accessor": {
    rule: sources.noAccessorInLiterals,
    bad: [
      { "src/adapters/x.ts": "const f = (deps: D) => ({ get store() { return deps.store } })" },
      { "src/services/x.ts": "const o = { a: 1, set b(v) { f(v) } }" },
    ],
    good: {
      "src/adapters/x.ts":
        "class A { get b() { return 1 } }\nconst o = { get() { return 1 }, set: 2, store: () => deps.store }",
      "src/console/x.ts": "export const o = { get a() { return 1 } }",
    },
  },
  "the console has one table and one form": {
    rule: sources.consoleHasOneTableAndForm,
    bad: [
      { "src/console/pages/x.tsx": "export const X = () => <table><tbody /></table>" },
      { "src/console/parts/data-table.tsx": "export const X = () => <form />" },
    ],
    good: {
      "src/console/parts/data-table.tsx": "export const X = () => <table />",
      "src/console/pages/x.tsx": "export const X = () => <DataTable />",
    },
  },
  "no database client is created during module load": {
    rule: sources.noClientAtModuleLoad,
    bad: [
      { "src/adapters/x.ts": "export const db = createClient({})" },
      { "src/app.ts": "const a = { db: openDatabase(x) }" },
    ],
    good: {
      "src/adapters/x.ts":
        "export function open() { return createClient({}) }\nconst f = () => openDatabase(1)\nconst o = { make() { return drizzle(1) } }",
    },
  },
}

const tree = readTree()

test("reads the whole tree", () => {
  const paths = new Set(tree.files.map(({ path }) => path))
  for (const path of [
    "src/worker.ts",
    "schema/vocabulary.ts",
    "scripts/dev/ensure-installed.mjs",
    "test/architecture.test.ts",
  ])
    expect(paths).toContain(path)
  expect([...paths].some((path) => path.startsWith("probe-node/"))).toBe(true)
})

describe.each(Object.entries({ ...CASES, ...HOME_CASES, ...TEST_CASES }))("%s", (_, { rule, bad, good }) => {
  test("the repository follows the rule", () => {
    expect(rule(tree)).toEqual([])
  })

  test("the rule detects violations", () => {
    for (const texts of bad) expect(rule(inlineTree(texts)), JSON.stringify(texts).slice(0, 200)).not.toEqual([])
    expect(rule(inlineTree(good))).toEqual([])
  })
})
