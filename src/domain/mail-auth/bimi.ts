import { readTags } from "./tag-list.ts"

/** A brand logo assertion (draft-brand-indicators-for-message-identification §4). */
export type Bimi =
  | { readonly kind: "none" }
  | { readonly kind: "declined" } // an empty `l`: the domain publishes no logo
  | { readonly kind: "invalid" }
  | { readonly kind: "record"; readonly logo: string; readonly hasCertificate: boolean }

/** Bounded, because every result of the domain contains it. Browsers and mail programs accept no longer URL. */
const LOGO = /^https:\/\/\S{1,2000}$/i

/** Reads the TXT records of `default._bimi.<domain>`. */
export function readBimi(texts: readonly string[]): Bimi {
  const records = texts.filter((text) => /^v\s*=\s*BIMI1\s*(;|$)/.test(text))
  if (records.length === 0) return { kind: "none" }
  const tags = records.length === 1 ? readTags(records[0]!) : null
  const logo = tags?.get("l")
  if (!tags || logo === undefined) return { kind: "invalid" }
  const certificate = tags.get("a") ?? ""
  if (logo === "") return certificate === "" ? { kind: "declined" } : { kind: "invalid" }
  if (!LOGO.test(logo)) return { kind: "invalid" }
  return { kind: "record", logo, hasCertificate: /^https:\/\//i.test(certificate) }
}
