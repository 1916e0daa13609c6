import type { HookSettings, HookAccount, HookKind } from '#domain/hook/settings.ts'
import { readSymbol, spellingReported } from '#contract/values/values.ts'
import type { Given, SenderFields } from './sender-fields.ts'
import type { Instruction } from '#domain/hook/message.ts'

/** Option names of TradersPost and others: `AAPL 260116C200`. */
const OPTION_NAME = /^[A-Z.]{1,6} ?\d{6}[CP]\d/
/** Names with blanks are exchanges that TradingView spells out. */
const EXCHANGE = /^[A-Z][A-Z0-9_]{0,19}$/
const ANY_US_EXCHANGE: ReadonlySet<string> = new Set(['US', 'USA', 'SMART'])

/** The hook's own table comes first. Null, with a fault, without a symbol. */
export function symbolOf(
  fields: SenderFields,
  given: Given | null,
  { symbols }: HookSettings,
  exchange: Given | null = null,
): string | null {
  const text = fields.text(given)
  if (given === null || text === null) return null
  // Upper case may make a foreign letter Latin.
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
    const spelling = spellingReported(name, read.symbol)
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

/** Folded, see {@link folded}. */
const ACCOUNT_NAMES =
  'account accounts accountid accountids accountname accountno accountnumber accountkey acct acctid'.split(
    ' ',
  )
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

interface Named {
  given: Given
  ids: string[]
}

/** An unknown account is a fault where others might trade. */
export function forNamedAccounts(
  fields: SenderFields,
  kind: HookKind,
  instructions: readonly Instruction[],
  { accounts }: HookSettings,
): Instruction[] {
  const named = kind === 'json' || kind === 'template' ? null : namedIn(fields, accounts)
  if (named === null || named.ids.length === accounts.length) return [...instructions]
  const [accountId, ...more] = named.ids
  const own = more.length === 0 ? { accountId } : { accountIds: named.ids }
  const trades = instructions.flatMap((one) =>
    one.kind === 'trade' ? [{ ...one, body: { ...one.body, ...own } }] : [],
  )
  if (trades.length === instructions.length) return trades
  // TradersPost's message requests the cancel.
  if (trades.length > 0 && kind !== 'traderspost')
    fields.advise(
      'entries_not_cancelled',
      `Working entries of the symbol are not cancelled first, because ${named.given.name} does not name all accounts of the hook`,
    )
  else
    fields.fault(
      named.given,
      'not_for_one_account',
      `${named.given.name}: cancelling, closing everything and stopping are for all accounts of the hook. Leave it out, or make a hook for that account`,
    )
  return trades
}

function namedIn(fields: SenderFields, accounts: readonly HookAccount[]): Named | null {
  const isSeveral = accounts.length > 1
  const given = ACCOUNT_NAMES.map((name) => (isSeveral ? fields.pick(name) : fields.optional(name)))
  const named: Named[] = []
  for (const one of given) {
    const ids = one === null ? null : idsIn(one, accounts)
    if (ids !== null) named.push({ given: one!, ids })
    else if (one !== null) reportUnknown(fields, one, accounts)
  }
  const [first, ...others] = named
  const other = others.find(({ ids }) => ids.join() !== first!.ids.join())
  if (other !== undefined)
    fields.fault(
      other.given,
      'contradiction',
      `${first!.given.name} and ${other.given.name} name different accounts: send one of them`,
    )
  return first ?? null
}

function idsIn({ value }: Given, accounts: readonly HookAccount[]): string[] | null {
  const said = (Array.isArray(value) ? value : [value]).map((one) => String(one).trim().toLowerCase())
  const ids = accounts.map(({ accountId }) => accountId).filter((id) => said.includes(id))
  return said.length > 0 && said.every((one) => ids.includes(one)) ? ids : null
}

function reportUnknown(fields: SenderFields, given: Given, accounts: readonly HookAccount[]): void {
  const isIdOfOther = typeof given.value === 'string' && UUID.test(given.value.trim())
  if (accounts.length > 1 || isIdOfOther)
    fields.fault(
      given,
      'not_of_this_hook',
      `${given.name} must be the id of an account of this hook, or be left out to trade for all of them: ${accounts.map(({ accountId }) => accountId).join(', ')}`,
    )
  else fields.advise('account_not_used', `${given.name} says nothing here: the hook has one account`)
}
