import { readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import type { PublishedDocument } from "../code-samples.ts"
import { GUIDES, INTRODUCTION, TAG_GROUPS, type Tag } from "../tags.ts"
import { FieldTables } from "./fields.ts"
import { MANUALS, MANUALS_GROUP } from "./manuals.ts"
import { type Call, operationSection } from "./operation.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g

/** A section of the index: pages with a sentence about each. */
interface IndexSection {
  readonly title: string
  readonly entries: readonly { readonly title: string; readonly path: string; readonly description: string }[]
}

/**
 * The documentation as Markdown: llms.txt, an index, and a page for each guide, for the operations of each tag and for
 * each manual.
 * @returns texts by their paths in the assets, without a slash in front
 */
export function markdownPages(document: PublishedDocument): ReadonlyMap<string, string> {
  const calls = callsByTag(document)
  const tags = TAG_GROUPS.flatMap((group) => group.tags)
  const pages: (readonly [string, string])[] = [
    ["llms.txt", llmsText()],
    ["docs.md", joined([`# ${document.info.title} API`, withPageLinks(INTRODUCTION), ...indexSections()])],
    ...GUIDES.tags.map((guide) => [pageOf(guide.name), guidePage(guide)] as const),
    ...tags.map((tag) => [pageOf(tag.name), tagPage(tag, calls.get(tag.name) ?? [], document)] as const),
    ...MANUALS.map(({ source, name }) => {
      const text = readFileSync(join(root, source), "utf8").trim()
      return [pageOf(name), withServedLinks(text, source)] as const
    }),
  ]
  return new Map(pages.map(([path, text]) => [path, `${text}\n`]))
}

/** The index in the form of https://llmstxt.org. */
function llmsText(): string {
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { description: string }
  const whole: IndexSection = {
    title: "Optional",
    entries: [
      { title: "Introduction", path: "docs.md", description: "The first call, and what to read in its answer." },
      {
        title: "OpenAPI document",
        path: "openapi.json",
        description: "Every operation with its schemas, in one file.",
      },
    ],
  }
  return joined(["# Mailverdict", `> ${description}`, ...indexSections(), sectionText(whole)])
}

function indexSections(): string[] {
  const ofTags = [GUIDES, ...TAG_GROUPS].map(({ name, tags }): IndexSection => {
    const entries = tags.map((tag) => ({
      title: tag.title,
      path: pageOf(tag.name),
      description: firstSentence(tag.description),
    }))
    return { title: name, entries }
  })
  const manuals = MANUALS.map(({ name, title, description }) => ({ title, path: pageOf(name), description }))
  const [guides, ...operations] = ofTags
  return [guides!, { title: MANUALS_GROUP, entries: manuals }, ...operations].map(sectionText)
}

function sectionText({ title, entries }: IndexSection): string {
  const lines = entries.map((one) => `- [${one.title}](/${one.path}): ${one.description}`)
  return joined([`## ${title}`, lines.join("\n")])
}

function guidePage({ title, description }: Tag): string {
  return joined([`# ${title}`, withPageLinks(description)])
}

/** The operations of a tag, and below them the objects in their bodies and answers. */
function tagPage({ title, description }: Tag, calls: readonly Call[], document: PublishedDocument): string {
  const { schemas } = document.components
  const tables = new FieldTables()
  const sections = calls.map((call) => operationSection(call, { tables, schemas }))
  const objects: string[] = []
  // The table of an object may link to further objects. The loop reaches them, too.
  for (const name of tables.linked) {
    const schema = schemas[name] ?? {}
    objects.push(joined([`### ${name}`, tables.tableOf(schema, "Always") || tables.typeOf(schema)]))
  }
  const rules = GUIDES.tags.map((guide) => `[${guide.title}](/${pageOf(guide.name)})`).join(", ")
  return joined([
    `# ${title}`,
    withPageLinks(description.trim()),
    `A description without a cost means that the call is free. Guides: ${rules}.`,
    ...sections.map(withPageLinks),
    ...(objects.length === 0 ? [] : ["## Objects", ...objects]),
  ])
}

function callsByTag({ paths }: PublishedDocument): ReadonlyMap<string, readonly Call[]> {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return Map.groupBy(calls, ({ operation }) => operation.tags?.[0] ?? "")
}

function pageOf(name: string): string {
  return `docs/${name}.md`
}

function joined(parts: readonly string[]): string {
  return parts.join("\n\n")
}

/** Leads the links of guides and descriptions, which name a tag of the reference, to the pages of the tags. */
function withPageLinks(text: string): string {
  return text.replace(/\]\(#tag\/([\w-]+)\)/g, "](/docs/$1.md)")
}

/**
 * Leads the links between files of the repository to their pages. A link to a file that the service does not serve
 * becomes its text.
 * @param source the file that the text is from, in the project
 */
function withServedLinks(text: string, source: string): string {
  return text.replace(LINK, (link, label: string, target: string) => {
    if (/^(https?:|#|\/)/.test(target)) return link
    const [file = "", anchor] = target.split("#")
    const path = posix.join(posix.dirname(source), file)
    const manual = MANUALS.find((one) => one.source === path)
    if (!manual) return label
    return `[${label}](/docs/${manual.name}.md${anchor === undefined ? "" : `#${anchor}`})`
  })
}

/** The first sentence of a text in Markdown, on one line and without links. */
function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replace(LINK, "$1")
  return /^.*?\.(?= |$)/.exec(line)?.[0] ?? line
}
