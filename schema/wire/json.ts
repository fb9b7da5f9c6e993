/** The value of a JSON text, or of its bytes in well-formed UTF-8; null when it is none. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    if (typeof text === "string") return JSON.parse(text)
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(text))
  } catch {
    return null
  }
}
