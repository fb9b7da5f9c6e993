import { Visitor } from "oxc-parser"
import { fileRule } from "./source-rules.ts"
import type { Case } from "./test-rule-cases.ts"

/** Code of events from sending providers. Elsewhere the same names are of mail operators. */
const OF_SENDING_PROVIDERS =
  /^(src\/(adapters\/suppression|routes|services|console\/pages)\/|scripts\/build\/docs\/|schema\/(?!sending-providers\.ts))/
const SENDING_PROVIDER = /\b(SendGrid|Mailgun|Postmark|Amazon SES)\b/
const SENDING_PROVIDER_ID = /^(sendgrid|mailgun|postmark|ses)$/

/** Texts with a provider's name, and branches on its id, are facts that belong in schema/sending-providers.ts. */
const sendingProviderFactsHaveOneHome = fileRule(
  (path) => OF_SENDING_PROVIDERS.test(path),
  ({ program }) => {
    const found: string[] = []
    const text = (value: unknown) => {
      if (SENDING_PROVIDER.test(String(value))) found.push(`${value} is in schema/sending-providers.ts`)
    }
    new Visitor({
      Literal: ({ value }) => text(value),
      TemplateElement: ({ value }) => text(value.cooked),
      JSXText: ({ value }) => text(value),
      BinaryExpression({ left, right }) {
        for (const side of [left, right])
          if (side.type === "Literal" && SENDING_PROVIDER_ID.test(String(side.value)))
            found.push(`a branch on ${side.value}: use its record in schema/sending-providers.ts`)
      },
    }).visit(program)
    return found
  },
)

/** Tables whose rule for conflicts is in one statement. */
const SINGLE_INSERTS: Readonly<Record<string, string>> = {
  verified_addresses: "src/adapters/store/verification/results.ts",
}

/** A second statement could treat an earlier date otherwise. */
const insertsHaveOneHome = fileRule(
  (path) => path.startsWith("src/"),
  ({ path, program }) => {
    const found: string[] = []
    new Visitor({
      TemplateElement({ value }) {
        for (const [, table = ""] of value.raw.matchAll(/\bINTO\s+"?(\w+)/gi)) {
          const home = SINGLE_INSERTS[table]
          if (home && home !== path) found.push(`inserts into ${table}: use the statement of ${home}`)
        }
      },
    }).visit(program)
    return found
  },
)

/** Rules that fail when something gets a second home. */
export const HOME_CASES: Readonly<Record<string, Case>> = {
  "facts of a sending provider are in its record only": {
    rule: sendingProviderFactsHaveOneHome,
    bad: [
      { "src/routes/x.ts": 'const NAMES = { ses: "Amazon SES, over SNS" }' },
      { "src/console/pages/x.tsx": "export const X = () => <p>From SendGrid to us</p>" },
      { "scripts/build/docs/x.ts": "const text = `Let Mailgun report`" },
      { "src/services/x.ts": 'const isGenerated = provider === "postmark"' },
    ],
    good: {
      "schema/sending-providers.ts": 'export const A = { name: "Postmark" }',
      "src/routes/x.ts": "// Postmark sends credentials.\nconst isInUrl = SENDING_PROVIDERS[provider].secret.isInUrl",
      "src/domain/x.ts": 'const operator = "Mailgun"',
    },
  },
  "a table with a rule for conflicts has one insert": {
    rule: insertsHaveOneHome,
    bad: [{ "src/adapters/x.ts": "const a = sql`INSERT INTO verified_addresses VALUES (1)`" }],
    good: {
      "src/adapters/store/verification/results.ts": "const a = sql`INSERT INTO verified_addresses VALUES (1)`",
      "src/adapters/x.ts": "const a = sql`SELECT 1 FROM verified_addresses`",
    },
  },
}
