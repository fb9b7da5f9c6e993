/**
 * Delivers webhooks in separate calls. A receiver may take 15 s without answering.
 * Inside a queue batch or a cron run that time would delay the next run and all jobs.
 */
export interface WebhookDispatcher {
  /** Starts the first attempt of an event without waiting for its result. */
  deliver(eventId: string): Promise<void>
  /** Starts due deliveries without waiting for their results. */
  sweep(): Promise<void>
}
