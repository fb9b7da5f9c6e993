import { createRoute, z } from "@hono/zod-openapi"
import { SUB_STATUSES } from "../../../schema/vocabulary.ts"
import { iso } from "../../domain/time.ts"
import { type Endpoint, endpoint, type OperationTexts } from "../../http/endpoint.ts"
import { email } from "../../http/fields.ts"
import { ok, problem } from "../../http/responses.ts"
import { type DirectoryFinding, type DirectoryName, findInDirectory } from "../../services/verification/directory.ts"

const DirectoryResult = z
  .object({
    email: z.string(),
    directory: z.enum(["google_workspace", "microsoft_graph"]),
    exists: z.boolean().nullable().openapi({ description: "Null when the directory has no clear answer" }),
    status: z.enum(["valid", "invalid", "unknown"]),
    sub_status: z.enum(SUB_STATUSES).nullable(),
    kind: z.enum(["user", "group", "contact", "entry", "nobody", "foreign", "failure"]).openapi({
      description:
        "`contact`: an external address that mail is forwarded to; `entry`: a user, group or contact; `nobody`: none that receives mail; `foreign`: not a domain of this directory",
    }),
    is_alias: z.boolean().nullable().openapi({ description: "Null when it is not a user, or not shared" }),
    suspended: z.boolean().nullable().openapi({ description: "Null when it is not a user, or not shared" }),
    reason: z.string(),
    checked_at: z.iso.datetime(),
  })
  .openapi("DirectoryResult")

const SHARING =
  "The setting `DIRECTORY_SHARE` says what an account may learn: nothing (403), whether the address exists, or all. The admin secret shows all. Costs one credit for a clear answer, which only domains of that directory have. 503 means that none is connected."

const DIRECTORIES = { google: "google_workspace", microsoft: "microsoft_graph" } as const

function directoryEndpoint(name: DirectoryName, path: string, texts: OperationTexts) {
  return endpoint(
    "key-or-admin",
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
      const { ctx, meter, caller } = c.var
      return c.json(presentFinding(name, await findInDirectory(ctx, meter, { email, name, caller })), 200)
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
    summary: "Query a Google Workspace directory",
    description: `Reads the mailbox in the Google Workspace directory that the operator connected. ${SHARING}`,
  }),
  directoryEndpoint("microsoft", "/verify/microsoft-graph", {
    operationId: "verifyMicrosoftGraph",
    summary: "Query a Microsoft 365 directory",
    description: `Reads the mailbox in the Microsoft 365 directory that the operator connected. ${SHARING}`,
  }),
]
