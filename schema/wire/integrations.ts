import { z } from "zod"
import { PLACEHOLDERS, type SendProvider, type SyncProvider } from "../vocabulary.ts"

/** A credential for a header or form: printable ASCII without white space. */
const token = (max = 500) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without blanks")
    .max(max)
const listId = z
  .string()
  .regex(/^[\w-]{1,64}$/, "is not the id of a list")
  .describe("Id of the list at the provider")
const PropertyName = z.string().regex(/^[A-Za-z]\w{0,79}$/, "must be letters, digits and _")

/** A private app's token or a service key. Property names are lower-case (developers.hubspot.com, "Properties"). */
const Hubspot = z.object({
  provider: z.literal(PLACEHOLDERS.crm_a).describe("The service to connect"),
  credentials: z.strictObject({
    access_token: token().describe(
      "Token of a private app: HubSpot, Settings, Integrations, Private Apps. Scopes: crm.objects.contacts.read and .write, crm.schemas.contacts.read and .write",
    ),
  }),
  settings: z
    .strictObject({
      status_property: PropertyName.toLowerCase().default("mailverdict_status").describe("Field that gets the status"),
      score_property: PropertyName.toLowerCase().default("mailverdict_score").describe("Field that gets the score"),
    })
    .prefault({}),
})

/** OAuth 2.0: a refresh token, or client credentials and the organization's domain (help.salesforce.com). */
const Salesforce = z.object({
  provider: z.literal(PLACEHOLDERS.crm_b).describe("The service to connect"),
  credentials: z
    .strictObject({
      client_id: token().describe("Consumer key of an external client app: Salesforce, Setup, App Manager. Scope: api"),
      client_secret: token().optional().describe("Consumer secret of the same app, for the client credentials flow"),
      refresh_token: token(2_000).optional().describe("From a sign-in by OAuth, with the scopes api and refresh_token"),
      domain: z
        .url()
        .max(300)
        .optional()
        .describe(
          "The organization's domain, such as https://example.my.salesforce.com; required without a refresh_token",
        ),
    })
    .refine(({ client_secret, refresh_token, domain }) => refresh_token || (client_secret && domain), {
      message: "needs a refresh_token, or a client_secret and the organization's domain",
    }),
  settings: z
    .strictObject({
      object: z.enum(["Contact", "Lead"]).default("Contact").describe("Kind of records to verify"),
      status_field: PropertyName.default("Mailverdict_Status__c").describe("Field that gets the status"),
      score_field: PropertyName.default("Mailverdict_Score__c").describe("Field that gets the score"),
    })
    .prefault({}),
})

/** An API key, whose suffix names the data center (mailchimp.com/developer, "Fundamentals"). */
const Mailchimp = z.object({
  provider: z.literal(PLACEHOLDERS.tool_a).describe("The service to connect"),
  credentials: z.strictObject({
    api_key: z
      .string()
      .regex(/^\w{10,120}-[a-z]{2,4}\d{1,4}$/, "must end with the data center, such as -us21")
      .describe("API key: Mailchimp, Profile, Extras, API keys. It has all rights of its user"),
  }),
  settings: z.strictObject({
    list_id: listId,
    action: z.enum(["tag", "unsubscribe"]).default("tag").describe("Action for unsafe members"),
    tag: z.string().trim().min(1).max(100).default("mailverdict-unsafe").describe("Tag of unsafe members"),
  }),
})

/** A private key (developers.klaviyo.com, "Authenticate API requests"). */
const Klaviyo = z.object({
  provider: z.literal(PLACEHOLDERS.tool_b).describe("The service to connect"),
  credentials: z.strictObject({
    api_key: token().describe(
      "Private API key: Klaviyo, Settings, API keys. Scopes: lists:read, profiles:read, profiles:write, subscriptions:write",
    ),
  }),
  settings: z.strictObject({
    list_id: listId,
    action: z
      .enum(["properties", "suppress"])
      .default("properties")
      .describe("Profiles get properties. `suppress` also suppresses the unsafe profiles"),
    status_property: PropertyName.default("mailverdict_status").describe("Field that gets the status"),
    score_property: PropertyName.default("mailverdict_score").describe("Field that gets the score"),
  }),
})

/** An incoming webhook, or a bot token with chat:write (api.slack.com). */
const Slack = z.object({
  provider: z.literal(PLACEHOLDERS.tool_c).describe("The service to connect"),
  credentials: z
    .strictObject({
      webhook_url: z
        .url()
        .max(500)
        .optional()
        .describe("URL of an incoming webhook: api.slack.com, your app, Incoming Webhooks"),
      bot_token: token()
        .optional()
        .describe("Bot token (xoxb-…): api.slack.com, your app, OAuth & Permissions. Scope: chat:write"),
    })
    .refine(({ webhook_url, bot_token }) => (webhook_url === undefined) !== (bot_token === undefined), {
      message: "needs either a webhook_url or a bot_token",
    }),
  settings: z
    .strictObject({
      channel: z
        .string()
        .regex(/^[#@]?[\p{L}\p{N}_.-]{1,80}$/u, "is not a channel")
        .optional()
        .describe("Default channel of the bot when the call names none"),
    })
    .prefault({}),
})

/** A catch hook of "Webhooks by Zapier". Its URL is the secret. */
const Zapier = z.object({
  provider: z.literal(PLACEHOLDERS.tool_d).describe("The service to connect"),
  credentials: z.strictObject({
    hook_url: z
      .url()
      .max(500)
      .describe('URL of a Zap\'s trigger "Webhooks by Zapier, Catch Hook". The URL is the secret'),
  }),
  settings: z.strictObject({}).prefault({}),
})

/** A provider with its credentials and settings, as accounts send it and as it is stored encrypted. */
export const Connection = z.discriminatedUnion("provider", [Hubspot, Salesforce, Mailchimp, Klaviyo, Slack, Zapier])
export type Connection = z.infer<typeof Connection>

export type ConnectionOf<P extends Connection["provider"]> = Extract<Connection, { provider: P }>
export type SyncConnection = ConnectionOf<SyncProvider>
export type SendConnection = ConnectionOf<SendProvider>
