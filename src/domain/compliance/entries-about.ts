import type { SubjectTerms } from "./data-subject.ts"

/** Filters a value for an export: lists retain only the entries that mention the data subject; null for another's value. */
export function entriesAbout(value: unknown, { mentions = "[]" }: SubjectTerms): unknown {
  const forms = (JSON.parse(mentions) as [string][]).map(([form]) => escapePattern(form))
  const mention = new RegExp(`(?<![a-z0-9!#$%&'*+/=?^_\`{|}~.-])'?(${forms.join("|")})(?![a-z0-9-]|[.][a-z0-9-])`)
  const isAbout = (entry: unknown) => mention.test(JSON.stringify(entry).toLowerCase())
  const only = (one: unknown): unknown => {
    if (Array.isArray(one)) return JSON.stringify(one).includes("@") ? one.filter(isAbout) : one
    if (one === null || typeof one !== "object") return one
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, only(part)]))
  }
  return typeof value === "string" && !isAbout(value) ? null : only(value)
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}
