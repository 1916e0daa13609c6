/** The classes of assets, in Alpaca's words, that are traded here: shares and funds of exchanges. */
const SHARES: ReadonlySet<string> = new Set(['us_equity'])

/** Classes in words that a trader knows. */
const CLASSES_IN_WORDS: Readonly<Record<string, string>> = {
  crypto: 'a coin',
  crypto_perp: 'a future on a coin',
  us_option: 'an option',
}

/** Symbols of shares of the United States' exchanges: up to five letters, and perhaps those of a class or series. */
const SPELLED_AS_SHARE = /^[A-Z]{1,5}(?:\.(?!USD|EUR)[A-Z]{1,3}|-[A-Z]{1,2})?$/

/**
 * Why a symbol may not be opened: it is no share. An exit could never be placed for a coin, and an option is another number of
 * dollars. Null for a share.
 *
 * @param assetClass as the broker tells it; null where it could not be asked, so that the spelling has to tell
 */
export function classFault(symbol: string, assetClass: string | null): string | null {
  if (assetClass === null)
    return SPELLED_AS_SHARE.test(symbol)
      ? null
      : `Durable Trader trades shares and ETFs, and ${symbol} is not spelled like one`
  if (SHARES.has(assetClass)) return null
  return `Durable Trader trades shares and ETFs, and ${symbol} is ${CLASSES_IN_WORDS[assetClass] ?? `of the class ${assetClass}`}`
}
