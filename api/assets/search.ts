import type { ListedAsset } from '#brokers/port.ts'
import { readSymbol } from '../http/validation/symbol-spelling.ts'

export interface Findable extends ListedAsset {
  /** Its name in upper case, a space before each word and no other signs: ` APPLE INC`. */
  words: string
}

export const findable = (assets: readonly ListedAsset[]): readonly Findable[] =>
  assets
    .map((asset) => ({ ...asset, words: wordsOf(asset.name) }))
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))

/** Best first: the whole symbol, its beginning, that of the name, those of words of the name, any part of both; then by symbol. */
export function matching(assets: readonly Findable[], text: string, limit: number): Findable[] {
  const read = readSymbol(text)
  const symbol = 'symbol' in read ? read.symbol : text.toUpperCase()
  const words = wordsOf(text)
  const each = [...new Set(words.split(/(?= )/))]
  /** The smaller, the better; -1 where it is not found. */
  const rankOf = (asset: Findable): number => {
    if (asset.symbol === symbol) return 0
    if (asset.symbol.startsWith(symbol)) return 1
    if (words !== '') {
      if (asset.words.startsWith(words)) return 2
      if (each.every((word) => asset.words.includes(word))) return 3
      if (asset.words.includes(words.slice(1))) return 4
    }
    return asset.symbol.includes(symbol) ? 4 : -1
  }
  const ranked: Findable[][] = [[], [], [], [], []]
  if (text !== '') for (const asset of assets) ranked[rankOf(asset)]?.push(asset)
  return ranked.flat().slice(0, limit)
}

const wordsOf = (text: string): string =>
  Array.from(text.toUpperCase().matchAll(/[\p{L}\p{N}]+/gu), ([word]) => ` ${word}`).join('')
