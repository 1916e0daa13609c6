const US_EXCHANGES: ReadonlySet<string> = new Set(
  (
    'NASDAQ NYSE AMEX ARCA NYSEARCA NYSEAMERICAN NYSEMKT NYSE_ARCA NYSE_AMERICAN BATS CBOE CBOEBZX IEX OTC ' +
    'XNAS XNYS XASE ARCX'
  ).split(' '),
)
const DELAYED = /_DLY?$/
const PREFIXED = /^([A-Z][A-Z0-9_]{0,19}):(.*)$/
/** Some feeds write the country behind a name. */
const COUNTRY = /\.US$/
const CLASS = /^([A-Z]{1,18})[-/](?:([A-Z])|(WS|WT|RT)|PR?([A-Z]))$/

const SYMBOL_LENGTH = 20
const SYMBOL = /^[A-Z0-9][A-Z0-9./-]*$/

/** As Alpaca (`BRK.B`). ASCII is checked before upper-casing: no letter may become another symbol's. */
export function readSymbol(text: string): { symbol: string } | { fault: string } {
  if (!/^[\x20-\x7E]*$/.test(text)) return { fault: OTHER_SIGNS }
  const [, prefix, name = ''] = PREFIXED.exec(text.toUpperCase()) ?? ['', undefined, text.toUpperCase()]
  if (prefix !== undefined && !US_EXCHANGES.has(prefix.replace(DELAYED, '')))
    return {
      fault: `begins with ${prefix}, which is no exchange of US shares: only US shares and ETFs are traded, and named like AAPL`,
    }
  if (name.length < 1 || name.length > SYMBOL_LENGTH)
    return { fault: `must be 1 to ${SYMBOL_LENGTH} characters long` }
  const symbol = withClass(name.replace(COUNTRY, ''))
  return SYMBOL.test(symbol) ? { symbol } : { fault: OTHER_SIGNS }
}

const OTHER_SIGNS = 'must consist of letters, digits, ".", "/" and "-", and begin with a letter or digit'

function withClass(name: string): string {
  const [, base, letter, rights, series] = CLASS.exec(name) ?? []
  if (base === undefined) return name
  if (letter !== undefined) return `${base}.${letter}`
  return series === undefined ? `${base}.${rights === 'WT' ? 'WS' : rights}` : `${base}.PR${series}`
}

export function spellingTold(text: string, symbol: string): string | null {
  const given = text.toUpperCase()
  if (given === symbol) return null
  const isPrefixed = given.includes(':')
  const name = given.slice(given.indexOf(':') + 1)
  const isClass = name.replace(COUNTRY, '') !== symbol
  const why = [
    ...(isPrefixed ? ['an exchange before it is left out'] : []),
    ...(COUNTRY.test(name) ? ['the country behind it is left out'] : []),
    ...(isClass ? ['the class of a share stands behind a dot'] : []),
  ]
  return `${given} is read as ${symbol}: ${why.join(', and ')}`
}

const MONEY = 'USD|USDT|USDC|EUR|GBP|JPY|CHF|CAD|AUD|NZD|BTC|ETH'
/** A pair is certain by what divides it, and a perpetual future by its mark; BTCUSD may only be looked up. */
const PAIR = new RegExp(`^(?:[A-Z0-9]{2,12}[-/.](?:${MONEY})|[A-Z0-9]{1,14}(?:USD|USDT|USDC)\\.P)$`)

/** Why a symbol is no share by its form; null where the form does not tell. */
export const pairFault = (symbol: string): string | null =>
  PAIR.test(symbol) ? `${symbol} is a coin or a currency pair; only US shares and ETFs are traded` : null
