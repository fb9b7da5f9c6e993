import { readFileSync } from "node:fs"
import type { Tag, TagGroup } from "./tags.ts"

/** The first text of the reference, in Markdown. */
export const INTRODUCTION = textOf("introduction")

/** Guides are groups without operations, so that they are part of the document and of its readers' navigation. */
export const GUIDES: TagGroup = {
  name: "Guides",
  tags: ["Authentication", "Errors", "Limits", "Idempotency", "Lists", "Webhooks"].map((title): Tag => {
    const name = title.toLowerCase()
    return { name: `guide-${name}`, title, description: textOf(name) }
  }),
}

function textOf(name: string): string {
  return readFileSync(new URL(`guides/${name}.md`, import.meta.url), "utf8").trim()
}
