/** A body that grows in one place. */
export interface GrowingBody {
  /** What is repeated, and where. */
  readonly what: string
  /** A body with about this many bytes. */
  readonly ofSize: (size: number) => string
}

type Place = readonly (string | number)[]

/** Texts that are repeated inside a text: parts of addresses, markup, escapes, and special Unicode characters. */
const UNITS = [
  "a",
  "@",
  ".",
  "a.",
  " ",
  "<",
  "<a href=",
  "\n",
  "\\",
  '"',
  "é",
  "漢",
  "\u200b",
  "xn--a.",
  "%",
  "=",
  "_",
  "0",
]

/** Digits of the number that makes a repeated item or field different. */
const NUMBER = 5

/**
 * Bodies that each repeat one thing: a text inside every text of the example, every item of a list, unknown fields, and
 * brackets. @param turn chooses among the texts
 */
export function growingBodies(example: unknown, turn: number): GrowingBody[] {
  const json = JSON.stringify(example)
  const places = placesOf(example, [])
  const inTexts = places.flatMap(([place, value], index) => {
    if (typeof value !== "string") return []
    const unit = UNITS[(turn + index) % UNITS.length]!
    const grown = (size: number) => value + unit.repeat(size / (Buffer.byteLength(JSON.stringify(unit)) - 2)) + value
    return [{ what: `${JSON.stringify(unit)} in ${place.join(".")}`, ofSize: replaced(example, place, grown) }]
  })
  const items = places.flatMap(([place, value]) => {
    if (!Array.isArray(value) || value.length === 0) return []
    const length = JSON.stringify(value[0]).length + 1 + NUMBER
    const grown = (size: number) => Array.from({ length: size / length }, (_, n) => numbered(value[0], n))
    return [{ what: `items of ${place.join(".") || "the body"}`, ofSize: replaced(example, place, grown) }]
  })
  const fields = (size: number) =>
    `${json.slice(0, -1)}${Array.from({ length: size / (8 + 2 * NUMBER) }, (_, n) => `,"${n}x${n}":1`).join("")}}`
  return [
    ...inTexts,
    ...items,
    { what: "fields", ofSize: fields },
    { what: "brackets", ofSize: (size) => "[".repeat(size / 2) + "]".repeat(size / 2) },
    { what: "open brackets", ofSize: (size) => json.slice(0, -1) + '{"a":['.repeat(size / 6) },
  ]
}

function placesOf(value: unknown, place: Place): [Place, unknown][] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : []
  return [[place, value], ...inner.flatMap(([key, part]) => placesOf(part, [...place, key]))]
}

function replaced(example: unknown, place: Place, grown: (size: number) => unknown): (size: number) => string {
  return (size) => JSON.stringify(withValue(example, place, grown(size)))
}

function withValue(whole: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value
  const copy = Array.isArray(whole) ? [...whole] : { ...(whole as object) }
  const parts = copy as Record<string | number, unknown>
  parts[key] = withValue(parts[key], rest, value)
  return copy
}

/** A further item. Its texts begin with the number. */
function numbered(item: unknown, n: number): unknown {
  if (typeof item === "string") return `${n}${item}`
  if (typeof item !== "object" || item === null) return item
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      typeof value === "string" && value.includes("@") ? `${n}${value}` : value,
    ]),
  )
}
