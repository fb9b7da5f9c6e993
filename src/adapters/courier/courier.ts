/**
 * Carries webhooks in calls of their own. A receiver may take 15 s to say nothing; work behind a queue batch or a cron
 * run would hold up the next one as long, and with it everybody's jobs.
 */
export interface Courier {
  /** Begins the first attempt of an event and does not wait for it. */
  deliver(eventId: string): Promise<void>
  /** Begins with what is due and does not wait for it. */
  sweep(): Promise<void>
}
