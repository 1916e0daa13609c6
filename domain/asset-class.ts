/** In Alpaca's words: shares and exchange-traded funds. */
const SHARES: ReadonlySet<string> = new Set(['us_equity'])

const CLASSES_IN_WORDS: Readonly<Record<string, string>> = {
  crypto: 'a coin',
  crypto_perp: 'a future on a coin',
  us_option: 'an option',
}

/** Up to five letters, and perhaps those of a class or series. */
const SPELLED_AS_SHARE = /^[A-Z]{1,5}(?:\.(?!USD|EUR)[A-Z]{1,3}|-[A-Z]{1,2})?$/

/** Only shares are opened: no exit works for a coin. `assetClass`: null where the broker could not be asked. */
export function classFault(symbol: string, assetClass: string | null): string | null {
  if (assetClass === null)
    return SPELLED_AS_SHARE.test(symbol)
      ? null
      : `Durable Trader trades shares and ETFs, and ${symbol} is not spelled like one`
  if (SHARES.has(assetClass)) return null
  return `Durable Trader trades shares and ETFs, and ${symbol} is ${CLASSES_IN_WORDS[assetClass] ?? `of the class ${assetClass}`}`
}
