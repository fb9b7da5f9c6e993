import type { ComponentChildren, VNode } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Load, PagedLoad } from "../api/call.ts"
import { count } from "../words.ts"
import { Button } from "./buttons.tsx"
import { Loaded, Panel, type PanelProps } from "./page.tsx"
import { Empty } from "./text.tsx"

export type Cell<Row> = (row: Row, index: number) => ComponentChildren

/**
 * A column of a table, with the classes of its cells. An empty title is for the buttons and links of a row: only a screen
 * reader gets a heading then.
 */
export type Column<Row> = readonly [title: ComponentChildren, cell: Cell<Row>, options?: string | ColumnOptions]

interface ColumnOptions {
  /** A heading is aligned like the numbers below it. */
  readonly class?: string
  /** Whether its cells name their rows. */
  readonly isRowName?: boolean
  /** The name by which `onSort` knows the column. Without it, the column does not sort. */
  readonly sortName?: string
  /** Name beside the cell on a phone; the title by default, and none for the first column. */
  readonly phone?: string
  /** The cell in the last row, below all others. */
  readonly foot?: ComponentChildren
}

type EmptyWords = readonly [title: string, text?: string]

interface TableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row, index: number) => string | number
  /** Absent columns are left out. */
  readonly columns: readonly (Column<Row> | false)[]
  /** Shown instead of a table without rows: an element, or the words of one. */
  readonly empty?: VNode | EmptyWords
  /** Whether a phone shows each row as a block. Otherwise the table scrolls. */
  readonly isStacked?: boolean
  /** Rows at first. A button shows the others. */
  readonly first?: number
  readonly class?: string
  readonly rowClass?: (row: Row) => string
  /** Whether only a screen reader gets the headings, or there are none. */
  readonly head?: "unseen" | "none"
  readonly sort?: { readonly by: string; readonly isDown: boolean } | null
  readonly onSort?: (sortName: string) => void
}

/** The table of every page. */
export function DataTable<Row>({ rows, empty, first = Number.POSITIVE_INFINITY, ...table }: TableProps<Row>) {
  const [isWhole, setWhole] = useState(false)
  if (rows.length === 0) return isWords(empty) ? <Empty title={empty[0]} text={empty[1]} /> : (empty ?? null)
  return (
    <>
      <Scroll label={table.label}>
        <Table {...table} rows={isWhole ? rows : rows.slice(0, first)} />
      </Scroll>
      {rows.length > first && (
        <div>
          <button type="button" class="button quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? `Show the first ${first}` : `Show all ${count(rows.length)}`}
          </button>
        </div>
      )}
    </>
  )
}

const isWords = (empty: VNode | EmptyWords | undefined): empty is EmptyWords => Array.isArray(empty)

function Table<Row>({
  rows,
  rowKey,
  columns: given,
  isStacked = false,
  head,
  sort,
  onSort,
  ...table
}: TableProps<Row>) {
  const columns = given.filter((column) => column !== false).map(specOf)
  const classes = ["table", isStacked && "stacked", table.class].filter(Boolean).join(" ")
  return (
    <table class={classes} aria-label={table.label}>
      {head !== "none" && (
        <thead class={head}>
          <tr>
            {columns.map((column, n) => (
              <th key={n} {...headingOf(column, sort)}>
                {column.sortName !== undefined && onSort ? (
                  <button type="button" class="sort" onClick={() => onSort(column.sortName!)}>
                    {column.title}
                    <span aria-hidden="true">{sort?.by !== column.sortName ? "" : sort.isDown ? " ↓" : " ↑"}</span>
                  </button>
                ) : (
                  column.title || <span class="unseen">Actions</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, index) => (
          <tr key={rowKey(row, index)} class={table.rowClass?.(row)}>
            {columns.map((column, n) => (
              <TableCell key={n} column={column} isFirst={n === 0} isStacked={isStacked}>
                {column.cell(row, index)}
              </TableCell>
            ))}
          </tr>
        ))}
      </tbody>
      {columns.some(({ foot }) => foot !== undefined) && (
        <tfoot>
          <tr>{columns.map(({ foot, class: given }, n) => footOf(foot, given, n))}</tr>
        </tfoot>
      )}
    </table>
  )
}

function specOf<Row>([title, cell, options = {}]: Column<Row>) {
  const given: ColumnOptions = typeof options === "string" ? { class: options } : options
  return { title, cell, ...given }
}

function headingOf({ class: given = "", sortName }: ColumnOptions, sort: TableProps<unknown>["sort"]) {
  const alignment = given.split(" ").filter((name) => name === "num" || name === "picked")
  const direction = sort?.by !== sortName ? "none" : sort?.isDown ? "descending" : "ascending"
  return {
    class: alignment.join(" ") || undefined,
    "aria-sort": sortName === undefined ? undefined : (direction as "none" | "ascending" | "descending"),
  }
}

interface CellProps {
  readonly column: Pick<ReturnType<typeof specOf>, "title" | "class" | "isRowName" | "phone">
  readonly isFirst: boolean
  readonly isStacked: boolean
  readonly children: ComponentChildren
}

function TableCell({ column, isFirst, isStacked, children }: CellProps) {
  const { title, class: given, isRowName = false, phone = isFirst ? "" : title } = column
  if (isRowName) return <th scope="row">{children}</th>
  const isShown = children !== null && children !== false
  if (title === "") return <td>{isShown && <div class="actions">{children}</div>}</td>
  return (
    <td class={given} data-name={isStacked && typeof phone === "string" && phone !== "" ? phone : undefined}>
      {children}
    </td>
  )
}

const footOf = (foot: ComponentChildren, given: string | undefined, n: number) =>
  n === 0 ? (
    <th key={n} scope="row">
      {foot}
    </th>
  ) : (
    <td key={n} class={given}>
      {foot}
    </td>
  )

interface LoadedTableProps<Body, Row> extends Omit<TableProps<Row>, "rows"> {
  readonly of: Load<Body> | PagedLoad<Body>
  readonly rows: (body: Body) => readonly Row[]
  /** Where the next page begins; null on the last page. By default, the answer says it. */
  readonly next?: (body: Body) => string | number | null
  readonly above?: (body: Body) => ComponentChildren
}

/** A table of loaded rows, with its placeholder, its problem and its pages. */
export function LoadedTable<Body, Row>({
  of: load,
  rows,
  next = nextOf,
  above,
  ...table
}: LoadedTableProps<Body, Row>) {
  return (
    <Loaded of={load}>
      {(body) => (
        <>
          {above?.(body)}
          <DataTable {...table} rows={rows(body)} />
          {"pages" in load && <Pager of={load} next={next(body)} />}
        </>
      )}
    </Loaded>
  )
}

type InPanel<Table> = Omit<Table, "label"> &
  Omit<PanelProps, "children"> & {
    /** The name of the table; the title of the panel by default. */
    readonly label?: string
    readonly children?: ComponentChildren
  }

export const TablePanel = <Row,>({ title, note, label = title, children, ...table }: InPanel<TableProps<Row>>) => (
  <Panel title={title} note={note}>
    {children}
    <DataTable {...table} label={label} />
  </Panel>
)

export const LoadedTablePanel = <Body, Row>({
  title,
  note,
  label = title,
  children,
  ...table
}: InPanel<LoadedTableProps<Body, Row>>) => (
  <Panel title={title} note={note}>
    {children}
    <LoadedTable {...table} label={label} />
  </Panel>
)

const nextOf = (body: unknown): string | number | null =>
  (body as { readonly next_cursor?: string | number | null }).next_cursor ?? null

/** Buttons for the pages of a long table. They stay in the page, so that they hold the focus. */
function Pager({ of: { pages, isStale }, next }: { of: PagedLoad<unknown>; next: string | number | null }) {
  if (pages.number === 1 && next === null) return null
  const isFirst = pages.number === 1
  return (
    <div class="row">
      <Button label="Newer" class="button quiet" isBlocked={isFirst || isStale} onClick={pages.newer} />
      <Button
        label="Older"
        class="button quiet"
        isBlocked={next === null || isStale}
        onClick={() => pages.older(String(next))}
      />
      <span role="status" class="soft small">
        Page {pages.number}
      </span>
    </div>
  )
}

interface FileRowsProps {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly isPicked: (column: number) => boolean
  readonly head?: "none"
}

/** The first rows of a chosen file. The columns that count are marked. */
export const FileRows = ({ columns, isPicked, ...table }: FileRowsProps) => (
  <DataTable
    {...table}
    label="First rows of the file"
    rowKey={(_, n) => n}
    columns={columns.map(
      (name, n): Column<readonly string[]> => [name, (cells) => cells[n], isPicked(n) ? "picked break" : "soft break"],
    )}
  />
)

interface ScrollProps {
  readonly label: string
  readonly variant?: "table-box" | "code"
  readonly children: ComponentChildren
}

/** A box that scrolls content wider than the window. A box that scrolls is focusable by keyboard. */
export function Scroll({ label, variant = "table-box", children }: ScrollProps) {
  const box = useRef<HTMLElement>(null)
  useLayoutEffect(() => measure(box.current!))
  useEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() => measure(element))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <section class={variant} aria-label={label} ref={box}>
      {children}
    </section>
  )
}

function measure(element: HTMLElement) {
  const scrolls = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight
  if (scrolls) element.tabIndex = 0
  else element.removeAttribute("tabindex")
}
