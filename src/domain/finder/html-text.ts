const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  commat: "@",
  period: ".",
  lowbar: "_",
  hyphen: "-",
  plus: "+",
  shy: "",
  zwnj: "",
  ZeroWidthSpace: "",
}

/** Invisible characters, which sites insert between letters to hide an address from programs. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Decodes character references (HTML §13.5). Unknown ones stay unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,16}));?/g,
    (whole, decimal, hex, name: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ""
    },
  )
}

/**
 * Returns the visible text of a page, without scripts, styles, comments and hidden decoys. Inline tags are removed.
 * Every other tag becomes a line break. Character references are decoded.
 */
export function visibleText(html: string): string {
  const shown = html
    .replace(/<([^<>\s="']{1,64}@[^<>\s="']{1,190})>/g, " $1 ")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/<(script|style|noscript|template|svg)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, " ")
    .replace(/<(?:span|i|b|em)\b[^<>]{0,200}display\s*:\s*none[^<>]{0,200}>[^<]{0,200}<\/[a-z]{1,4}>/gi, "")
    .replace(/<\/?(?:a|abbr|b|bdi|bdo|em|font|i|mark|small|span|strong|sub|sup|u|wbr)\b[^<>]*>/gi, "")
    .replace(/<[a-z/!][^<>]*>/gi, "\n")
  return decodeEntities(shown).replace(INVISIBLE, "")
}
