import type { ComponentChildren } from "preact"
import { Scroll } from "../../parts/scroll.tsx"
import { rows } from "../../words.ts"
import type { TablePreview } from "./table-preview.ts"

interface ImportPreviewProps {
  readonly name: string
  readonly preview: TablePreview
  /** What to do with the file. */
  readonly children: ComponentChildren
}

/** The first rows of a file before it is imported. The columns that count are marked. */
export function ImportPreview({
  name,
  preview: { columns, firstRows, rows: total, read },
  children,
}: ImportPreviewProps) {
  const used = columns.filter((_, n) => read.has(n))
  return (
    <section class="stack" aria-label="Preview">
      <p>
        <b class="break">{name}</b>: {rows(total)}.{" "}
        {used.length > 0 ? `Read from it: ${used.join(", ")}.` : "No column with addresses or domains was found."}
      </p>
      <Scroll label="First rows of the file">
        <table class="table">
          <thead>
            <tr>
              {columns.map((column, n) => (
                <th key={n} class={read.has(n) ? "picked" : ""}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {firstRows.map((cells, row) => (
              <tr key={row}>
                {columns.map((_, n) => (
                  <td key={n} class={read.has(n) ? "picked break" : "soft break"}>
                    {cells[n]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <div class="row end">{children}</div>
    </section>
  )
}
