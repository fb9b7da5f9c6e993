import type { ListPreview } from "../../api/shapes.ts"
import { Select } from "../../parts/field.tsx"
import { Notice } from "../../parts/notice.tsx"
import { count, rows } from "../../words.ts"

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

export function EncodingSelect({ value, onValue }: { value: string; onValue: (encoding: string) => void }) {
  return <Select label="Encoding of the text" value={value} options={ENCODINGS} onValue={onValue} />
}

/** What the reader must know before the start: what is left out, repeated or damaged. */
export function FileFacts({ preview }: { preview: ListPreview }) {
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
