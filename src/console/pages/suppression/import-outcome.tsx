import type { Imported } from "../../api/shapes.ts"
import { Notice } from "../../parts/notice.tsx"
import { count, rows } from "../../words.ts"

/** Rejected rows and unknown reasons shown in detail. */
const MAX_SHOWN = 20

interface ImportOutcomeProps {
  readonly imported: Imported
  /** Names a rejected row. @param row counted from 1, with the header */
  readonly nameOf?: (row: number) => string
}

/** What an import did, the reasons that it does not know, and the rows it rejected. */
export function ImportOutcome({ imported, nameOf = (row) => `Row ${row}` }: ImportOutcomeProps) {
  const { rejected, unknown_reasons: unknown } = imported
  const more = rejected.length - MAX_SHOWN
  return (
    <Notice tone={rejected.length + unknown.length > 0 ? "accept_all" : "valid"} title={titleOf(imported)}>
      {unknown.length > 0 && (
        <>
          <p class="small">Reasons without a known meaning. Their entries have these words as a note.</p>
          <ul class="small">
            {unknown.slice(0, MAX_SHOWN).map(({ reason, rows: times }) => (
              <li key={reason} class="break">
                {reason}: {rows(times)}
              </li>
            ))}
            {unknown.length > MAX_SHOWN && <li>and {count(unknown.length - MAX_SHOWN)} more</li>}
          </ul>
        </>
      )}
      {rejected.length > 0 && (
        <ul class="small">
          {rejected.slice(0, MAX_SHOWN).map(({ row, reason }) => (
            <li key={row} class="break">
              {nameOf(row)}: {reason}
            </li>
          ))}
          {more > 0 && <li>and {count(more)} more</li>}
        </ul>
      )}
    </Notice>
  )
}

function titleOf({ added, updated, kept, duplicates, rejected }: Imported): string {
  const known = kept + duplicates
  return `${count(added)} added, ${count(updated)} updated, ${count(known)} known, ${count(rejected.length)} rejected`
}
