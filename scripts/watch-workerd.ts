import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"

/** Of the processes started since: the workerd that runs. Miniflare starts it, and another after a crash, and shows neither. */
export interface WorkerdWatch {
  current(): ChildProcess | undefined
  end(): void
}

/** Watches which processes are started from here on. */
export function watchWorkerd(): WorkerdWatch {
  const started: ChildProcess[] = []
  // Told before there is anything to know of it.
  const note = (message: unknown) => void started.push((message as { process: ChildProcess }).process)
  subscribe("child_process", note)
  return {
    current: () => started.findLast((child) => child.spawnargs?.[1] === "serve" && isAlive(child)),
    end: () => void unsubscribe("child_process", note),
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}
