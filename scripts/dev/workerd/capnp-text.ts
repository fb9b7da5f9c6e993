/** A file whose content becomes the value, by its path relative to the configuration's own folder. */
export interface Embedded {
  readonly embed: string
}

/** A value of workerd's configuration. A field that is undefined is left out. */
export type CapnpValue =
  | string
  | number
  | boolean
  | Embedded
  | readonly CapnpValue[]
  | { readonly [field: string]: CapnpValue | undefined }

/** Writes a value in Cap'n Proto's text format: `(field = value)`, `[item, item]`, `"text"`, `embed "path"`. */
export function capnpText(value: CapnpValue): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object") return String(value)
  if (isList(value)) return `[${value.map(capnpText).join(", ")}]`
  if (isEmbedded(value)) return `embed ${quoted(value.embed)}`
  const fields = Object.entries(value).flatMap(([name, one]) =>
    one === undefined ? [] : [`${name} = ${capnpText(one)}`],
  )
  return `(${fields.join(", ")})`
}

/** Cap'n Proto reads the escapes of C: a control character is written as its byte. */
function quoted(text: string): string {
  const escaped = text.replace(/[\\"\x00-\x1f\x7f]/g, (char) =>
    char === "\\" || char === '"' ? `\\${char}` : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  )
  return `"${escaped}"`
}

function isList(value: object): value is readonly CapnpValue[] {
  return Array.isArray(value)
}

function isEmbedded(value: object): value is Embedded {
  return "embed" in value
}
