import { createWriteStream } from "node:fs"
import { open, realpath, rename, rm, stat } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { Terminal } from "./terminal.ts"

export type Pieces = AsyncGenerator<string | Uint8Array, void>

/** An unwritable file must fail before any credit is used. @throws a file error */
export async function checkWritable(path: string): Promise<void> {
  const { draft, file } = await placeOf(path)
  await (await open(draft, "a")).close()
  if (draft !== file) await rm(draft)
}

/**
 * Writes pieces as they arrive to stdout, or to a file. A file is complete or not there at all: the pieces go to a draft
 * beside it, which takes its place at the end.
 */
export async function writePieces(terminal: Terminal, pieces: Pieces, path: string | undefined): Promise<void> {
  if (path === undefined) return pipeline(pieces, terminal.stdout, { end: false })
  const { draft, file, mode } = await placeOf(path)
  try {
    await pipeline(pieces, createWriteStream(draft, { mode }))
    if (draft !== file) await rename(draft, file)
  } catch (error) {
    if (draft !== file) await rm(draft, { force: true })
    throw error
  }
}

interface Place {
  /** Where the pieces go first. A device or a pipe has no draft. */
  readonly draft: string
  readonly file: string
  readonly mode: number | undefined
}

/** A link stays a link: the file that it names is replaced. */
async function placeOf(path: string): Promise<Place> {
  const file = await realpath(path).catch(() => path)
  const old = await stat(file).catch(() => null)
  const draft = old && !old.isFile() ? file : `${file}.${process.pid}`
  return { draft, file, mode: old?.mode }
}
