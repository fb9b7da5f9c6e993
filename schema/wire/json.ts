/** Parses JSON from text or UTF-8 bytes. @returns null when the JSON or the UTF-8 is invalid */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    if (typeof text === "string") return JSON.parse(text)
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(text))
  } catch {
    return null
  }
}
