import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

type Method = (argument: never) => Promise<unknown>
interface Call {
  readonly id: number
  readonly method: string
  readonly argument: unknown
}
type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly error: string })

/** A Node process of the suite, so that neither the load nor the measurement shares a thread with the tests. */
export class CalledProcess<Methods> {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, (reply: Reply) => void>()
  #calls = 0

  /** @param file in this folder; it calls `serve` */
  constructor(file: string) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
      execArgv: [],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    })
    this.#child.on("message", (reply: Reply) => this.#settle(reply))
    this.#child.once("exit", (code) => {
      for (const id of [...this.#pending.keys()]) this.#settle({ id, error: `${file} ended with ${code}` })
    })
  }

  /** Runs a method in the process. @throws Error with the message of its error */
  async call<Name extends keyof Methods & string>(
    method: Name,
    argument: Methods[Name] extends (argument: infer A) => unknown ? A : never,
  ): Promise<Methods[Name] extends (argument: never) => Promise<infer R> ? R : never> {
    const id = this.#calls++
    const replied = new Promise<Reply>((resolve) => this.#pending.set(id, resolve))
    const call: Call = { id, method, argument }
    this.#child.send(call, (error) => {
      if (error) this.#settle({ id, error: error.message })
    })
    const reply = await replied
    if ("error" in reply) throw new Error(reply.error)
    return reply.value as never
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGKILL")
    await ended
  }

  #settle(reply: Reply): void {
    this.#pending.get(reply.id)?.(reply)
    this.#pending.delete(reply.id)
  }
}

/** Answers the calls of the suite. The process ends with the suite. */
export function serve(methods: Readonly<Record<string, Method>>): void {
  process.once("disconnect", () => process.exit())
  process.on("message", async ({ id, method, argument }: Call) => {
    const reply: Reply = await methods[method]!(argument as never).then(
      (value) => ({ id, value }),
      (error: Error) => ({ id, error: error.stack ?? error.message }),
    )
    process.send!(reply)
  })
}
