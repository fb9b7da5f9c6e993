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

/** Characters that are not seen, put between letters to hide an address from programs. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

/** Character references as what they stand for (HTML §13.5); those that stand for nothing stay as they are. */
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
 * What a reader sees of a page: no scripts, styles, comments and hidden decoys; a space for every tag that breaks a
 * line and nothing for those inside a word. Text without tags comes out as it is, with its references decoded.
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
