import type { Account, Position, Signal } from '#client/types.ts'
import { sentence } from '../words/signal.ts'
import { standing } from '../words/standing.ts'

/** A place to go to, or a question to open. Choosing one changes nothing at the service. */
export interface Choice {
  /** Its own among all choices. */
  value: string
  label: string
  /** At the end of its line. */
  hint?: string
  /** Also found by these words. */
  words?: string
  /** An address of the app, or the question that stops trading, or the one that resumes it, or the list of keys. */
  leadsTo: `/${string}` | 'stop' | 'resume' | 'keys'
}

/** Choices of one kind, under its name. */
export interface Group {
  value: 'Actions' | 'Pages' | 'Symbols' | 'Signals' | 'Accounts'
  items: Choice[]
}

/** What a person may look for, as far as it is known. */
export interface Known {
  me: { role: string } | undefined
  /** Those that the way around names. */
  pages: readonly { to: string; name: string }[]
  positions: readonly Position[]
  signals: readonly Signal[]
  accounts: readonly Account[]
}

/** As many of a kind are shown. */
const MAX_SHOWN = 8
/** Beside a symbol of which nothing is known here. */
const GUESSED = 'symbol'
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
  choice('/positions?close=all', 'Close all positions…', {
    hint: 'asks first',
    words: 'flatten sell everything',
  }),
  choice('/set-up/brokers/new', 'Connect a broker', { words: 'add keys' }),
  choice('/set-up/tokens/new', 'New token', { words: 'webhook create tradingview' }),
  choice('keys', 'List of keys', { words: 'keyboard shortcuts help' }),
]

const DEEPER_PAGES: readonly Choice[] = [
  choice('/alerts', 'Alerts'),
  choice('/set-up/brokers', 'Brokers', { hint: 'Set-up' }),
  choice('/set-up/accounts', 'Accounts', { hint: 'Set-up', words: 'mode primary' }),
  choice('/set-up/strategies', 'Strategies', { hint: 'Set-up' }),
  choice('/set-up/tokens', 'Tokens', { hint: 'Set-up', words: 'webhook' }),
  choice('/set-up/limits', 'Limits', { hint: 'Set-up', words: 'risk' }),
  choice('/settings/security', 'Security', { hint: 'Settings', words: 'password sessions two-step codes' }),
  choice('/settings/notifications', 'Notifications', { hint: 'Settings', words: 'push device' }),
]

const ADMINISTRATION: readonly Choice[] = [
  choice('/administration/log', 'Log of everybody', { hint: 'Administration' }),
  choice('/administration/service', 'Service', { hint: 'Administration', words: 'health version' }),
]

/** What is found by a text, in its groups; without a text the actions and the pages. */
export function found(text: string, { me, pages: named, positions, signals, accounts }: Known): Group[] {
  const wanted = text.trim()
  const pages = [
    ...named.map(({ to, name }) => choice(to as `/${string}`, name)),
    ...DEEPER_PAGES,
    ...(me?.role === 'admin' ? ADMINISTRATION : []),
  ]
  if (wanted === '') return [group('Actions', ACTIONS), group('Pages', pages)]
  const order = orderOf(wanted)
  const symbols = symbolsFound(wanted, positions, signals)
  const [first] = symbols
  // A symbol that is known comes first only by its whole name, and one that is only typed comes last.
  const place = first?.label === wanted.toUpperCase() ? (first.hint === GUESSED ? 'last' : 'first') : 'middle'
  const inSymbols = (when: typeof place) => group('Symbols', place === when ? symbols : [])
  const actions = best(wanted, ACTIONS)
  return [
    group('Actions', order ? [order, ...actions] : []),
    inSymbols('first'),
    group('Pages', best(wanted, pages)),
    group('Actions', order ? [] : actions),
    inSymbols('middle'),
    group('Signals', signalsFound(wanted, signals)),
    group('Accounts', best(wanted, accounts.map(accountChoice))),
    inSymbols('last'),
  ].filter(({ items }) => items.length > 0)
}

const ORDER = /^(buy|sell)\s+(?:(\d+(?:\.\d+)?)\s+)?([a-z][a-z0-9.]{0,19})(?:\s+(\d+(?:\.\d+)?))?$/i

/** An order that is written as it is said, "buy 10 nvda": it leads to the ticket, filled in, where it is placed. */
function orderOf(text: string): Choice | null {
  const [, verb, before, name, after] = ORDER.exec(text) ?? []
  const shares = before ?? after
  if (verb === undefined || name === undefined || (before !== undefined && after !== undefined)) return null
  const [side, symbol] = [verb.toUpperCase(), name.toUpperCase()]
  const ticket = new URLSearchParams({ symbol, side, ...(shares !== undefined && { shares }) })
  const label = [side === 'BUY' ? 'Buy' : 'Sell', shares, symbol].filter((part) => part !== undefined)
  return choice(`/orders/new?${ticket}`, `${label.join(' ')}…`, { hint: 'opens the ticket' })
}

const group = (value: Group['value'], items: readonly Choice[]): Group => ({ value, items: [...items] })

/** Those that hold every word of the text; what begins with the text comes first. */
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

/** Symbols that are held or of which signals tell, and the text itself where it may be one. */
function symbolsFound(text: string, positions: readonly Position[], signals: readonly Signal[]): Choice[] {
  const typed = text.toUpperCase()
  const held = new Set(positions.map(({ symbol }) => symbol))
  const known = [...new Set([...held, ...signals.map(({ symbol }) => symbol)])].filter((symbol) =>
    symbol.startsWith(typed),
  )
  const all = known.includes(typed) || !SYMBOL.test(typed) ? known : [...known, typed]
  return all
    .toSorted((a, b) => Number(b === typed && known.includes(b)) - Number(a === typed && known.includes(a)))
    .slice(0, MAX_SHOWN)
    .map((symbol) =>
      choice(`/symbols/${encodeURIComponent(symbol)}`, symbol, {
        hint: held.has(symbol) ? 'held' : known.includes(symbol) ? 'with signals' : GUESSED,
      }),
    )
}

/** Signals by the beginning of their id, their symbol or their words; a whole id also where the list does not reach. */
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
