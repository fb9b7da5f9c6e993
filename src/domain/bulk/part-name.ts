/** The package itself, whose relationships lead to the main part of a workbook. */
export const PACKAGE = "/"

/** Relationship types, in the transitional and the strict form of the format. */
const TYPE =
  /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/officeDocument\/(?:2006\/)?relationships\/(\w+)$/

/**
 * The name of a part, in the form in which names are compared: absolute, with slashes, decoded and in lower case
 * (ECMA-376 part 2, 6.2.2 and 6.3.5). Programs write backslashes, dots, escapes and other cases.
 * @param path the name of a file in the archive, or the target of a relationship
 * @param source the name of the part that the target is relative to
 */
export function partName(path: string, source = PACKAGE): string {
  const url = URL.parse(escaped(path.replace(/^[\\/]+/, "/")), `http://package${escaped(source)}`)
  return decoded(url?.pathname ?? path)
    .replace(/[\\/]+/g, "/")
    .toLowerCase()
}

/** The name of the part with the relationships of a part (ECMA-376 part 2, 6.5.2), or of the package. */
export function relationshipsPart(source: string): string {
  const end = source.lastIndexOf("/") + 1
  return `${source.slice(0, end)}_rels/${source.slice(end)}.rels`
}

/** The last word of a relationship's type, such as "worksheet". Empty for a type of another program. */
export function relationshipKind(type: string): string {
  return TYPE.exec(type.trim())?.[1] ?? ""
}

/** Part names have no query and no fragment. */
function escaped(path: string): string {
  return path.replace(/[?#]/g, encodeURIComponent)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
