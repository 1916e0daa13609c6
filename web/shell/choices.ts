import type { Account, ListedAsset, Position, Signal } from '#client/types.ts'
import { sentence } from '../words/signal.ts'
import { standing } from '../words/status.ts'

/** A page to open, or a question; choosing it changes nothing at the service. */
export interface Choice {
  /** Unique value among all choices. */
  value: string
  label: string
  /** Text at the end of its line. */
  hint?: string
  /** Further words that find it. */
  words?: string
  /** An address of the app; a question that stops trading, closes all positions, or resumes; or the list of keys. */
  leadsTo: `/${string}` | 'stop' | 'flatten' | 'resume' | 'keys'
}

export interface Group {
  value: 'Actions' | 'Pages' | 'Symbols' | 'Signals' | 'Accounts'
  items: Choice[]
}

export interface Known {
  me: { role: string } | undefined
  /** Pages that the navigation names. */
  pages: readonly { to: string; name: string }[]
  positions: readonly Position[]
  signals: readonly Signal[]
  accounts: readonly Account[]
  /** Shares and ETFs of the broker that match the text, see {@link companyIn}. */
  assets: readonly ListedAsset[]
}

/** Most choices of a kind, and most orders that a name may mean. */
const MAX_SHOWN = 8
const MAX_ORDERS = 3
/** Hints beside an unknown symbol, and beside an order. */
const GUESSED = 'symbol'
const OPENS_TICKET = 'opens the ticket'
const SYMBOL = /^[A-Z0-9][A-Z0-9./-]{0,19}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const choice = (
  leadsTo: Choice['leadsTo'],
  label: string,
  more: Partial<Pick<Choice, 'hint' | 'words'>> = {},
): Choice => ({ value: `${leadsTo} ${label}`, label, leadsTo, ...more })

const ACTIONS: readonly Choice[] = [
  choice('/signals/new', 'New signal', { words: 'send buy sell dry run' }),
  choice('/orders/new', 'New order', { words: 'place manual buy sell' }),
  choice('stop', 'Stop trading…', { hint: 'asks first', words: 'halt kill switch pause' }),
  choice('resume', 'Resume trading…', { hint: 'asks first', words: 'halt lift unpause' }),
  choice('flatten', 'Close all positions…', {
    hint: 'asks first',
    words: 'flatten sell everything',
  }),
  choice('/set-up/brokers/new', 'Connect a broker', { words: 'add keys' }),
  choice('/set-up/hooks/new', 'New hook', { words: 'webhook create tradingview traderspost alert' }),
  choice('/set-up/tokens/new', 'New token', { words: 'create script bot' }),
  choice('keys', 'List of keys', { words: 'keyboard shortcuts help' }),
]

const DEEPER_PAGES: readonly Choice[] = [
  choice('/alerts', 'Alerts'),
  choice('/set-up/brokers', 'Brokers', { hint: 'Set-up' }),
  choice('/set-up/accounts', 'Accounts', { hint: 'Set-up', words: 'mode primary' }),
  choice('/set-up/strategies', 'Strategies', { hint: 'Set-up' }),
  choice('/set-up/hooks', 'Hooks', { hint: 'Set-up', words: 'webhook tradingview inbox' }),
  choice('/set-up/hooks/address', 'An address for TradingView', {
    hint: 'Hooks',
    words: 'public tunnel reach',
  }),
  choice('/set-up/tokens', 'Tokens', { hint: 'Set-up', words: 'script bot api key' }),
  choice('/set-up/limits', 'Limits', { hint: 'Set-up', words: 'risk' }),
  choice('/settings/security', 'Security', { hint: 'Settings', words: 'password sessions two-step codes' }),
  choice('/settings/notifications', 'Notifications', { hint: 'Settings', words: 'push device' }),
]

const ADMINISTRATION: readonly Choice[] = [
  choice('/administration/log', 'Log of all users', { hint: 'Administration' }),
  choice('/administration/service', 'Service', { hint: 'Administration', words: 'health version' }),
]

/** Choices that match a text, in groups; without a text the actions and the pages. */
export function found(text: string, known: Known): Group[] {
  const { me, pages: named, positions, signals, accounts, assets } = known
  const wanted = text.trim()
  const pages = [
    ...named.map(({ to, name }) => choice(to as `/${string}`, name)),
    ...DEEPER_PAGES,
    ...(me?.role === 'admin' ? ADMINISTRATION : []),
  ]
  if (wanted === '') return [group('Actions', ACTIONS), group('Pages', pages)]
  const orders = ordersOf(wanted, assets)
  const own = ownSymbols(wanted, positions, signals)
  const symbols = symbolsFound(wanted, own, orders.length > 0 ? [] : assets)
  // A held symbol, or one of signals, comes first only by its whole name; one that is only typed or listed comes last.
  const place = own.has(wanted.toUpperCase()) ? 'first' : own.size > 0 ? 'middle' : 'last'
  const inSymbols = (when: typeof place) => group('Symbols', place === when ? symbols : [])
  const actions = best(wanted, ACTIONS)
  return [
    group('Actions', orders.length > 0 ? [...orders, ...actions] : []),
    inSymbols('first'),
    group('Pages', best(wanted, pages)),
    group('Actions', orders.length > 0 ? [] : actions),
    inSymbols('middle'),
    group('Signals', signalsFound(wanted, signals)),
    group('Accounts', best(wanted, accounts.map(accountChoice))),
    inSymbols('last'),
  ].filter(({ items }) => items.length > 0)
}

const ORDERED_SYMBOL = /^[A-Z][A-Z0-9.]{0,19}$/
const SHARES = /^\d+(?:\.\d+)?$/

/** Parts of a typed order, with shares before or after the name; null if the text is none. */
function orderIn(text: string): { side: 'BUY' | 'SELL'; shares: string | undefined; name: string } | null {
  const [verb = '', ...words] = text.trim().split(/\s+/)
  const side = verb.toUpperCase()
  const before = SHARES.test(words[0] ?? '') ? words.shift() : undefined
  const after = SHARES.test(words.at(-1) ?? '') ? words.pop() : undefined
  const name = words.join(' ')
  const isOrder = /^[a-z]/i.test(name) && (before === undefined || after === undefined)
  return isOrder && (side === 'BUY' || side === 'SELL') ? { side, shares: before ?? after, name } : null
}

/** Possible company name or symbol: in an order, the name behind verb and shares. */
export const companyIn = (text: string): string => orderIn(text)?.name ?? text.trim()

/** Orders such as "buy 10 nvda" or "buy 10 apple", which open the filled-in ticket. */
function ordersOf(text: string, assets: readonly ListedAsset[]): Choice[] {
  const order = orderIn(text)
  if (!order) return []
  const { side, shares, name } = order
  const ticket = (symbol: string, hint: string): Choice => {
    const search = new URLSearchParams({ symbol, side, ...(shares !== undefined && { shares }) })
    const label = [side === 'BUY' ? 'Buy' : 'Sell', shares, symbol].filter((part) => part !== undefined)
    return choice(`/orders/new?${search}`, `${label.join(' ')}…`, { hint: hint === '' ? OPENS_TICKET : hint })
  }
  const typed = name.toUpperCase()
  const listed = assets.slice(0, MAX_ORDERS)
  const isTyped = ORDERED_SYMBOL.test(typed) && !listed.some(({ symbol }) => symbol === typed)
  return [
    ...listed.map((asset) => ticket(asset.symbol, asset.name)),
    ...(isTyped ? [ticket(typed, OPENS_TICKET)] : []),
  ]
}

const group = (value: Group['value'], items: readonly Choice[]): Group => ({ value, items: [...items] })

/** Choices that contain every word of the text; those that begin with it come first. */
function best(text: string, choices: readonly Choice[]): Choice[] {
  const words = text.toLowerCase().split(/\s+/)
  const rank = ({ label }: Choice): number => (label.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1)
  return choices
    .filter(({ label, hint = '', words: more = '' }) => {
      const all = `${label} ${hint} ${more}`.toLowerCase()
      return words.every((word) => all.includes(word))
    })
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MAX_SHOWN)
}

/** Held symbols, and symbols of signals, that begin with the text, with a hint. */
function ownSymbols(
  text: string,
  positions: readonly Position[],
  signals: readonly Signal[],
): ReadonlyMap<string, string> {
  const words = new Map(positions.map(({ symbol }) => [symbol, 'held']))
  for (const { symbol } of signals) if (!words.has(symbol)) words.set(symbol, 'with signals')
  return new Map([...words].filter(([symbol]) => symbol.startsWith(text.toUpperCase())))
}

/** Own symbols, listed ones, and the text itself if it may be one. */
function symbolsFound(
  text: string,
  own: ReadonlyMap<string, string>,
  assets: readonly ListedAsset[],
): Choice[] {
  const typed = text.toUpperCase()
  const listed = assets.filter(({ symbol }) => !own.has(symbol))
  const known = [...own, ...listed.map(({ symbol, name }) => [symbol, name] as const)]
  const isGuessed = SYMBOL.test(typed) && !known.some(([symbol]) => symbol === typed)
  const isOwn = (symbol: string): boolean => symbol === typed && own.has(symbol)
  return [
    ...known.toSorted(([a], [b]) => Number(isOwn(b)) - Number(isOwn(a))).slice(0, MAX_SHOWN),
    ...(isGuessed ? [[typed, GUESSED] as const] : []),
  ].map(([symbol, hint]) =>
    choice(`/symbols/${encodeURIComponent(symbol)}`, symbol, { hint: hint === '' ? GUESSED : hint }),
  )
}

/** Signals by id prefix, symbol or words; a whole id is offered beyond the list too. */
function signalsFound(text: string, signals: readonly Signal[]): Choice[] {
  const id = text.toLowerCase()
  const isOlder = UUID.test(id) && !signals.some((signal) => signal.id === id)
  return [
    ...best(text, signals.map(signalChoice)),
    ...(isOlder ? [choice(`/signals/${id}`, `Signal ${id.slice(0, 8)}`, { hint: 'by its id' })] : []),
  ]
}

const signalChoice = (signal: Signal): Choice =>
  choice(`/signals/${signal.id}`, sentence(signal), {
    hint: `${standing(signal).text} · ${signal.id.slice(0, 8)}`,
    words: `${signal.id} ${signal.sourceId ?? ''}`,
  })

const accountChoice = ({ id, name }: Account): Choice =>
  choice(`/performance?account=${id}`, name, { hint: 'its performance', words: id })
