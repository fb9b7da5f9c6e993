import { styleText } from "node:util"

/** [what it is, its URL or path] */
export type BannerRow = readonly [name: string, value: string]

/** A box of rows for a terminal. The values stand in one column, so that a double click selects a whole URL. */
export function banner(title: string, rows: readonly BannerRow[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}   ${value}  `)
  const inner = Math.max(title.length + 2, ...lines.map((line) => line.length))
  const edge = (text: string) => styleText("dim", text)
  return [
    `${edge("╭─")} ${styleText("bold", title)} ${edge(`${"─".repeat(inner - title.length - 3)}╮`)}`,
    ...lines.map((line) => `${edge("│")}${line.padEnd(inner)}${edge("│")}`),
    edge(`╰${"─".repeat(inner)}╯`),
  ].join("\n")
}
