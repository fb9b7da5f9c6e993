import type { Checks } from "../../api/shapes.ts"
import { providerWords } from "../../operator-names.ts"
import { StatusBadge } from "../../parts/badge.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { Address } from "../../parts/text.tsx"
import { verifyLink } from "../../route.ts"
import { plain, replyWords } from "../../words.ts"
import { COLUMNS, type Sort, turned } from "./sort.ts"

interface ResultTableProps {
  readonly rows: readonly Checks[]
  readonly sort: Sort | null
  readonly onSort: (sort: Sort | null) => void
}

/** The results of a list. A click on a heading sorts by it, a second one the other way, a third one not at all. */
export function ResultTable({ rows, sort, onSort }: ResultTableProps) {
  return (
    <Scroll label="Results">
      <table class="table">
        <thead>
          <tr>
            {COLUMNS.map(({ name, title, isNumber = false }) => (
              <th
                key={name}
                class={isNumber ? "num" : ""}
                aria-sort={sort?.by !== name ? "none" : sort.isDown ? "descending" : "ascending"}
              >
                <button type="button" class="sort" onClick={() => onSort(turned(sort, name))}>
                  {title}
                  <span aria-hidden="true">{sort?.by !== name ? "" : sort.isDown ? " ↓" : " ↑"}</span>
                </button>
              </th>
            ))}
            <th>Mail server reply</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={`${i} ${row.email}`}>
              <td class="break">
                <a href={verifyLink(row.email)}>
                  <Address email={row.email} />
                </a>
              </td>
              <td>
                <StatusBadge status={row.status} />
              </td>
              <td>{row.can_send ? "Yes" : "No"}</td>
              <td class="num">{row.score}</td>
              <td class="soft">{providerWords(row.provider)}</td>
              <td>
                {plain(replyWords(row))}{" "}
                {row.smtp_response_code > 0 && <span class="soft">{row.smtp_response_code}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
