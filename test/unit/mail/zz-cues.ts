import fc from "fast-check"
import { REPLY_RULES } from "../../../src/domain/mail/reply-rules.ts"
import { WORDS } from "../../../src/domain/mail/reply-words.ts"
const spell=(p:string)=>new RegExp(p.replace(/\{([a-z]+)\}/g,(_,w:string)=>WORDS[w]??""))
const wo=(p:RegExp)=>new RegExp(p.source.replaceAll("\\b", "").replace(/\(\?<?[!=](?:[^()]|\([^()]*\))*\)/g, ""))
for(const g of REPLY_RULES){ if(!g.cue)continue; const c=spell(g.cue)
 for(const r of g.rules){ if(!r.pattern)continue; const w=spell(r.pattern); const s=new Set(fc.sample(fc.stringMatching(wo(w)),{numRuns:600,seed:7}).filter(t=>w.test(t)&&!c.test(t)).map(t=>w.exec(t)![0].slice(0,70)))
  if(s.size)console.log(g.about,r.id,[...s].slice(0,14))}}
