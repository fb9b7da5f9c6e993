import { type Command, Option } from "commander"
import type { WebhookDelivery, WebhookEndpoint } from "../resources/webhooks.ts"
import { type Cli, printFacts, printTable } from "./cli.ts"
import { commaSeparated, firstOf, limitOption, wholeNumber } from "./flags.ts"
import { listen } from "./listen.ts"
import { type Cell, inWords, moment, type Style } from "./terminal.ts"

type EventName = WebhookEndpoint["events"][number]

const EVENTS: readonly EventName[] = [
  "job.partial",
  "job.completed",
  "job.failed",
  "verification.completed",
  "usage.threshold",
]
const STATES = ["pending", "delivered", "failed", "disabled"] as const

const eventsOption = () =>
  new Option("--events <events>", "the events, with commas")
    .argParser(commaSeparated(EVENTS))
    .default(EVENTS, "all events")

interface DeliveryOptions {
  readonly endpointId?: string
  readonly state?: WebhookDelivery["state"]
  readonly limit: number
}

export function addWebhookCommands(program: Command, cli: Cli): void {
  const webhooks = program
    .command("webhooks")
    .description("manage receivers of events, and forward events to your machine")
  webhooks
    .command("list")
    .description("show the account's endpoints with their state")
    .action(async () => {
      const none = "No endpoints yet. To add one: mailverdict webhooks add <url>"
      printTable(cli, await cli.client().webhooks.list(), { columns: ENDPOINTS, none })
    })
  webhooks
    .command("add <url>")
    .description("add an endpoint, which gets the chosen events from now on")
    .addOption(eventsOption())
    .option("--description <text>", "a note of your own")
    .action(async (url: string, { events, description }: { events: EventName[]; description?: string }) => {
      const endpoint = await cli.client().webhooks.add({ url, events, description: description ?? null })
      printFacts(cli, endpoint, [
        ["endpoint", endpoint.endpoint_id],
        ["url", endpoint.url],
        ["events", endpoint.events.join(", ")],
        ["to test it", `mailverdict webhooks test ${endpoint.endpoint_id}`],
      ])
    })
  webhooks
    .command("remove <endpoint-id>")
    .description("remove an endpoint; its waiting events are not sent anymore")
    .action(async (endpointId: string) => {
      printFacts(cli, await cli.client().webhooks.remove(endpointId), [
        ["endpoint", endpointId],
        ["state", ["removed", "grey"]],
      ])
    })
  webhooks
    .command("test <endpoint-id>")
    .description("send the event webhook.test to an endpoint")
    .action(async (endpointId: string) => {
      const sent = await cli.client().webhooks.test(endpointId)
      printFacts(cli, sent, [
        ["event", sent.event_id],
        ["outcome", `mailverdict webhooks deliveries --endpoint-id ${endpointId}`],
      ])
    })
  webhooks
    .command("deliveries")
    .description("show the deliveries of the last 30 days, newest first")
    .option("--endpoint-id <id>", "only those of this endpoint")
    .addOption(new Option("--state <state>", "only those in this state").choices(STATES))
    .addOption(limitOption())
    .action(async ({ endpointId, limit, ...filter }: DeliveryOptions) => {
      const all = cli.client().webhooks.deliveries({ ...filter, ...(endpointId ? { endpoint_id: endpointId } : {}) })
      printTable(cli, await firstOf(all, limit), { columns: DELIVERIES, none: "No deliveries." })
    })
  webhooks
    .command("redeliver <event-id>")
    .description("deliver an event again, from the first attempt on")
    .action(async (eventId: string) => {
      const queued = await cli.client().webhooks.redeliver(eventId)
      printFacts(cli, queued, [
        ["event", queued.event_id],
        ["state", [queued.state, "yellow"]],
      ])
    })
  webhooks
    .command("listen")
    .description("forward events to a program on your machine, until Ctrl+C")
    .requiredOption("--forward-to <url>", "where to POST each event, such as http://localhost:3000/hook")
    .addOption(eventsOption())
    .option("--secret <secret>", 'sign with this "whsec_…" secret; by default, one that is created once and stored')
    .addOption(
      new Option("--poll <seconds>", "seconds between requests").default(2).argParser(wholeNumber(1, 60, "seconds")),
    )
    .addHelpText("after", LISTEN_EXAMPLES)
    .action((options) => listen(cli, options))
}

const LISTEN_EXAMPLES = `
The service cannot reach your machine, so this command reads the events and signs them again. Check signatures with the
secret that it prints, not with the account's.

Examples:
  $ mailverdict webhooks listen --forward-to http://localhost:3000/hook
  $ mailverdict webhooks test <endpoint-id>      # in another terminal: sends an event`

const ENDPOINT_STYLES: Readonly<Record<WebhookEndpoint["state"], Style>> = {
  active: "green",
  failing: "yellow",
  paused: "grey",
  disabled: "red",
}

const ENDPOINTS: Readonly<Record<string, (endpoint: WebhookEndpoint) => Cell>> = {
  "ENDPOINT ID": ({ endpoint_id }) => endpoint_id,
  URL: ({ url }) => url,
  STATE: ({ state }) => [state, ENDPOINT_STYLES[state]],
  "LAST ATTEMPT": ({ last_attempt_at, last_outcome, last_http_status }) =>
    last_attempt_at ? `${moment(last_attempt_at)} ${outcomeOf(last_outcome, last_http_status)}` : ["none", "grey"],
  EVENTS: ({ events }) => events.join(","),
}

const outcomeOf = (outcome: WebhookEndpoint["last_outcome"], status: number | null) =>
  [outcome && inWords(outcome), status].filter((part) => part !== null).join(" ")

const DELIVERY_STYLES: Readonly<Record<WebhookDelivery["state"], Style>> = {
  pending: "yellow",
  delivered: "green",
  failed: "red",
  disabled: "grey",
}

const DELIVERIES: Readonly<Record<string, (delivery: WebhookDelivery) => Cell>> = {
  "EVENT ID": ({ event_id }) => event_id,
  TYPE: ({ type }) => type,
  STATE: ({ state }) => [state, DELIVERY_STYLES[state]],
  "LAST ATTEMPT": ({ attempts }) => {
    const last = attempts.at(-1)
    return last ? outcomeOf(last.outcome, last.http_status) : ["none", "grey"]
  },
  CREATED: ({ created_at }) => moment(created_at),
  URL: ({ url }) => url,
}
