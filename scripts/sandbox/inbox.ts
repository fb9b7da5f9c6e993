export interface InboxMessage {
  readonly receivedAt: string
  readonly from: string
  readonly to: readonly string[]
  /** The unchanged message with headers and body. */
  readonly raw: string
}

const MAX_MESSAGES = 100

/** The latest messages to the inbox host, oldest first. */
export class Inbox {
  #messages: InboxMessage[] = []

  add(message: InboxMessage): void {
    this.#messages = [...this.#messages, message].slice(-MAX_MESSAGES)
  }

  /** Messages to one recipient; all messages for null. */
  read(to: string | null): readonly InboxMessage[] {
    if (to === null) return this.#messages
    return this.#messages.filter((message) => message.to.some((one) => one.toLowerCase() === to.toLowerCase()))
  }

  clear(): void {
    this.#messages = []
  }
}
