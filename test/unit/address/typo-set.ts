/** Real typos of domains by intended domain. Each group names its source. */
export interface TypoGroup {
  readonly source: string
  /** Lines of "meant: typed typed ...". */
  readonly lines: string
}

export const TYPO_GROUPS: readonly TypoGroup[] = [
  {
    source: "Instagram for Android, its list of misspellings (from its own sign-ups)",
    lines: `
hotmail.com: hotmil.com hotmai.com homail.com hitmail.com hotmail.co hotmal.com hormail.com hotnail.com hotmail.con hotmsil.com hotmaill.com hotmail.cim hoymail.com hotmaol.com hotmaik.com htmail.com hotmaul.com hotmail.comm hotamail.com hotmeil.com hotail.com gotmail.com jotmail.com hatmail.com hptmail.com hotmaii.com hotmail.cm hotmail.clm hotmail.come hotmail.cpm hotmaiil.com hotmail.comi hotmaim.com hotmaio.com hotmail.om hotmail.col hotmail.como hotmmail.com hotmail.coml hotmailm.com hottmail.com hotimail.com hootmail.com otmail.com hotmail.coma hotmall.com botmail.com hotmail.comp hotmail.comu hotmail.cok hogmail.com hotmaip.com hotmail.com.com hotmial.com hotamil.com hotmail.comcom hotmali.com hotma.com hotmel.com hotmile.com
gmail.com: gmai.com gmail.co gmail.con gmil.com gmal.com gmail.cim gmsil.com gmaill.com gamail.com hmail.com gemail.com gimail.com gmail.comm g-mail.com g.mail.com tmail.com gmaik.com gail.com gmaol.com gmaul.com fmail.com gmail.come jmail.com gmail.cm gmail.clm gmail.cpm gmeil.com gmail.om gmail.col gmall.com gmail.comi gmaiil.com gmail.coml gmaim.com gmail.como gnail.com gmail.com.com gamil.com gmail.net gmial.com gmail.comcom gmali.com
yahoo.com: yahoo.co yaho.com yahoo.con yhoo.com yahho.com yahooo.com tahoo.com uahoo.com yahoo.comm yaoo.com yahoo.cim yahoo.cm yahoo.come yahoi.com yahool.com yohoo.com yahoo.cpm yahop.com yahoo.om yahhoo.com yahoo.clm yajoo.com yaboo.com yahio.com ahoo.com yahpo.com yahoo.comi yagoo.com yahoom.com yahoo.cok yahol.com yahoo.coom yahoo.com.com yhaoo.com yahoo.comcom
aol.com: aol.con
hotmail.co.uk: hotmail.co.ul homail.co.uk hitmail.co.uk hotmail.co.ik hotnail.co.uk hotmail.co.uj hotmai.co.uk hormail.co.uk hotmail.com.uk
live.com: live.con
mail.ru: mail.ri mail.ry maul.ru mail.tu
hotmail.fr: hotmail.fe hotmai.fr hotmail.ft homail.fr hormail.fr hotmail.dr hotmail.ff
msn.com: msm.com msn.con
comcast.net: comast.net concast.net comcast.ne comcast.met comcat.net comcast.ney comcast.ner comcas.net`,
  },
  {
    source: "fnando/email_typo and charliepark/fat_fingers, their tests",
    lines: `
gmail.com: gmaal.com gmaii.com gmailc.om gmila.com gmail.ocm gmai.cmo gmal.cmo gmil.cmo gmali.cmo gmaill.cmo gamil.cmo gmai.cm gmal.cm
googlemail.com: gogglemail.com gogolemail.com googlemail.co goooglemail.com googleamil.com googlemaal.com googlemai.com googlemaii.com googlemailc.om googlemaill.com googlemal.com googlemali.com googlemial.com googlemil.com googlemila.com googlenail.com goooglemail.net
yahoo.com: yhao.com yhooo.com yaooo.com yahooc.om yaho.cm yahooo.cm yhao.cm yaho.om yahooo.om
hotmail.com: htomali.com homtail.com
aol.com: aol.cm aol.co aol.net
example.com: example,com example..com example.c0m example.clom example.cmo example.coim example.cok example.colm example.comj example.comm example.comn example.con example.conm example.coom example.copm example.cpm example.ocm example.vom example.xom example.fom example.ckm examplec.om examplecom example.com.com
example.net: example.nt example.nte example.nett examplenet
example.org: example.or example.og example.ogr example.orgg exampleorg
example.co.jp: example.cojp
verizon.net: veizon.net verion.net verzon.net
icloud.com: icoud.com icloud.co icloud.net
outlook.com: outloo.com outlook.co outlook.net
comcast.net: comacast.net comcastn.et comcastt.net cmcast.net
sbcglobal.net: sbcgloba.net`,
  },
  {
    source: "inputEx EmailField, list of bad domains",
    lines: `
gmail.com: _gmail.com g_mail.com ggmail.com gmain.com gmaio.com gtmail.com igmail.com gmail.fr
hotmail.com: 0hotmail.com 8hotmail.com _hotmail.com ahotmail.com ghotmail.com hhotmail.com ho0tmail.com hoimail.com hoitmail.com hopmail.com hoptmail.com hot.mail.com hot_mail.com hotemail.com hotlmail.com hotmaail.com hotmael.com hotmaial.com hotmail.acom hotmail.bom hotmail.ccom hotmail.coom hotmail.copm hotmail.lcom hotmail.ocm hotmail.xom hotmail2.com hotmail_.com hotmailc.com hotmailo.com hotmaiol.com hotmais.com hotmamil.com hotmayl.com hotmnail.com hotomail.com hotymail.com htomail.com ohotmail.com rotmail.com shotmail.com hotmain.com
hotmail.fr: hotmail.ffr hotmail.frr hhotmail.fr hotail.fr hotamil.fr hotmal.fr hotmial.fr hotmil.fr hotmsil.fr hotnail.fr hottmail.fr htmail.fr otmail.fr hotmaill.fr hotmmail.fr hptmail.fr
yahoo.co.in: yaho.co.in yahoo.co.n yahoo.coin yahoo.cos.in yahoo.oc.in yaoo.co.in yhoo.co.in
yahoo.com.br: ayhoo.com.br tahoo.com.br yagoo.com.br yahho.com.br yaho.com.br yahoo.cm.br yahoo.com.b yahoo.com.ber yahoo.com.brr yahoo.com.bt yahoo.com.nr yahoo.con.br yahoo.om.br yahool.com.br yahooo.com.br yaoo.com.br yhaoo.com.br yhoo.com.br
yahoo.com: _yahoo.com ayhoo.com eyahoo.com hahoo.com yahoo.vom yahoo0.com yahoo1.com yahoou.com yahoow.com yahopo.com yaloo.com yayoo.com
yahoo.fr: ayhoo.fr yahho.fr yaho.fr yahool.fr yahooo.fr yaoo.fr yhaoo.fr yhoo.fr yohoo.fr
wanadoo.fr: wanadoo.frr wanadoo.ffr wanado.fr wanadou.fr wanadop.fr wandoo.fr wanaoo.fr wannadoo.fr wananadoo.fr wanadoo.fe wanaddo.fr waqnadoo.fr wandaoo.fr wannado.fr
msn.com: mns.com msn.co`,
  },
  {
    source: "rockrepublik.net, repairs made in its member table; a Chilean retailer's e-mail campaign exclusions",
    lines: `
hotmail.com: hotmail.bom hortmail.com hotmail.cokm hotmailmail.com hotrmail.com h0tmail.com hotmail.net hotmail.c eotmail.com homtmail.com hotmasil.com hotmaoil.com hotmsail.com hjotmail.com hotmaiul.com h0otmail.com hotmaqil.com hoytmail.com hiotmail.com hohtmail.com hotmauil.com ohtmail.com hpotmail.com hotmail.coim hotmail.cam hotmaikl.com hltmail.com hotmakl.com hotmail.comk hot6mail.com hotmil.con hotmai.cok hotmalil.com hotma8l.com hotmailc.om hotmial.co homail.con
hotmail.es: hotmai.es homail.es hotamil.es hotmail.esz hotamail.es
yahoo.es: yaoo.es uahoo.es yaho.es yahoo.e
gmail.com: gmail.c gm8ail.com gmaoil.com gmaail.com gmasil.com gfmail.com mgail.com gmjail.com fgmail.com gmailo.com gmqil.com gmaikl.com gmail.ckm gmauil.com gmai9l.com gnmail.com gmailk.com gmail.cok gmail.ccom gmail.coom gmail.coma gmail.coms gmail.bom gmail.ciom gmail.vcom gmiil.com gymail.com gma8il.com ghmail.com gjmail.com gmawil.com gmwil.com gmakil.com gkmail.com gmaiul.com gmai.lcom gmail.fom gmial.con gmeil.co gamil.con gmail.es gmail.gmail.com
live.com: live.cm lvie.com live.vom live.ccom live.cim
icloud.com: iclud.com icloub.com icloud.om iclud.con
outlook.com: outloock.com outllok.com oulook.com outook.com outloook.com oitlook.com outlook.con outlokk.com utlook.com
yahoo.com: yqhoo.com yashoo.com yaqhoo.com yshoo.com yahoio.com yaho0.com yahoop.com yyahoo.com yabhoo.com yahpoo.com yahjoo.com hyahoo.com ytahoo.com uyahoo.com yahoo0.com yahoo.cmo yah0o.com yahgoo.com tyahoo.com yahuoo.com yaho0o.com yuahoo.com gyahoo.com yhahoo.com yaahoo.com
ymail.com: ymsil.com ymial.com`,
  },
  {
    source: "French shops' repair tables on GitHub (orange, free, sfr, laposte and others)",
    lines: `
orange.fr: orange.ft orange.f orange.fe orange.ff oragne.fr orange.frr orang.fr ornage.fr orange.fre
wanadoo.fr: wanadoo.f wanadoo.ft wanadooo.fr wanadoo.fre
free.fr: free.f free.ff free.fe free.ft free.frr
sfr.fr: sfr.f sfr.ft sfr.fe sfr.frr
laposte.net: laposte.ne laposte.nt laposte.fr
bbox.fr: bbox.fe bbox.ft
live.fr: live.ff live.fe live.ft
outlook.fr: outlook.fe outlook.ft outlook.ff outlok.fr outlook.f
yahoo.fr: yahoo.fe yahoo.ff yahoo.f yahoo.fre yahou.fr
numericable.fr: numericable.fe
proton.me: proton.con
protonmail.com: protonmail.con protonmai.com protnmail.com protonmal.com protonmail.co`,
  },
  {
    source: "British shops' and charities' repair tables on GitHub",
    lines: `
btinternet.com: btinterent.com btinternt.com btintenet.com btineternet.com btinterenet.com btinternet.cm byinternet.com brinternet.com btinternet.con btinternet.co
sky.com: sky.cm syk.com
talktalk.net: talktlak.net talktalk.nt talktlk.net talktalkk.net
virginmedia.com: virginemdia.com virginmdia.com virginmedia.cm virgimedia.com
hotmail.co.uk: hotmail.co.k hotmail.couk hptmail.co.uk hotmsil.co.uk
yahoo.co.uk: yahoo.co.k yahooco.uk yahoo.ci.uk yahoo.com.uk yshoo.co.uk tahoo.co.uk ayhoo.co.uk yahoo.cp.uk yaho.co.uk yahoo.couk
icloud.com: iclod.com icould.com iclould.com icluod.com iclound.com iclooud.com icloud.con icloude.com iclou.com icloud.comm
aol.com: aoll.com aol.om
outlook.com: otlook.com outlool.com outllook.com outloko.com outook.con outluk.com outlookk.com
gmail.com: gmail.vom gmail.xom gmail.cmo gmail.cpom gmail.copm gmail.comn gmail.coam gmailgmail.com gmail.co.com gmail.om
me.com: me.con
mac.com: mac.con`,
  },
  {
    source: "American sign-up forms' repair tables on GitHub",
    lines: `
comcast.net: comcast.nt comcast.ent comcst.net comcast.bet comcasr.net comcats.net
sbcglobal.net: sbcgloble.net sbcglobal.ne sbcglobl.net sbcglobal.ent sbcgobal.net sbcglobal.com
att.net: att.ne att.nt attt.net att.ent
bellsouth.net: bellsouth.nnet bellsoth.net bellsouth.ent belsouth.net
verizon.net: verizon.et verizon.ent verizion.net verixon.net
charter.net: charter.ent
cox.net: cox.ent
earthlink.net: earthlink.ent earthlnk.net eathlink.net
rediffmail.com: redifmail.com rediffmai.com rediffmail.con
gmail.com: gmaiil.co gmaild.com gmai.in gmail.org gmai.net gmail.in gmail.cloud
yahoo.com: yahoo.comcom yahoo.ccom yahoo.c0m yahoo.vom yahoo.cpom yahooyahoo.com yaaho.com yahoomail.com yahoo.org yahoo.cmo
msn.com: msn.cm msn.om msn.cmo
aol.com: aol.cmo aol.comm aol.vom`,
  },
  {
    source: "German, Italian, Brazilian, Polish and other forms: own collection after the keyboards in use there",
    lines: `
gmx.de: gmx.ed gmx.dee gmxx.de gmx.d
web.de: web.ed web.dee web.d
t-online.de: t-onlien.de t-onlin.de t-onlne.de t-online.ed tonline.de t.online.de
freenet.de: freent.de freenet.ed frenet.de
libero.it: libero.ti libreo.it libro.it libeo.it liibero.it
virgilio.it: virgillio.it virgilo.it virglio.it
uol.com.br: uol.com.bt uol.com.b uol.com.brr uol.cm.br
bol.com.br: bol.com.brr bol.con.br
terra.com.br: terra.com.bt terra.cm.br tera.com.br
hotmail.com: hitmail.con hotmaïl.com
gmail.com: gmaïl.com gмail.com gmail.xom gmail.ocm
interia.pl: interia.lp intreia.pl
seznam.cz: sezam.cz seznma.cz seznam.c
yandex.ru: yandx.ru yandex.tu yandec.ru yanex.ru
mail.ru: mail.r mail.tu
rambler.ru: ramler.ru rambler.r
telenet.be: telent.be telenet.b telnet.be
bluewin.ch: bluwin.ch bluewin.cj
ziggo.nl: zigo.nl ziggo.n
bigpond.com: bigpong.com bigpnd.com bigpond.con
naver.com: naver.con naver.cm navver.com
163.com: 163.con 163.cim
qq.com: qq.con qq.cim qq.vom
foxmail.com: foxmail.con foxmial.com
yahoo.co.jp: yahoo.co.jo yahoo.ne.jp yaho.co.jp yahoo.cojp`,
  },
]

/** Collected after the weights were set. No weight was tuned on these. */
export const UNSEEN_GROUPS: readonly TypoGroup[] = [
  {
    source: "Rio de Janeiro's data team (dbt macro), a Delphi mass mailer, an Indian sign-up form, a Russian shop",
    lines: `
gmail.com: gmaik.com gmaikl.com gmaiel.com gmaimail.com gmai8l.com gmai9l.com gmails.com gmaila.com gmailk.com gmailm.com gmailc.com gmailx.com gmailo.com gmailll.com gmailllll.com gmaill.coom gmaiil.commm gmail.gmail.com gmail.mail.com gmail.br gmaii.com gmail.comra
hotmail.com.br: hotmai.com.br hotemail.com.br hotmal.com.br hotmaill.com.br hotmaiil.com.br hotmail.comn.br hotmail.comi.br hotmail.cm.br hotmail.con.br hotmail.om.br hotmail.cim.br hotmail.cpm.br hotmail.copm.br hotmail.coom.br hotmail.ccom.br hotmail.coim.br hotmail.br hotmail.co.br
hotmail.com: hotmail.commm hotmail.commnmmm hotmail.comn hotmail.copm hotmaio.com hotmaiol.com hotmailk.com hotmailc.com hotmailc.om hotgmail.com hotgmai.com yhotmail.com jhotmail.com rhotmail.com ihotmail.com mjhotmail.com oohotmail.com hoemail.com hotemail.comk hotimel.com
outlook.com.br: outlok.com.br otlook.com.br outlook.co.br outlook.cm.br outlook.con.br outlook.om.br
outlook.com: otlook.com outlook.comm outlook.cm outlook.om outlook.comk
yahoo.com.br: yahoo.combr yahoocom.br yahool.com.br yaholl.com.br yahou.com.br yahoo.cpm.br yahoo.cim.br yahoo.cvom.br yahoo.comn.br yahoo.com.nr yahoo.com.br.br yahoo.co.br yahooa.com.br yahoot.com.br yahoo.br
yahoo.com: yaholl.com yahoul.com yahool.com.com yayyo.com yahooh.com yaroo.com
yahoo.de: yhaoo.de
bol.com.br: bol.br bol.cm.br bol.co.br bol.com.be bol.com.r bol.combr boll.com.br
zipmail.com.br: zipamil.com.br zipmil.com.br
ig.com.br: ig.com.brr
rediffmail.com: redffmail.com redifemail.com rediffemail.com rediffmaill.com redoffmail.com reaiffmail.com
mail.ru: mail.rt mail.rui maill.ru meil.ru
inbox.ru: indox.ru
yandex.ru: yndex.ru yande.ru`,
  },
]

/** Whole addresses with a broken shape: typed, intended. */
export const SHAPE_TYPOS: readonly (readonly [typed: string, meant: string])[] = [
  // fnando/email_typo
  ["jo hn@example.com", "john@example.com"],
  ["jo'hn@example.com,", "jo'hn@example.com"],
  ["john.@example.com", "john@example.com"],
  ["john@#example.com", "john@example.com"],
  ["john@.example.com", "john@example.com"],
  ["john@@example.com", "john@example.com"],
  ["john@example.co<", "john@example.co"],
  ['john@example.com"', "john@example.com"],
  ["john@example.com'", "john@example.com"],
  ["john@example.com\\", "john@example.com"],
  ["john.@gmail.co", "john@gmail.com"],
  ["john.@gogglemail.com", "john@googlemail.com"],
  // mailcheck, spec and issues 109, 151, 168
  ["test@#gmail.com", "test@gmail.com"],
  ["test@gmail..com", "test@gmail.com"],
  // mlw (Emma Labs), its examples
  ["(djackson@aol.net)", "djackson@aol.com"],
  ['"Greg A. Saville" <gregsa@teleport.com">', "gregsa@teleport.com"],
  ["<abuse@bfp.net", "abuse@bfp.net"],
  ["krodim@hotmail.comt", "krodim@hotmail.com"],
  // mozilla/fxa-content-server issue 2202
  ["user@gmailcom", "user@gmail.com"],
  ["user@hotmailcom", "user@hotmail.com"],
  ["user@yahoocom", "user@yahoo.com"],
  ["user@hotmailcouk", "user@hotmail.co.uk"],
  // issue 4
  ["user@hotmail.co,uk", "user@hotmail.co.uk"],
  ["user@gmail,com", "user@gmail.com"],
  ["user@gmail;com", "user@gmail.com"],
  ["user@gmail", "user@gmail.com"],
  ["user@hotmail", "user@hotmail.com"],
  ["usergmail.com", "user@gmail.com"],
  ["user.gmail.com", "user@gmail.com"],
  ["user@@gmail.com", "user@gmail.com"],
  ["user@ gmail.com", "user@gmail.com"],
  ["user @gmail.com", "user@gmail.com"],
  ["user@gmail .com", "user@gmail.com"],
  ["user@gmail com", "user@gmail.com"],
  ["user@www.gmail.com", "user@gmail.com"],
  ["user@yahoo.co.ukk", "user@yahoo.co.uk"],
  ["user@gmail.com,", "user@gmail.com"],
  ["user@gmail.com;", "user@gmail.com"],
  ["user@gmail.com>", "user@gmail.com"],
  ["user..name@gmail.com", "user.name@gmail.com"],
  [".user@gmail.com", "user@gmail.com"],
  ["user,name@gmail.com", "user.name@gmail.com"],
  ["user@gmail.com@gmail.com", "user@gmail.com"],
  ["user@gmail.com@", "user@gmail.com"],
  ["@user@gmail.com", "user@gmail.com"],
  ["user at gmail dot com", "user@gmail.com"],
  ["user(at)gmail.com", "user@gmail.com"],
  ["user[at]gmail[dot]com", "user@gmail.com"],
  ["user@gmail.com?subject=hi", "user@gmail.com"],
  ["e-mail: user@gmail.com", "user@gmail.com"],
  ["user＠gmail.com", "user@gmail.com"],
  ["user@gmial,com", "user@gmail.com"],
  ["user@-gmail.com", "user@gmail.com"],
  ["user@gmail-.com", "user@gmail.com"],
  ["user@gmail.com/", "user@gmail.com"],
  ["user2hotmail.com", "user@hotmail.com"],
  // Comments, labels and names next to the address
  ["(John) john@example.com", "john@example.com"],
  ["john@example.com (John Doe)", "john@example.com"],
  ["john(work)@example.com", "john@example.com"],
  ["john@(work)example.com", "john@example.com"],
  ["Courriel : john@example.com", "john@example.com"],
  ["Email john@example.com", "john@example.com"],
  ["smtp:john@example.com", "john@example.com"],
  ["email @gmail.com", "email@gmail.com"],
  ["'mailto:john@example.com'", "john@example.com"],
  ["mailto:john%2Bnews@example.com", "john+news@example.com"],
  ["mailto://john@example.com", "john@example.com"],
  ["mailto:john@example.com?cc=jane", "john@example.com"],
  ["user\u200b@gmail.com", "user@gmail.com"],
  ['"Doe, John" <john@example.com>', "john@example.com"],
  ["John Doe <john@example.com>", "john@example.com"],
  ["john@example.com..", "john@example.com"],
  ["http://john@gmail.com", "john@gmail.com"],
  ["Jane jane.doe@example.com", "jane.doe@example.com"],
  ["John Doe <john@example.com>,", "john@example.com"],
  ["• john@example.com", "john@example.com"],
  ["📧 john@example.com", "john@example.com"],
  // Typographic quotes and dashes, codes of HTML and URLs, invisible characters
  ["“john@example.com”", "john@example.com"],
  ["„john@example.com“", "john@example.com"],
  ["«john@example.com»", "john@example.com"],
  ["john@exa–mple.com,", "john@exa-mple.com"],
  ["john@exa–mple.com", "john@exa-mple.com"],
  ["john@t\u2011online.de", "john@t-online.de"],
  ["john@exa—mple.con", "john@exa-mple.com"],
  ["john&#64;example.com", "john@example.com"],
  ["john@example&#x2e;com", "john@example.com"],
  ["&lt;john@example.com&gt;", "john@example.com"],
  ["john%40example.com", "john@example.com"],
  ["john@example.com%20", "john@example.com"],
  ["john\u3164@example.com", "john@example.com"],
  ["می\u200cخواهم@gmail,com", "می\u200cخواهم@gmail.com"],
  // Repeated suffixes
  ["john@acme.com-com", "john@acme.com"],
  ["john@acme.com.acom", "john@acme.com"],
  ["john@gmail-com", "john@gmail.com"],
  // Repeated addresses
  ["john@gmail.com john@gmail.com", "john@gmail.com"],
  ["John@acme.org,john@acme.org", "John@acme.org"],
  // Spelled out, or with another key for "@"
  ["john@acme dot com", "john@acme.com"],
  ["john@gmail@com", "john@gmail.com"],
  ["john_at_gmail.com", "john@gmail.com"],
  ["john!gmail.com", "john@gmail.com"],
  ["www.john.gmail.com", "john@gmail.com"],
]
