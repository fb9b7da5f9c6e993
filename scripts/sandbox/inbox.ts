export interface InboxMessage {
  readonly receivedAt: string
  readonly from: string
  readonly to: readonly string[]
  /** The message as it came, headers and body. */
  readonly raw: string
}

const MESSAGES_KEPT = 100

/** The last messages delivered to the inbox host, oldest first. */
export class Inbox {
  #messages: InboxMessage[] = []

  add(message: InboxMessage): void {
    this.#messages = [...this.#messages, message].slice(-MESSAGES_KEPT)
  }

  /** Messages for one recipient, or all of them for null. */
  read(to: string | null): readonly InboxMessage[] {
    if (to === null) return this.#messages
    return this.#messages.filter((message) => message.to.some((one) => one.toLowerCase() === to.toLowerCase()))
  }

  clear(): void {
    this.#messages = []
  }
}
