import { z } from "@hono/zod-openapi"
import { LIST_CLASSES, REFRESH_OUTCOMES, REFRESHED_LISTS, type RefreshedList } from "../../../schema/vocabulary.ts"
import type { Refresh, StoredOverride } from "../../adapters/store/reference/list-overrides.ts"
import { pageOf } from "../../domain/page.ts"
import { SHIPPED_DISPOSABLE } from "../../domain/reference/active-lists.ts"
import { LIST_SOURCES, LIST_VERSION } from "../../domain/reference/packed-data.ts"
import { iso } from "../../domain/time.ts"
import { AppError } from "../../errors.ts"
import { type Endpoint, endpointsOf, type OperationTexts } from "../../http/endpoint.ts"
import { arrayOf, component, flag, wellFormedDomain, wholeNumberOr } from "../../http/fields.ts"
import { domainName } from "../../http/input-fields.ts"
import { refreshLists, removeOverride, setOverride } from "../../services/reference/domain-lists.ts"

const endpoint = endpointsOf("admin")

const RECENT = 10

const ListRefresh = component("ListRefresh", {
  at: z.iso.datetime(),
  class: z.enum(REFRESHED_LISTS).openapi({ example: "disposable" }),
  outcome: z.enum(REFRESH_OUTCOMES),
  forced: z.boolean(),
  added: z.int().openapi({ example: 312 }),
  removed: z.int().openapi({ example: 4 }),
  left_out: z.int().openapi({
    description: "Domains that the sources agree on but no list may contain: providers, relays, schools",
  }),
  reason: z.string().nullable().openapi({ description: "Why it was refused" }),
  sources: arrayOf({
    name: z.string().openapi({ example: "disposable-email-domains" }),
    names: z.int().nullable().openapi({ description: "Names read; null when the source could not be read" }),
    problem: z.string().nullable(),
  }),
})

const presentRefresh = ({ leftOut, at, sources, ...refresh }: Refresh): z.infer<typeof ListRefresh> => ({
  ...refresh,
  at: iso(at),
  left_out: leftOut,
  sources: [...sources],
})

const query = z.object({ force: flag(false, "Apply the change regardless of its size") })
const Refreshed = z.object({ version: z.string(), refreshes: z.array(ListRefresh) })

function refresher(
  classes: readonly RefreshedList[],
  { path, description, ...texts }: OperationTexts & { path: `/${string}` },
): Endpoint {
  return endpoint("admin", `POST ${path}`, {
    ...texts,
    description: `${description} Refuses a change that is too large, with 409 and the reason. \`force=true\` applies it anyway.`,
    query,
    answer: Refreshed,
    problems: [409],
    async handle(c) {
      const { force } = c.req.valid("query")
      const refreshes = await refreshLists(c.var.ctx, { classes, force })
      const refused = refreshes.find(({ outcome }) => outcome === "refused")
      if (refused && refreshes.every(({ outcome }) => outcome === "refused"))
        throw new AppError(
          "conflict",
          `the ${refused.class} list is unchanged: ${refused.reason}; force=true overrides`,
        )
      const count = (of: "added" | "removed") => refreshes.reduce((total, refresh) => total + refresh[of], 0)
      c.set("auditNote", { details: { forced: force, added: count("added"), removed: count("removed") } })
      return { version: await versionOf(c.var.ctx.store.listOverrides), refreshes: refreshes.map(presentRefresh) }
    },
  })
}

/** The version of the shipped lists and, after a plus, of the changes since then. */
async function versionOf(listOverrides: { version(): Promise<number> }): Promise<string> {
  return `${LIST_VERSION}+${await listOverrides.version()}`
}

const updateDisposable = refresher(["disposable"], {
  path: "/admin/update-disposable",
  operationId: "updateDisposable",
  summary: "Update the disposable domains",
  description: "Fetches the configured lists of disposable domains and applies what they agree on.",
})

const updateIntelligence = refresher(REFRESHED_LISTS, {
  path: "/admin/update-intelligence",
  operationId: "updateIntelligence",
  summary: "Update all domain lists",
  description:
    "Fetches the configured lists of disposable domains, free providers and top-level domains, and applies them.",
})

const stats = endpoint("admin", "GET /admin/disposable-stats", {
  operationId: "disposableStats",
  summary: "Get the state of the domain lists",
  description: "Returns the version and size of each list, its sources, and the latest updates with their outcome.",
  answer: z.object({
    version: z.string().openapi({ example: "2026-11-21-9776c703+3" }),
    shipped: z.object({ version: z.string(), disposable_domains: z.int(), sources: z.array(z.string()) }),
    fetched: z.record(z.string(), z.int()).openapi({ example: { disposable: 312 } }),
    overrides: z.record(z.string(), z.int()).openapi({ example: { allow: 2 } }),
    last_refresh: z.iso.datetime().nullable(),
    refreshes: z.array(ListRefresh),
  }),
  async handle(c) {
    const { listOverrides } = c.var.ctx.store
    const [version, counts, refreshes] = await Promise.all([
      versionOf(listOverrides),
      listOverrides.counts(),
      listOverrides.refreshes(RECENT),
    ])
    const of = (origin: StoredOverride["origin"]) =>
      Object.fromEntries(counts.filter((one) => one.origin === origin).map((one) => [one.class, one.count]))
    const shipped = { version: LIST_VERSION, disposable_domains: SHIPPED_DISPOSABLE.size, sources: [...LIST_SOURCES] }
    const shown = refreshes.map(presentRefresh)
    const last_refresh = shown[0]?.at ?? null
    return { version, shipped, fetched: of("fetched"), overrides: of("operator"), last_refresh, refreshes: shown }
  },
})

const Override = component("ListOverride", {
  domain: z.string().openapi({ example: "mailbox.test" }),
  class: z.enum(LIST_CLASSES).openapi({ description: "`allow` only removes the domain from the disposable list" }),
  note: z.string().nullable(),
  created_at: z.iso.datetime(),
})

const presentOverride = (one: StoredOverride): z.infer<typeof Override> => ({
  domain: one.domain,
  class: one.class,
  note: one.note,
  created_at: iso(one.createdAt),
})

const listOverridesEndpoint = endpoint("admin", "GET /admin/lists/overrides", {
  operationId: "listOverrides",
  summary: "List the overrides",
  description: "Returns the domains whose class the operator set by hand, in the order of their names.",
  query: z.object({
    limit: wholeNumberOr(100, { min: 1, max: 1_000, description: "Domains per page" }),
    cursor: z.string().max(255).default("").openapi({ description: "next_cursor of the previous page" }),
  }),
  answer: z.object({ overrides: z.array(Override), next_cursor: z.string().nullable() }),
  async handle(c) {
    const { limit, cursor } = c.req.valid("query")
    const found = await c.var.ctx.store.listOverrides.page({ after: cursor, limit: limit + 1 })
    const { page, last } = pageOf(found, limit)
    return { overrides: page.map(presentOverride), next_cursor: last?.domain ?? null }
  },
})

const set = endpoint("admin", "POST /admin/lists/overrides", {
  operationId: "setOverride",
  summary: "Set an override",
  description:
    "Sets the class of a domain and its subdomains, whatever the lists say. It is active everywhere within a minute.",
  json: z.object({
    domain: domainName().max(255),
    class: z.enum(LIST_CLASSES).openapi({ description: "What the domain counts as", example: "allow" }),
    note: z
      .string()
      .trim()
      .max(200)
      .nullish()
      .openapi({ description: "Why, for the other operators", example: "a customer's own domain" }),
  }),
  answer: Override,
  problems: [400],
  async handle(c) {
    const { domain, class: listClass, note } = c.req.valid("json")
    const override = await setOverride(c.var.ctx, { domain: wellFormedDomain(domain), listClass, note: note ?? null })
    c.set("auditNote", { subject: override.domain, details: { class: listClass } })
    return presentOverride(override)
  },
})

const remove = endpoint("admin", "DELETE /admin/lists/overrides/{domain}", {
  operationId: "removeOverride",
  summary: "Remove an override",
  description: "Removes the class that was set by hand. The lists decide again within a minute.",
  params: z.object({ domain: domainName().max(255) }),
  answer: z.object({ domain: z.string(), removed: z.literal(true) }),
  problems: [400, 404],
  async handle(c) {
    const domain = wellFormedDomain(c.req.valid("param").domain)
    await removeOverride(c.var.ctx, domain)
    c.set("auditNote", { subject: domain })
    return { domain, removed: true as const }
  },
})

export const listEndpoints: Endpoint[] = [
  updateDisposable,
  updateIntelligence,
  stats,
  listOverridesEndpoint,
  set,
  remove,
]
