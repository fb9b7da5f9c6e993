import { transliterate } from "transliteration"
import { readSpellings } from "./spell-table.ts"

/** Common names, because Arabic script omits short vowels. Keys have no hamza, marks or article. */
const NAMES = readSpellings(`
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
  const known = NAMES.get(plain)
  if (known) return [...known]
  const spelled = NAMES.get(bare) ?? [skeleton(bare)]
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
