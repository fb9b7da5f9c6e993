import { createRoute, z } from "@hono/zod-openapi"
import { SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { email } from "../../http/fields.ts"
import { iso } from "../../http/present/iso.ts"
import { ok, problem } from "../../http/responses.ts"
import {
  type DirectoryFinding,
  type DirectoryName,
  findInDirectory,
} from "../../services/verification/find-in-directory.ts"

const DirectoryResult = z
  .object({
    email: z.string(),
    directory: z.enum(["google_workspace", "microsoft_graph"]),
    exists: z.boolean().nullable().openapi({ description: "Null when the directory cannot tell" }),
    status: z.enum(["valid", "invalid", "unknown"]),
    sub_status: z.enum(SUB_STATUSES).nullable(),
    kind: z.enum(["user", "group", "contact", "nobody", "foreign", "failure"]).openapi({
      description:
        "`contact`: somebody elsewhere, to whom mail goes on; `nobody`: none of these; `foreign`: not a domain of this directory",
    }),
    is_alias: z.boolean().nullable(),
    suspended: z.boolean().nullable(),
    reason: z.string(),
    checked_at: z.iso.datetime(),
  })
  .openapi("DirectoryResult")

const DIRECTORIES = { google: "google_workspace", microsoft: "microsoft_graph" } as const

function directoryEndpoint(name: DirectoryName, path: string, texts: { operationId: string; summary: string }) {
  return endpoint(
    "key-optional",
    createRoute({
      method: "get",
      path,
      ...texts,
      tags: ["verification"],
      request: { query: z.object({ email: email() }) },
      responses: { 200: ok(DirectoryResult), ...problem(400) },
    }),
    async (c) => {
      const { email } = c.req.valid("query")
      return c.json(presentFinding(name, await findInDirectory(c.var.deps, { email, name })), 200)
    },
  )
}

function presentFinding(
  name: DirectoryName,
  { address, answer, verdict, checkedAt }: DirectoryFinding,
): z.infer<typeof DirectoryResult> {
  return {
    email: address.normalized,
    directory: DIRECTORIES[name],
    exists: verdict.exists,
    status: verdict.status,
    sub_status: verdict.subStatus,
    kind: answer.kind,
    is_alias: answer.kind === "user" ? answer.isAlias : null,
    suspended: answer.kind === "user" ? answer.state === "suspended" : null,
    reason: verdict.reason,
    checked_at: iso(checkedAt),
  }
}

export const directoryEndpoints: Endpoint[] = [
  directoryEndpoint("google", "/verify/google-workspace", {
    operationId: "verifyGoogleWorkspace",
    summary: "Ask the Google Workspace directory this service was given access to",
  }),
  directoryEndpoint("microsoft", "/verify/microsoft-graph", {
    operationId: "verifyMicrosoftGraph",
    summary: "Ask the Microsoft 365 directory this service was given access to",
  }),
]
