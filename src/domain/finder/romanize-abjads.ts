import { transliterate } from "transliteration"
import { readSpellings } from "./spelling-tables.ts"

/** Common names, because Arabic script omits short vowels. Keys have no hamza, marks or article. */
const ARABIC_NAMES = readSpellings(`
محمد: mohamed mohammed muhammad mohammad
احمد: ahmed ahmad
محمود: mahmoud mahmood
مصطفي: mustafa mostafa
علي: ali
حسن: hassan hasan
حسين: hussein hussain hossein
عمر: omar umar
خالد: khaled khalid
يوسف: youssef yousef yusuf
ابراهيم: ibrahim ebrahim
عبدالله: abdullah abdallah
عبدالرحمن: abdulrahman abdelrahman
عبدالعزيز: abdulaziz abdelaziz
سعيد: saeed said
سالم: salem salim
سامي: sami samy
طارق: tarek tariq
ياسر: yasser yasir
كريم: karim kareem
رامي: rami ramy
زياد: ziad ziyad
بلال: bilal
حمزه: hamza
انس: anas
ماجد: majed majid
فهد: fahad fahd
سلطان: sultan
ناصر: nasser nasir
صالح: saleh salih
عادل: adel adil
جمال: gamal jamal
هشام: hisham hesham
وليد: waleed walid
نبيل: nabil nabeel
شريف: sherif sharif
ايمن: ayman aiman
اشرف: ashraf
رضا: reza rida
مهدي: mahdi mehdi
امير: amir ameer
فاطمه: fatima fatma fatemeh
عايشه عائشه: aisha aicha
مريم: mariam maryam
خديجه: khadija
زينب: zainab zeinab
زهراء زهرا: zahra zahraa
هاشم: hashem hashim
سارا ساره: sarah sara
نور: nour noor
ليلي: layla leila laila
هدي: huda hoda
مني: mona muna
امل: amal
هند: hind hend
رانيا: rania
سلمي: salma
دينا: dina
ياسمين: yasmin yasmine
رنا: rana
لينا: lina
نادي ناديه: nadia
سميره: samira
العربي عربي: larbi elarabi alarabi arabi
سيد: sayed sayyid
مصري: masri
حداد: haddad
خوري: khoury khouri
نجار: najjar naggar
شامي: shami
زهراني: zahrani
غامدي: ghamdi
قحطاني: qahtani
عتيبي: otaibi
حربي: harbi
دوسري: dosari dossary
شمري: shammari
منصور: mansour mansoor
عباس: abbas
عثمان: osman othman
سليمان: suleiman soliman sulaiman
حمدان: hamdan
خليل: khalil
قاسم: qasim kassem
فارس: fares faris
رشيد: rashid rachid
حميد: hamid
عزيز: aziz
كامل: kamel kamil
شعبان: shaaban
رمضان: ramadan
بن: ben bin
`)

/** Romanizes a word in Arabic script. Unknown names lack their short vowels. */
export function romanizeArabic(word: string): string[] {
  const plain = plainLetters(word)
  const bare = plain.replace(/^ال(?=..)/, "")
  const known = ARABIC_NAMES.get(plain)
  if (known) return [...known]
  const spelled = ARABIC_NAMES.get(bare) ?? [skeleton(bare)]
  if (bare === plain) return [...spelled]
  const articles = ["al", "el", "al-", "el-", ""]
  return articles.flatMap((article) => spelled.slice(0, 2).map((name) => article + name))
}

function plainLetters(word: string): string {
  return word
    .normalize("NFKC")
    .replace(/[\u0640\u064b-\u065f\u0670\u200c\u200d]/g, "")
    .replace(/[أإآٱ]/g, "ا")
    .replace(/ة/g, "ه")
    .replace(/[ىی]/g, "ي")
    .replace(/ک/g, "ك")
}

function skeleton(word: string): string {
  const letters = transliterate(word)
    .toLowerCase()
    .replace(/@/g, "a")
    .replace(/[^a-z]/g, "")
  return letters
    .replace(/aa+/g, "a")
    .replace(/^w(?=[^aeiou])/, "wa")
    .replace(/y$/, "i")
}

/** Common names, because Hebrew script omits vowels. */
const HEBREW_NAMES = readSpellings(`
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
    ...(HEBREW_NAMES.get(plain) ?? [
      transliterate(plain)
        .toLowerCase()
        .replace(/[^a-z]/g, ""),
    ]),
  ]
}
