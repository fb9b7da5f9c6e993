import { PACKAGE, partName, relationshipKind, relationshipsPart } from "../../domain/lists/xlsx.ts"
import { archiveProblem } from "./office-formats.ts"
import type { Archive } from "./unpack.ts"
import { XmlReader } from "./xml-reader.ts"

/** A link from one part of a package to another. */
export interface Relationship {
  readonly id: string
  /** The last word of its type, such as "worksheet". */
  readonly kind: string
  /** The name of the part that it leads to. */
  readonly target: string
}

/** The main part where a package does not name it. */
const USUAL_MAIN = "/xl/workbook.xml"

/**
 * Finds the main part of a workbook by the relationships of its package.
 * @throws AppError invalid, with the format where it is another one
 */
export async function findMain(archive: Archive): Promise<string> {
  const links = await readRelationships(archive, PACKAGE)
  const linked = links.find(({ kind }) => kind === "officeDocument")?.target
  const main = [linked, USUAL_MAIN].find((name) => name !== undefined && archive.has(name))
  if (main === undefined || main.endsWith(".bin")) throw archiveProblem(archive, main ?? null)
  return main
}

/**
 * Reads the relationships of a part. A part without a list of them has none.
 * @param source the name of a part, or the package
 * @throws AppError invalid
 */
export async function readRelationships(archive: Archive, source: string): Promise<Relationship[]> {
  const list = relationshipsPart(source)
  const part = (await archive.unpack([list])).get(list)
  const found: Relationship[] = []
  if (!part) return found
  await new XmlReader(part, "the list of relationships", {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship" || mode === "External") return
      // Some programs write the target relative to the package.
      const [own, other] = [partName(target, source), partName(target)]
      found.push({ id, kind: relationshipKind(type), target: !archive.has(own) && archive.has(other) ? other : own })
    },
    close() {},
    text() {},
  }).readAll()
  return found
}
