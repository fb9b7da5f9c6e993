import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { describe, expect, test } from "vitest"
import { SHIPPED_DISPOSABLE } from "../../../src/domain/lists/built-in.ts"
import { FREE_CORE } from "../../../src/domain/lists/free-data.ts"
import { FREE_PUBLIC } from "../../../src/domain/lists/free-public-data.ts"
import { fuseFilter } from "../../../src/domain/lists/fuse-filter.ts"
import { HONEST_DOMAINS } from "../../../src/domain/lists/honest-data.ts"
import {
  EDUCATION_PACK,
  LIST_SOURCES,
  LIST_VERSION,
  PUBLIC_DISPOSABLE_PACK,
} from "../../../src/domain/lists/packed-data.ts"
import { RELAY_DOMAINS } from "../../../src/domain/lists/relay-data.ts"

const MAX_COMPRESSED_BYTES = 400_000
const MAX_FALSE_RATE = 1e-5

test("all lists and their code add less than 400 KB compressed to the Worker", async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../../src/domain/lists/classify.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    // The Worker carries tldts anyway, for other uses.
    external: ["tldts"],
    write: false,
  })
  expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(MAX_COMPRESSED_BYTES)
})

test("the version names its day and content, and the sources theirs", () => {
  expect(LIST_VERSION).toMatch(/^20\d\d-[01]\d-[0-3]\d-[0-9a-f]{8}$/)
  expect(LIST_SOURCES.length).toBeGreaterThanOrEqual(2)
  for (const source of LIST_SOURCES) expect(source).toMatch(/^\S+ \d+\.\d+\.\d+ \([A-Z].+\)$/)
})

describe("the packed disposable list", () => {
  const packed = fuseFilter(PUBLIC_DISPOSABLE_PACK)

  test("answers wrongly for fewer than one name in 100,000", () => {
    const asked = 1_000_000
    let wrong = 0
    for (let index = 0; index < asked; index++) if (packed.has(`unlisted-${index}.example`)) wrong++
    // Poisson: at the true rate of 2^-17, 7.6 are expected and more than 20 come once in 10,000 seeds; ours is fixed.
    expect(wrong).toBeLessThan(2 * MAX_FALSE_RATE * asked)
    expect(2 ** -PUBLIC_DISPOSABLE_PACK.bits).toBeLessThanOrEqual(MAX_FALSE_RATE)
    expect(2 ** -EDUCATION_PACK.bits).toBeLessThanOrEqual(MAX_FALSE_RATE)
  })

  test("never by chance for a domain we know", () => {
    const known = [...FREE_CORE, ...FREE_PUBLIC, ...HONEST_DOMAINS, ...RELAY_DOMAINS]
    expect(known.length).toBeGreaterThan(5_000)
    expect(known.filter((domain) => packed.has(domain))).toEqual([])
  })

  test("is large enough to be the real one", () => {
    expect(SHIPPED_DISPOSABLE.size).toBeGreaterThan(120_000)
    expect(PUBLIC_DISPOSABLE_PACK.cells.length).toBeGreaterThan(300_000)
  })
})

test("the education list has no mail provider", () => {
  const schools = fuseFilter(EDUCATION_PACK)
  expect([...FREE_CORE, ...FREE_PUBLIC].filter((domain) => schools.has(domain))).toEqual([])
})

test("nothing is unpacked before it is asked for", () => {
  const filter = fuseFilter({ ...PUBLIC_DISPOSABLE_PACK, cells: "not base64 !" })
  expect(() => filter.has("mailinator.com")).toThrow()
})
