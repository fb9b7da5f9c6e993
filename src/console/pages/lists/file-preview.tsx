import { call } from "../../api/call.ts"
import { useLoad } from "../../api/load.ts"
import type { Credits, ListPreview } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { Notice } from "../../parts/notice.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { addresses, count, credits, plain, rows } from "../../words.ts"
import { EncodingSelect, FileFacts, type Reading } from "./file-facts.tsx"

interface FilePreviewProps {
  readonly preview: ListPreview
  readonly reading: Reading
  readonly busy: boolean
  /** The reader chose something else. */
  readonly onReading: (change: Partial<Reading>) => void
}

/** The first rows of a file, the column of its addresses, and what the list can cost. */
export function FilePreview({ preview, reading, busy, onReading }: FilePreviewProps) {
  const { file } = preview
  const sheets = [file.sheet ?? "", ...file.other_sheets.map(({ name }) => name)].map((name) => [name, name] as const)
  const { has_header: hasHeader, email_column: picked, first_rows: firstRows, rows: total } = preview
  const columns = shownColumns(preview)
  const options = columns.map((name, n) => [String(n + 1), name] as const)
  return (
    <div class="stack" aria-busy={busy}>
      <Scroll label="First rows of the file">
        <table class="table">
          {(hasHeader || columns.length > 1) && (
            <thead>
              <tr>
                {columns.map((name, n) => (
                  <th key={name} class={n + 1 === picked ? "picked" : ""}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {firstRows.map((cells, row) => (
              <tr key={row}>
                {columns.map((name, n) => (
                  <td key={name} class={n + 1 === picked ? "picked break" : "soft break"}>
                    {cells[n]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="soft small">
        {total > firstRows.length ? `The first ${count(firstRows.length)} of ${rows(total)}.` : `${rows(total)}.`}
      </p>
      <div class="row end">
        {file.sheet !== null && sheets.length > 1 && (
          <Select
            label="Sheet"
            value={file.sheet}
            options={sheets}
            onValue={(sheet) => onReading({ sheet, column: "" })}
          />
        )}
        {columns.length > 1 && (
          <Select
            label="Email column"
            value={String(picked)}
            options={options}
            onValue={(column) => onReading({ column })}
          />
        )}
        {(file.unreadable_characters > 0 || reading.encoding !== "") && (
          <EncodingSelect value={reading.encoding} onValue={(encoding) => onReading({ encoding, column: "" })} />
        )}
      </div>
      <FileFacts preview={preview} />
      <Cost preview={preview} />
    </div>
  )
}

/** The API names the columns of a file without a header "column_1" and so on. */
const shownColumns = ({ has_header, columns }: ListPreview): readonly string[] =>
  has_header ? columns : columns.map(plain)

function Cost({ preview }: { preview: ListPreview }) {
  const { email_column: picked, addresses: found, credits_at_most: most } = preview
  const load = useLoad("credits", (signal) => call<Credits>("/usage", { signal }))
  if (found === 0)
    return (
      <Notice tone="accept_all" title={`The column “${shownColumns(preview)[picked - 1]}” has no valid address`}>
        <p>Choose the email column, or another file.</p>
      </Notice>
    )
  const left = load.state === "ready" ? creditsLeft(load.value) : null
  const free = "Malformed addresses, duplicates, cached results and unknown results are free."
  if (left !== null && left < most)
    return (
      <Notice tone="accept_all" title={`This list can cost ${credits(most)}, and you have ${count(left)} left`}>
        <p>{free} A list that could cost more than what is left is refused as a whole.</p>
        <a class="button quiet" href="#/billing">
          Plans and billing
        </a>
      </Notice>
    )
  return (
    <p>
      <b>
        {addresses(found)}, at most {credits(most)}.
      </b>{" "}
      {left !== null && `You have ${count(left)} left. `}
      <span class="soft">{free}</span>
    </p>
  )
}

/** What is left this month, or of the bought credits: a list is paid from one of them. Null without a limit. */
function creditsLeft({
  credits_limit: limit,
  credits_used: used,
  bought_credits_left: bought,
}: Credits): number | null {
  return limit === null ? null : Math.max(0, limit - used, bought)
}
