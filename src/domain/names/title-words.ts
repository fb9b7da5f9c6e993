import { lazySet } from "./word-list.ts"

/** Titles before a name, without dots. */
export const TITLES =
  lazySet(`mr mrs ms miss mx sir dame lady lord madam dr drs doctor prof professor rev reverend fr hon
  judge capt captain col colonel gen general lt sgt maj major eng engr ing dipl mag mgr bc judr mudr mvdr phdr rndr paedr dott dottssa avv arq lic sr sra srta
  don dona herr frau monsieur mme mlle madame signor signora sig sheikh shaikh haji hajji hj ustadh rabbi pan pani shri
  smt kumari thiru dipl-ing dr-ing univ-prof phd hc med dent`)

/** Suffixes after a name, without dots. */
export const SUFFIXES =
  lazySet(`jr sr ii iii iv v junior senior phd md mba msc bsc ba ma bs beng meng mphil esq cpa cfa pmp rn dds
  jd llm llb qc kc csc ing frm fca aca fcca acma obe mbe cbe kbe frcs frs mp pe pmp cissp csc mph dvm do dphil edd facp filho neto jnr snr pharmd`)

/** Particles of family names. */
export const PARTICLES =
  lazySet(`van von der den de del della dello dei degli di da das do dos du des la le las los lo el
  al bin ibn bint ben bar abu abd st saint san santa ter ten te 't op zu zum zur vom auf af av y e i und ap ab mac mc o
  'd d' l' nic ní ni ua vande vander vanden`)

/** Portuguese particles. A name with one of them uses the last of several family names. */
export const PORTUGUESE_PARTICLES = lazySet("da das do dos")
