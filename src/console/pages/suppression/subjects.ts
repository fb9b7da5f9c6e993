/** What an entry suppresses. */
export type Subject = { readonly email: string } | { readonly domain: string }

export const subjectText = (subject: Subject): string => ("email" in subject ? subject.email : subject.domain)

/** Reads addresses and domains, one per line. A line with text before an "@" is an address. */
export function subjectsIn(text: string): Subject[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.replace(/(?<![\s,;])[\s,;]+$/, "").trim())
    .filter((line) => line !== "")
    .map((line) =>
      /^[^@*]/.test(line) && line.includes("@") ? { email: line } : { domain: line.replace(/^\*?@/, "") },
    )
}
