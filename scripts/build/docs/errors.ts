import { readFileSync } from "node:fs"
import { ERROR_CODES, ERROR_STATUS } from "../../../src/error-codes.ts"

const codes = Object.entries(ERROR_CODES).map(([code, { kind, ...texts }]) => ({
  code,
  status: ERROR_STATUS[kind],
  ...texts,
}))

/** The codes of errors by their status, as a table of Markdown for the guide. */
export function errorTable(): string {
  const rows = codes.map(({ code, status, meaning, action }) => `| ${status} | \`${code}\` | ${meaning} | ${action} |`)
  return ["| Status | `code` | Meaning | What to do |", "|---|---|---|---|", ...rows].join("\n")
}

/**
 * The page that the `Link` of an error leads to. Each row has its code as its id, and the page needs no script, so that a
 * browser finds the row by itself. The reference cannot: it renders a guide when a reader comes near.
 */
export function errorPage(): string {
  const rows = codes.map(({ code, status, meaning, action }) => {
    const cells = [status, inHtml(meaning), inHtml(action)].map((cell) => `<td>${cell}</td>`).join("")
    return `<tr id="${code}"><th scope="row"><code>${code}</code></th>${cells}</tr>`
  })
  const page = readFileSync(new URL("page/errors.html", import.meta.url), "utf8")
  return page.replace("{error codes}", rows.join("\n          "))
}

/** The texts have no other Markdown than code. */
const inHtml = (text: string) => text.replaceAll(/`([^`]+)`/g, "<code>$1</code>")
