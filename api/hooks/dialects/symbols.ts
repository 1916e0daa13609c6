import type { HookSettings } from '#domain/hook/settings.ts'
import { readSymbol, spellingTold } from '#contract/values/symbol-spelling.ts'
import type { Given, SenderFields } from './sender-fields.ts'

/** As TradersPost and others write an option: `AAPL 260116C200`. */
const OPTION_NAME = /^[A-Z.]{1,6} ?\d{6}[CP]\d/
/** Names with blanks are those of exchanges that TradingView spells out. */
const EXCHANGE = /^[A-Z][A-Z0-9_]{0,19}$/
const ANY_US_EXCHANGE: ReadonlySet<string> = new Set(['US', 'USA', 'SMART'])

/** By the hook's own table first, with and without the exchange. Null for none, which is a fault. */
export function symbolOf(
  fields: SenderFields,
  given: Given | null,
  { symbols }: HookSettings,
  exchange: Given | null = null,
): string | null {
  const text = fields.text(given)
  if (given === null || text === null) return null
  // In upper case a letter of another script may become one of ours.
  const name = /^[\x20-\x7E]*$/.test(text) ? text.toUpperCase() : text
  const market = fields.text(exchange)?.toUpperCase()
  const isNamed = market !== undefined && EXCHANGE.test(market) && !ANY_US_EXCHANGE.has(market)
  const whole = isNamed && !name.includes(':') ? `${market}:${name}` : name
  for (const spelling of [whole, name]) {
    if (!Object.hasOwn(symbols, spelling)) continue
    return told(fields, spelling, symbols[spelling]!)
  }
  const read = readSymbol(whole)
  if ('symbol' in read) {
    const own = Object.hasOwn(symbols, read.symbol) ? symbols[read.symbol]! : null
    if (own !== null) return told(fields, read.symbol, own)
    const spelling = spellingTold(name, read.symbol)
    if (spelling !== null) fields.advise('symbol_spelled', spelling)
    return read.symbol
  }
  if (whole !== name && 'symbol' in readSymbol(name))
    return fields.fault(
      exchange!,
      'not_a_share',
      `${exchange!.name} is no exchange of US shares: only US shares and ETFs are traded`,
    )
  const isOption = OPTION_NAME.test(name)
  const why = isOption ? 'names an option; only US shares and ETFs are traded' : read.fault
  return fields.fault(given, isOption ? 'not_a_share' : 'invalid_symbol', `${given.name} ${why}`)
}

function told(fields: SenderFields, from: string, to: string): string {
  fields.advise('symbol_mapped', `${from} is ${to} by the table of the hook`)
  return to
}
