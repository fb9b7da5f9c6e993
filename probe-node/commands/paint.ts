import { styleText } from "node:util"

export type Colour = Parameters<typeof styleText>[0]

/** Colours are for a terminal, and not for who says NO_COLOR (https://no-color.org). */
export function wantsColour(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb"
}

export function paint(text: string, colour: Colour, coloured: boolean): string {
  return coloured ? styleText(colour, text, { validateStream: false }) : text
}
