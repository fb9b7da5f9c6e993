/** `detail` of an error of the API. */
export type Detail = string | readonly { readonly loc: readonly (string | number)[]; readonly msg: string }[]

interface Refusal {
  readonly status: number
  readonly detail: Detail
  /** Whether the caller sent a key or a session. */
  readonly hasCredentials: boolean
}

const CORRECT = "Correct the arguments and call the tool again."
const LATER = "Call the tool again later."

/** What a model can do about a status. */
const ADVICE: Readonly<Record<number, string>> = {
  400: CORRECT,
  401: "Ask the user to replace the API key in the settings of this MCP server.",
  402: "Do not repeat this call; tell the user.",
  403: "Do not call again; the user can change what the key may do on the console's page of API keys.",
  404: CORRECT,
  409: LATER,
  413: "Send fewer addresses in one call.",
  422: CORRECT,
  429: "Do not call again before then.",
  503: LATER,
}

const NO_KEY =
  "This tool needs an API key. Ask the user to add the header Authorization: Bearer mv_live_… in the settings of this MCP server; a key comes from the console's page of API keys."

/** An error of the API for a model: the reason, then what to do. */
export function refusalText({ status, detail, hasCredentials }: Refusal): string {
  if (status === 401 && !hasCredentials) return NO_KEY
  const reason = typeof detail === "string" ? detail : detail.map(({ loc, msg }) => `${placeOf(loc)}${msg}`).join("; ")
  return `Error ${status}: ${reason.replace(/\.$/, "")}. ${ADVICE[status] ?? "Tell the user."}`
}

/** "emails.3: ". The first step says only where the API read it: the query or the body. */
function placeOf([, ...steps]: readonly (string | number)[]): string {
  return steps.length > 0 ? `${steps.join(".")}: ` : ""
}
