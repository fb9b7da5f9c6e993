import type { AppError } from "../../errors.ts"
import { unreadable } from "./read-limits.ts"
import type { Archive } from "./unpack.ts"

/** The first bytes of a compound file (MS-CFB 2.2): Excel 97, and encrypted workbooks. */
export const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0]

/** Streams that name the format of a compound file, the most telling first. */
const STREAMS: readonly (readonly [stream: string, problem: string])[] = [
  ["EncryptedPackage", "this workbook is protected by a password; remove the password, or save the list as CSV"],
  ["Workbook", "this is an Excel 97 file (.xls); save it as .xlsx or CSV"],
  ["Book", "this is an Excel 97 file (.xls); save it as .xlsx or CSV"],
  ["WordDocument", "this is a Word 97 document (.doc); save the list as .xlsx or CSV"],
  ["__properties_version1.0", "this is an Outlook message (.msg); save the list as .xlsx or CSV"],
]
/** Bytes of an entry of the directory, which starts at a multiple of it. The name takes 64 bytes in UTF-16. */
const ENTRY = { bytes: 128, nameLengthAt: 64 } as const

/** Names the format of a compound file by its streams, wherever its directory is. */
export function compoundFileProblem(bytes: Uint8Array): AppError {
  const streams = new Set<string>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const longest = Math.max(...STREAMS.map(([stream]) => stream.length))
  for (let at = 0; at + ENTRY.bytes <= bytes.length; at += ENTRY.bytes) {
    // The length is in bytes and includes a NUL.
    const length = view.getUint16(at + ENTRY.nameLengthAt, true) / 2 - 1
    if (!Number.isInteger(length) || length < 1 || length > longest) continue
    const codes = Array.from({ length }, (_, index) => view.getUint16(at + index * 2, true))
    streams.add(String.fromCharCode(...codes))
  }
  const [, problem = "this is an Excel 97 file (.xls); save it as .xlsx or CSV"] =
    STREAMS.find(([stream]) => streams.has(stream)) ?? []
  return unreadable(problem)
}

/** Parts that name the format of an archive that is not an Excel workbook in XML. */
const PARTS: readonly (readonly [part: string, problem: string])[] = [
  ["/content.xml", "this is an OpenDocument file (.ods); save it as .xlsx or CSV"],
  ["/index/document.iwa", "this is an Apple Numbers file (.numbers); export it as .xlsx or CSV"],
  ["/xl/workbook.bin", "this is a binary Excel workbook (.xlsb); save it as .xlsx or CSV"],
  ["/word/document.xml", "this is a Word document (.docx); save the list as .xlsx or CSV"],
  ["/ppt/presentation.xml", "this is a PowerPoint file (.pptx); save the list as .xlsx or CSV"],
]

/** Names the format of an archive without a readable workbook. @param main the name of its main part */
export function archiveProblem(archive: Archive, main: string | null): AppError {
  if (main?.endsWith(".bin")) return unreadable("this is a binary Excel workbook (.xlsb); save it as .xlsx or CSV")
  const [, problem = "this ZIP archive is not an Excel workbook (.xlsx); upload the list in it"] =
    PARTS.find(([part]) => archive.has(part)) ?? []
  return unreadable(problem)
}
