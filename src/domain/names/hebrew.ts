import { transliterate } from "transliteration"
import { readSpellings } from "./spell-table.ts"

/** Common names, because Hebrew script omits vowels. */
const NAMES = readSpellings(`
דוד דויד: david
משה: moshe
יוסף: yosef joseph
אברהם: avraham abraham
יצחק: yitzhak itzhak isaac
יעקב: yaakov jacob yakov
דניאל: daniel
מיכאל: michael
יונתן: yonatan jonathan
אורי: uri ori
איתי: itay itai
עומר: omer
גיא: guy
רון: ron
עידו: ido
נועם: noam
אריאל: ariel
אלון: alon
אמיר: amir
אייל: eyal
יוסי: yossi
שלמה: shlomo
חיים: haim chaim
אליהו: eliyahu
בנימין: benjamin binyamin
שרה: sara sarah
רחל: rachel
לאה: leah lea
רבקה: rivka rebecca
מרים: miriam
נועה: noa
תמר: tamar
מאיה: maya
מיכל: michal
יעל: yael
שירה: shira
הילה: hila
רונית: ronit
אסתר: esther ester
חנה: hana hannah
ענת: anat
גלית: galit
כהן: cohen
לוי: levi levy
מזרחי: mizrahi mizrachi
פרץ: peretz
ביטון: biton bitton
אזולאי: azoulay azulay
פרידמן: friedman fridman
שפירא: shapira
גולדברג: goldberg
רוזנברג: rosenberg
גבאי: gabay
אוחיון: ohayon
חדד: hadad
דהן: dahan
אברג׳יל: abergel
קליין: klein
שוורץ: schwartz shwartz
בר: bar
בן: ben
מלכה: malka
עמר: amar
ברק: barak
גולן: golan
`)

/** Romanizes a word in Hebrew script. Unknown names lack their vowels. */
export function romanizeHebrew(word: string): string[] {
  const plain = word
    .normalize("NFC")
    .replace(/[\u0591-\u05c7]/g, "")
    .replace(/'/g, "׳")
  return [
    ...(NAMES.get(plain) ?? [
      transliterate(plain)
        .toLowerCase()
        .replace(/[^a-z]/g, ""),
    ]),
  ]
}
