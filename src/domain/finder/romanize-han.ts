import { transliterate } from "transliteration"
import { readSpellings, replacer } from "./spelling-tables.ts"

/** Common family names, because kanji do not show their reading. Other kanji are read as Chinese. */
const JAPANESE_FAMILY_NAMES = readSpellings(`
佐藤: sato satoh
鈴木: suzuki
高橋: takahashi
田中: tanaka
渡辺 渡邊 渡邉: watanabe
伊藤 伊東: ito itoh
山本: yamamoto
中村: nakamura
小林: kobayashi
加藤: kato katoh
吉田: yoshida
山田: yamada
佐々木: sasaki
山口: yamaguchi
松本: matsumoto
井上: inoue
木村: kimura
林: hayashi
斎藤 斉藤 齋藤: saito saitoh
清水: shimizu
山崎: yamazaki
森: mori
池田: ikeda
橋本: hashimoto
阿部 安部: abe
石川: ishikawa
山下: yamashita
中島: nakajima nakashima
石井: ishii
小川: ogawa
前田: maeda
岡田: okada
長谷川: hasegawa
藤田: fujita
後藤: goto
近藤: kondo
村上: murakami
遠藤: endo
青木: aoki
坂本: sakamoto
福田: fukuda
太田: ota ohta
西村: nishimura
藤井: fujii
金子: kaneko
岡本: okamoto
藤原: fujiwara
中野: nakano
三浦: miura
原田: harada
松田: matsuda
竹内: takeuchi
小野: ono
中山: nakayama
石田: ishida
上田: ueda
森田: morita
柴田: shibata
酒井: sakai
宮崎: miyazaki
大野: ono ohno
菅原: sugawara
宮本: miyamoto
工藤: kudo
内田: uchida
高木: takagi
安藤: ando
谷口: taniguchi
丸山: maruyama
今井: imai
河野: kono
藤本: fujimoto
村田: murata
武田: takeda
上野: ueno
増田: masuda
杉山: sugiyama
千葉: chiba
小島: kojima
野口: noguchi
新井: arai
`)

const JAPANESE_GIVEN_NAMES = readSpellings(`
太郎: taro
次郎 二郎: jiro
一郎: ichiro
健太: kenta
健: ken takeshi
翔太: shota
翔: sho
大輔: daisuke
拓也: takuya
直樹: naoki
達也: tatsuya
健一: kenichi
浩: hiroshi
博: hiroshi
隆: takashi
誠: makoto
学: manabu
明: akira
豊: yutaka
和也: kazuya
哲也: tetsuya
雄太: yuta
悠斗: yuto
陽翔: haruto
大翔: hiroto
蓮: ren
湊: minato
花子: hanako
陽子 洋子: yoko
恵子 慶子: keiko
美咲: misaki
愛: ai
葵: aoi
結衣: yui
陽菜: hina
さくら 桜: sakura
由美子: yumiko
由美: yumi
真由美: mayumi
裕子 優子: yuko
智子: tomoko
直美: naomi
明美: akemi
久美子: kumiko
幸子: sachiko
和子: kazuko
京子: kyoko
麻衣: mai
彩: aya
恵: megumi
遥: haruka
凛: rin
翼: tsubasa
修: osamu
茂: shigeru
正: tadashi
進: susumu
剛: tsuyoshi
亮: ryo
涼: ryo
`)

/** Converts the library's Nihon-shiki romanization to Hepburn, which is usual in passports and addresses. */
const hepburn =
  replacer(`sya sha syu shu syo sho si shi tya cha tyu chu tyo cho ti chi tu tsu hu fu zya ja zyu ju zyo jo
  zi ji dya ja dyu ju dyo jo di ji du zu`)

/** Romanizes a word in kana, or a known Japanese name in kanji, to Hepburn. Null for any other word. */
export function romanizeJapanese(word: string, kind: "first" | "last"): string[] | null {
  const known = (kind === "last" ? JAPANESE_FAMILY_NAMES : JAPANESE_GIVEN_NAMES).get(word)
  if (known) return [...known]
  if (!/^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(word)) return null
  const exact = hepburn(
    spellKana(word)
      .toLowerCase()
      .replace(/[^a-z]/g, ""),
  )
  const usual = exact.replace(/ou|oo/g, "o").replace(/uu/g, "u")
  return [usual, exact]
}

/** Romanizes kana. A small ya, yu or yo replaces the vowel before it, which the library does not support. */
function spellKana(word: string): string {
  return [...word.matchAll(/(.)([ゃゅょャュョ])?/gu)]
    .map(([, kana = "", small]) => {
      const spelled = transliterate(kana)
      return small ? `${spelled.replace(/i$/, "")}${transliterate(small)}` : spelled
    })
    .join("")
}

/** Family names whose reading differs from the single character, and spellings of Hong Kong and Taiwan. */
const CHINESE_FAMILY_NAMES = readSpellings(`
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
  const customary = kind === "last" ? (CHINESE_FAMILY_NAMES.get(word) ?? []) : []
  const pinyin = transliterate(word).toLowerCase().replace(/ü/g, "v").trim().split(/\s+/)
  const joined = pinyin.join("").replace(/[^a-z]/g, "")
  const hyphenated = pinyin.length > 1 ? [pinyin.map((syllable) => syllable.replace(/[^a-z]/g, "")).join("-")] : []
  return [...customary, joined, ...hyphenated].filter((spelling) => spelling !== "")
}
