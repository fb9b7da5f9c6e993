import { transliterate } from "transliteration"
import { readSpellings } from "./spell-table.ts"

/** Family names whose reading differs from the single character, and spellings of Hong Kong and Taiwan. */
const FAMILY_NAMES = readSpellings(`
曾: zeng tseng
单 單: shan
解: xie
仇: qiu
查: zha
区 區: ou au
盖 蓋: ge
吕 呂: lu lyu lv
乐 樂: le yue
任: ren
华 華: hua
陈 陳: chen chan
黄 黃: huang wong
林: lin lam
李: li lee
张 張: zhang chang cheung
王: wang wong
吴 吳: wu ng
刘 劉: liu lau
杨 楊: yang yeung
赵 趙: zhao chao
周: zhou chou chow
徐: xu hsu
谢 謝: xie hsieh tse
许 許: xu hsu hui
郑 鄭: zheng cheng
蔡: cai tsai choi
郭: guo kuo kwok
朱: zhu chu
叶 葉: ye yeh yip
罗 羅: luo lo law
梁: liang leung
何: he ho
马 馬: ma
胡: hu wu
高: gao kao
`)

/** Romanizes a word in Chinese characters to pinyin without tones, joined or with hyphens. */
export function romanizeChinese(word: string, kind: "first" | "last"): string[] {
  const customary = kind === "last" ? (FAMILY_NAMES.get(word) ?? []) : []
  const pinyin = transliterate(word).toLowerCase().replace(/ü/g, "v").trim().split(/\s+/)
  const joined = pinyin.join("").replace(/[^a-z]/g, "")
  const hyphenated = pinyin.length > 1 ? [pinyin.map((syllable) => syllable.replace(/[^a-z]/g, "")).join("-")] : []
  return [...customary, joined, ...hyphenated].filter((spelling) => spelling !== "")
}
