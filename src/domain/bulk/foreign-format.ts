interface Format {
  /** With its article, as in "this is a vCard file". */
  readonly name: string
  readonly sign: RegExp
}

const FORMATS: readonly Format[] = [
  { name: "a PDF document", sign: /^%PDF-/ },
  { name: "an RTF document", sign: /^\{\\rtf/ },
  {
    name: "a web page (HTML), as some programs write .xls files",
    sign: /^(?:<!--[^>]*-->\s*)?<(?:!doctype\s+html|html|head|body|table|meta|style)\b/i,
  },
  { name: "an XML document, as some programs write .xls files", sign: /^<(?:\?xml|\?mso|[a-z][\w.:-]*[\s>])/i },
  { name: "a vCard file (.vcf)", sign: /^BEGIN:VCARD\b/i },
  { name: "a calendar (.ics)", sign: /^BEGIN:VCALENDAR\b/i },
  { name: "an LDIF file", sign: /^dn::?\s/i },
  { name: "JSON", sign: /^[[{]\s*(?:["[{\]}]|-?\d)/ },
  { name: "YAML", sign: /^(?:---\s|[\w-]+:\r?\n *- )/ },
  { name: "a SYLK file", sign: /^ID;P/ },
  {
    name: "a mail or a mailbox",
    sign: /^(?:From [^\s@]+@[^\s@]+ [A-Z][a-z]{2} |(?:From|To|Cc|Date|Subject|Return-Path|Received|Delivered-To|MIME-Version|Message-ID|X-[\w-]+): [^\n]*\n(?:[\w-]+:|[ \t]))/i,
  },
  {
    name: "a script of SQL statements",
    sign: /^(?:INSERT\s+INTO|CREATE\s+TABLE|DROP\s+TABLE|BEGIN\s+TRANSACTION|SET\s+\w+\s*=|COPY\s[\w."]+|\/\*!\d)/i,
  },
  { name: "an archive or a compressed file", sign: /^(?:\u001f\ufffd|\u001f‹|Rar!|7z\u00bc|BZh\d)/ },
]
/** Characters to inspect. */
const SAMPLE = 4_096
/** Control characters that no text has, beside the odd one. */
const CONTROL = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f]/g

/**
 * Names the format of a text that is no table and no list, as the subject of an error. Such a file would otherwise give
 * a job of malformed addresses. Null for a table.
 */
export function foreignFormat(text: string): string | null {
  const start = withoutComments(text.slice(0, SAMPLE)).trimStart()
  const format = FORMATS.find(({ sign }) => sign.test(start))
  if (format) return format.name
  const controls = start.match(CONTROL)?.length ?? 0
  return controls > 8 && controls * 20 > start.length ? "no text and no Excel workbook (.xlsx)" : null
}

/** The text without the comments of SQL and LDIF, and the version of LDIF, at its begin. */
function withoutComments(text: string): string {
  const lines = text.split("\n")
  const first = lines.findIndex((line) => !/^(?:--|#|version:\s*\d|\s*$)/.test(line))
  return lines.slice(Math.max(0, first)).join("\n")
}
