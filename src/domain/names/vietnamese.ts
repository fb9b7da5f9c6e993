import { lazySet } from "./word-list.ts"

const FAMILY_NAMES =
  lazySet(`nguyen tran le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dinh trinh mai truong
  luong cao lam doan ta ton dao`)

/** Whether a family name is a common Vietnamese one. Vietnamese people use their last given name. */
export function isVietnameseFamilyName(word: string): boolean {
  const folded = word.toLowerCase().replace(/đ/g, "d").normalize("NFD").replace(/\p{M}/gu, "")
  return FAMILY_NAMES().has(folded)
}
