import type { SubjectTerms } from "./data-subject.ts"

/** A value as somebody may be shown it: of each list of people, the entries alone that mention the one it is about; null for another one. */
export function entriesAbout(value: unknown, { mentions = "[]" }: SubjectTerms): unknown {
  const forms = (JSON.parse(mentions) as [string][]).map(([form]) => escapePattern(form))
  const standing = new RegExp(`(?<![a-z0-9!#$%&'*+/=?^_\`{|}~.-])'?(${forms.join("|")})(?![a-z0-9-]|[.][a-z0-9-])`)
  const isAbout = (entry: unknown) => standing.test(JSON.stringify(entry).toLowerCase())
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
