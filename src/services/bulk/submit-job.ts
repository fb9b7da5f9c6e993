import type { Member } from "../../domain/accounts/caller.ts"
import { ListReader } from "../../domain/bulk/read-list.ts"
import { SAMPLE_OF_ANY } from "../../domain/bulk/sample-plan.ts"
import { AppError } from "../../errors.ts"
import { type ReceiveNeeds, type Receiving, receiveJob } from "./receive-job.ts"
import { type SampleNeeds, type SampleProjection, sampleList } from "./sample-list.ts"
import { type Room, roomOf, type StartNeeds, startReceived, tooManyLines } from "./start-received.ts"

type Needs = ReceiveNeeds & StartNeeds & SampleNeeds

interface SubmitOptions {
  readonly smtp: boolean
  readonly deduplicate: boolean
  readonly webhookUrl: string | null
  readonly sample: boolean
}

export interface SubmitInput {
  readonly caller: Member
  readonly body: AsyncIterable<Uint8Array>
  readonly maxBytes: number
  /** Checks the fields beside the list. @throws AppError invalid */
  readonly readOptions: (fields: Readonly<Record<string, unknown>>) => SubmitOptions | Promise<SubmitOptions>
}

export type Submission =
  | { readonly kind: "job"; readonly jobId: string; readonly total: number; readonly createdAt: number }
  | { readonly kind: "sample"; readonly projection: SampleProjection }

/**
 * Takes a list of any length from a body as it arrives, and makes a job of it: rows first, credits for the whole of it,
 * then the work. All or nothing: a body that turns out malformed, or too little credit, leaves nothing behind. Who may not
 * call now, or has nothing left, makes the database write nothing.
 */
export async function submitJob(needs: Needs, input: SubmitInput): Promise<Submission> {
  const { accountId } = input.caller
  await needs.meter.admit()
  const room = await roomOf(needs, input.caller)
  if (room.addresses < 1) throw room.refusal()
  const receiving = await receiveJob(needs, { accountId, kind: "async", parentId: null })
  try {
    const options = await readBody(receiving, { ...input, room })
    const total = await receiving.close(options.deduplicate)
    if (options.sample) {
      const projection = await sampleList(needs, { jobId: receiving.jobId, total, smtp: options.smtp })
      await receiving.discard()
      return { kind: "sample", projection }
    }
    await startReceived(needs, receiving, { total, options })
    const { jobId, createdAt } = receiving
    return { kind: "job", jobId, total, createdAt }
  } catch (error) {
    await receiving.discard()
    throw error
  }
}

async function readBody(
  receiving: Receiving,
  { body, maxBytes, readOptions, room }: SubmitInput & { room: Room },
): Promise<SubmitOptions> {
  const reader = new ListReader("emails")
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })
  let [bytes, lines] = [0, 0]
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > maxBytes) throw new AppError("payload_too_large", `the request body may have at most ${maxBytes} bytes`)
    const emails = reader.push(decode(decoder, piece))
    const isSample = reader.option("sample") === true
    lines += emails.length
    // Nothing is kept of a sample's list.
    if (!isSample || room.addresses < SAMPLE_OF_ANY) {
      if (lines > room.lines) throw tooManyLines(room)
      await room.keep(piece.length, emails.length)
    }
    await receiving.add(emails)
    if (reader.failed) break
    if (receiving.payable() > room.addresses && !isSample) throw room.refusal()
  }
  const read = reader.end()
  if (!read.ok) throw new AppError("invalid", "invalid request", { fields: [read.problem] })
  return readOptions(read.options)
}

function decode(decoder: Pick<InstanceType<typeof TextDecoder>, "decode">, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true })
  } catch {
    const fields = [{ loc: ["body"], msg: "the body is not well-formed UTF-8", type: "json_invalid" }]
    throw new AppError("invalid", "malformed body", { fields })
  }
}
