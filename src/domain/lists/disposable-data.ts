import { words } from "../word-table.ts"

/** Disposable domains, reviewed by hand. They apply even when no public list contains them. */
export const DISPOSABLE_CORE = words(`
  # Mailinator, YOPmail, Guerrilla Mail
  mailinator.com mailinator.net mailinator2.com mailinator.us mailinater.com sogetthis.com spamherelots.com
  thisisnotmyrealemail.com binkmail.com bobmail.info chammy.info devnullmail.com letthemeatspam.com notmailinator.com
  reallymymail.com reconmail.com safetymail.info sendspamhere.com streetwisemail.com suremail.info
  tradermail.info veryrealemail.com zippymail.info spambooger.com monumentmail.com
  yopmail.com yopmail.fr yopmail.net yopmail.gq cool.fr.nf jetable.fr.nf nospam.ze.tc nomail.xl.cx mega.zik.dj
  speed.1s.fr courriel.fr.nf moncourrier.fr.nf monemail.fr.nf monmail.fr.nf
  guerrillamail.com guerrillamail.net guerrillamail.org guerrillamail.biz guerrillamail.de guerrillamail.info
  guerrillamailblock.com sharklasers.com grr.la spam4.me pokemail.net
  # Timed inboxes
  10minutemail.com 10minutemail.net 10minutemail.co.uk 10minutemail.de 10minutesmail.com 10minutmail.pl 10mail.org
  20minutemail.com 20minutemail.it 33mail.de minutemail.com tempail.com tempmail.com tempmail.net tempmail.de
  tempmail.io tempmail.plus tempmail.ninja tempmail.dev tempmailo.com temp-mail.org temp-mail.io temp-mail.com temp-mail.ru
  temp-mail.de tmpmail.org tmpmail.net tmpeml.com tempr.email tempinbox.com tempemail.com tempemail.net
  throwawaymail.com throwaway.email throwam.com fakeinbox.com fakemail.net fakemailgenerator.com emailfake.com
  email-fake.com generator.email tempm.com emailondeck.com emailtemporanea.net mytemp.email mohmal.com mohmal.in
  moakt.com moakt.cc moakt.co moakt.ws disbox.net disbox.org tmails.net tmail.ws
  # Public or unsigned inboxes
  getnada.com nada.email nada.ltd inboxkitten.com maildrop.cc mailnesia.com mailcatch.com mailnull.com maildim.com
  mailsac.com mailexpire.com mailforspam.com mailtemp.info mailde.de mailpoof.com mailhazard.com mailhazard.us mailtothis.com mail-temporaire.fr
  mail-temp.com mailtemporaire.fr mintemail.com incognitomail.com incognitomail.org dispostable.com
  discard.email discardmail.com discardmail.de dropmail.me 10mail.tk emltmp.com spymail.one yomail.info
  mail.tm mail.gw 1secmail.com 1secmail.net 1secmail.org esiix.com wwjmp.com xojxe.com yoggm.com vddaz.com
  burnermail.io burnthespam.info dfgh.net trashmail.com trashmail.de trashmail.me trashmail.net trashmail.org trashmail.at
  trashmail.ws trash-mail.com trash-mail.de trashymail.com wegwerfemail.de wegwerfmail.de wegwerfmail.net
  wegwerfmail.org spamgourmet.com spamgourmet.net spamgourmet.org antichef.com antichef.net spam.la spambox.us
  spambox.info spamfree24.org spamfree24.com spamfree24.de spamex.com spamavert.com spaml.de spaml.com spamday.com
  jetable.org jetable.com jetable.net kasmail.com getairmail.com getonemail.com harakirimail.com anonbox.net
  anonymbox.com mailmoat.com mailzilla.com mt2015.com mvrht.net owlpic.com meltmail.com
  einrot.com cuvox.de armyspy.com dayrep.com fleckens.hu gustr.com jourrapide.com rhyta.com superrito.com teleworm.us
  deadaddress.com despam.it dodgit.com e4ward.net emailsensei.com eyepaste.com filzmail.com
  gishpuppy.com great-host.in hidzz.com ieatspam.eu ieh-mail.de imgof.com inboxalias.com instant-mail.de
  kurzepost.de lhsdv.com lifebyfood.com lookugly.com lroid.com mierdamail.com mailbidon.com nepwk.com nervmich.net
  nospamfor.us nowmymail.com objectmail.com oneoffemail.com pookmail.com proxymail.eu
  putthisinyourspamdatabase.com quickinbox.com rcpt.at recode.me rtrtr.com safe-mail.pp.ua shieldemail.com
  skeefmail.com slopsbox.com smellfear.com snakemail.com sofimail.com sofort-mail.de soodonims.com
  stuffmail.de tempomail.fr thankyou2010.com tilien.com tmail.com tyldd.com uggsrock.com upliftnow.com venompen.com
  vidchart.com viditag.com vubby.com wh4f.org whyspam.me willselfdestruct.com winemaven.info wronghead.com
  xagloo.com xemaps.com xents.com xmaily.com yep.it yuurok.com zehnminutenmail.de zetmail.com zoemail.net zoemail.org
  luxusmail.org linshiyouxiang.net mailto.plus fexpost.com fexbox.org rover.info chitthi.in any.pink merepost.com
  crazymailing.com altmails.com tempmailaddress.com cock.email mail7.io mailpluss.com guysmail.com inboxbear.com
  minuteinbox.com smailpro.com internxt-temp.com tempmailer.com mailhole.de airmail.cc linshi-email.com tempumail.com
  tenermail.com tempmail.us.com etempmail.com ugener.com mocvn.com tenvil.com tgvis.com amozix.com anypsd.com maxric.com
`)

/**
 * Suffixes of mail servers that serve only disposable inboxes. Any domain with such a mail host is disposable.
 * General forwarders are not listed: forwardemail.net and others serve honest domains (burner-email-providers pull 457).
 */
export const DISPOSABLE_MX = words(`
  mailinator.com yopmail.com guerrillamail.com 10minutemail.com discard.email moakt.com mail.tm mail.gw temp-mail.io
  temp-mail.org tempm.com generator.email emailfake.com email-fake.com mailnesia.com 1secmail.com trashmail.com
  maildrop.cc mailsac.com dropmail.me getnada.com inboxkitten.com spamgourmet.com tempmail.plus mailto.plus
  # Servers named differently from the sites they work for
  den.yt icdn.be cse445.com erinn.biz papierkorb.me wabblywabble.com wallywatts.com tinyhost.shop add5000.com
`)
