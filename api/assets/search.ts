import type { ListedAsset } from '#brokers/port.ts'
import { readSymbol } from '../http/validation/symbol-spelling.ts'

/** An asset with what it is found by. */
export interface Findable extends ListedAsset {
  /** Its name in upper case, a space before each word and no other signs: ` APPLE INC`. */
  words: string
}

/** Assets that can be found, by symbol. */
export const findable = (assets: readonly ListedAsset[]): readonly Findable[] =>
  assets
    .map((asset) => ({ ...asset, words: wordsOf(asset.name) }))
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))

/**
 * The assets that a text finds, in any case, best first: by the whole symbol, by its beginning, by the beginning of the name, by the
 * beginnings of words of the name, and by any part of symbol or name; those that are found alike by symbol.
 *
 * @param assets by symbol
 */
export function matching(assets: readonly Findable[], text: string, limit: number): Findable[] {
  const read = readSymbol(text)
  const symbol = 'symbol' in read ? read.symbol : text.toUpperCase()
  const words = wordsOf(text)
  const each = [...new Set(words.split(/(?= )/))]
  /** The smaller, the better; none of the ranks where it is not found. */
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
