import { styleText } from "node:util"

export type Color = Parameters<typeof styleText>[0]

/** Color only on a terminal, and never when NO_COLOR is set (https://no-color.org). */
export function wantsColor(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== "dumb"
}

export function paint(text: string, color: Color, colored: boolean): string {
  return colored ? styleText(color, text, { validateStream: false }) : text
}
