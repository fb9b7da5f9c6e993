// The package's entry: all that a program imports from "mailverdict".
export type { Answer, CallOptions, ClientOptions, Input, Operation, TextOperation } from "./caller.ts"
export { type Client, createClient } from "./client.ts"
export { ConnectionError, type ErrorCode, type FieldProblem, MailverdictError, UnfinishedJobError } from "./errors.ts"
export type { CreatedKey, Key } from "./resources/account.ts"
export type { FallbackOptions, StoredVerdict, Verdict, VerifyOptions } from "./resources/addresses.ts"
export type {
  Job,
  ListProgress,
  Result,
  ResultOptions,
  SampledList,
  SubmittedList,
  UploadedList,
  UploadOptions,
  WaitOptions,
} from "./resources/lists.ts"
export type { SuppressionEntry } from "./resources/suppress.ts"
export type { WebhookDelivery, WebhookEndpoint } from "./resources/webhooks.ts"
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from "./resources/webhooks.ts"
