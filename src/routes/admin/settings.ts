import { createRoute, z } from "@hono/zod-openapi"
import { RELEASE } from "../../../schema/wire/version.ts"
import { clientIpOf } from "../../http/access.ts"
import { type Endpoint, endpoint } from "../../http/endpoint.ts"
import { ok } from "../../http/responses.ts"
import { Settings } from "../../settings.ts"
import { VERSION } from "../fleet/health.ts"

const settings = endpoint(
  "admin",
  createRoute({
    method: "get",
    path: "/admin/settings",
    operationId: "listSettings",
    tags: ["admin"],
    summary: "List the settings",
    description: "Names each setting and says whether it is set. Values are never shown, because many are secrets.",
    responses: {
      200: ok(
        z.object({
          version: z.string().openapi({ description: "Of the API", example: VERSION }),
          client_address: z
            .string()
            .nullable()
            .openapi({
              description:
                "The address that this call came from, as the header of CLIENT_IP_HEADER states it. Null: no header is " +
                "trusted, or the proxy does not set it",
              example: "203.0.113.5",
            }),
          release: z.string().openapi({ description: "Of the software that runs here", example: RELEASE }),
          settings: z.array(
            z.object({
              name: z.string().openapi({ example: "MAIL_API_URL" }),
              given: z.boolean().openapi({ description: "False: the default is in force, or the feature is off" }),
            }),
          ),
        }),
      ),
    },
  }),
  (c) => {
    const given = new Set(c.var.ctx.config.givenSettings)
    const names = Object.keys(Settings.shape).sort()
    const list = names.map((name) => ({ name, given: given.has(name) }))
    const client_address = clientIpOf(c) ?? null
    return c.json({ version: VERSION, release: RELEASE, client_address, settings: list }, 200)
  },
)

export const settingsEndpoints: Endpoint[] = [settings]
