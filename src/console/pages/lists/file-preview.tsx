import { useGet } from "../../api/call.ts"
import type { Credits, ListPreview, SampledList } from "../../api/shapes.ts"
import { Link } from "../../parts/buttons.tsx"
import { DataTable, FileRows } from "../../parts/data-table.tsx"
import { Select } from "../../parts/field.tsx"
import { Notice } from "../../parts/text.tsx"
import { addresses, count, credits, percent, plain, rows, STATUS_WORDS } from "../../words.ts"

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
      <FileRows
        columns={columns}
        rows={firstRows}
        isPicked={(n) => n + 1 === picked}
        {...(hasHeader || columns.length > 1 ? {} : { head: "none" })}
      />
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
  const load = useGet<Credits>("/usage")
  if (found === 0)
    return (
      <Notice
        tone="accept_all"
        title={`The column “${shownColumns(preview)[picked - 1]}” has no valid address`}
        text="Choose the email column, or another file."
      />
    )
  const left = load.state === "ready" ? creditsLeft(load.value) : null
  const free = "Malformed addresses, duplicates, cached results and unknown results are free."
  if (left !== null && left < most)
    return (
      <Notice tone="accept_all" title={`This list can cost ${credits(most)}, and you have ${count(left)} left`}>
        <p>{free} A list that could cost more than what is left is refused as a whole.</p>
        <Link label="Plans and billing" to="#/billing" class="button quiet" />
      </Notice>
    )
  return (
    <p>
      <b>{`${addresses(found)}, at most ${credits(most)}.`}</b> {left !== null && `You have ${count(left)} left. `}
      <span class="soft">{free}</span>
    </p>
  )
}

/** What is left this month, or of the bought credits: a list is paid from one of them. Null without a limit. */
const creditsLeft = ({
  credits_limit: limit,
  credits_used: used,
  bought_credits_left: bought,
}: Credits): number | null => (limit === null ? null : Math.max(0, limit - used, bought))

/** How a file is read: the caller's choice, or empty for what the service finds. */
export interface Reading {
  readonly column: string
  readonly sheet: string
  readonly encoding: string
}

export const AS_FOUND: Reading = { column: "", sheet: "", encoding: "" }

const ENCODINGS: readonly (readonly [string, string])[] = [
  ["", "found by itself"],
  ["utf-8", "UTF-8"],
  ["windows-1252", "Western European (Windows-1252)"],
  ["windows-1250", "Central European (Windows-1250)"],
  ["iso-8859-2", "Central European (ISO 8859-2)"],
  ["windows-1251", "Cyrillic (Windows-1251)"],
  ["koi8-r", "Cyrillic (KOI8-R)"],
  ["windows-1253", "Greek (Windows-1253)"],
  ["windows-1254", "Turkish (Windows-1254)"],
  ["windows-1255", "Hebrew (Windows-1255)"],
  ["windows-1256", "Arabic (Windows-1256)"],
  ["windows-874", "Thai (Windows-874)"],
  ["shift_jis", "Japanese (Shift_JIS)"],
  ["euc-jp", "Japanese (EUC-JP)"],
  ["gb18030", "Chinese, simplified (GB 18030)"],
  ["big5", "Chinese, traditional (Big5)"],
  ["euc-kr", "Korean (EUC-KR)"],
  ["macintosh", "Mac OS Roman"],
]

export const EncodingSelect = ({ value, onValue }: { value: string; onValue: (encoding: string) => void }) => (
  <Select label="Encoding of the text" value={value} options={ENCODINGS} onValue={onValue} />
)

/** What the reader must know before the start: what is left out, repeated or damaged. */
function FileFacts({ preview }: { preview: ListPreview }) {
  const { file } = preview
  const notes = [
    file.sheet !== null && file.other_sheets.length > 0 && `The sheet “${file.sheet}” is read, and no other.`,
    file.skipped_rows > 0 && `${rows(file.skipped_rows)} above the column names ${are(file.skipped_rows)} left out.`,
    file.cells_with_several_addresses > 0 &&
      `${cells(file.cells_with_several_addresses)} several addresses. Each address gets a row of its own.`,
    file.other_address_columns.length > 0 &&
      `${quoted(file.other_address_columns)} also ${file.other_address_columns.length === 1 ? "has" : "have"} addresses, which are not verified.`,
    file.unreadable_characters > 0 &&
      `${characters(file.unreadable_characters)} could not be read as ${file.encoding}, and ${are(file.unreadable_characters)} shown as �.`,
  ].filter((note) => note !== false)
  if (notes.length === 0) return null
  return (
    <Notice tone={file.unreadable_characters > 0 ? "accept_all" : "accent"} title="How this file is read">
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Notice>
  )
}

const are = (number: number) => (number === 1 ? "is" : "are")
const cells = (number: number) => (number === 1 ? "One cell has" : `${count(number)} cells have`)
const characters = (number: number) => (number === 1 ? "One character" : `${count(number)} characters`)
const quoted = (names: readonly string[]) => names.map((name) => `“${name}”`).join(", ")

/** What a verified sample says about the whole list. */
export const SampleResult = ({ sample: { sampled, total, projection } }: { sample: SampledList }) => (
  <section class="stack" aria-label="Sample" role="status">
    <h3>Sample of {addresses(sampled)}</h3>
    <p>The whole list of {addresses(total)} is expected to be:</p>
    <DataTable
      label="Expected results"
      rows={projection.filter(({ high }) => high > 0)}
      rowKey={({ status }) => status}
      columns={[
        ["Status", ({ status }) => STATUS_WORDS[status]],
        ["Addresses", ({ expected }) => count(expected), "num"],
        ["Share", ({ share }) => percent(share, 0), "num"],
        ["Likely range", ({ low, high }) => `${percent(low, 0)} to ${percent(high, 0)}`, "num"],
      ]}
    />
  </section>
)
