import type { IntegrationProvider } from "../../../../schema/vocabulary.ts"
import { cleanSecret } from "../../api/credentials.ts"
import { PROVIDERS } from "./providers.ts"

/** What is typed, by the name of the field. */
export type Values = Readonly<Record<string, string>>

/** The body of a test or a new integration. Empty fields are left out: the API has defaults for them. */
export function connectionOf(provider: IntegrationProvider, values: Values) {
  const typed = (part: "credentials" | "settings") =>
    Object.fromEntries(
      PROVIDERS[provider].fields
        .filter((field) => field.part === part)
        .map(({ name, isSecret }) => [name, isSecret ? cleanSecret(values[name] ?? "") : (values[name] ?? "").trim()])
        .filter(([, value]) => value !== ""),
    )
  return { provider, credentials: typed("credentials"), settings: typed("settings") }
}

/** The labels of the form's fields by the API's names. */
export const labelsOf = (provider: IntegrationProvider): Readonly<Record<string, string>> =>
  Object.fromEntries(PROVIDERS[provider].fields.map(({ name, label }) => [name, label]))
