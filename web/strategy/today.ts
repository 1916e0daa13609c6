import type { Hook, HookRequest, Signal, Strategy } from '#client/types.ts'
import { isFailed } from '#domain/signal/signal.ts'
import { OUTCOMES, whyNoOrder } from '../hook/outcomes.ts'
import { number } from '../words/figures.ts'
import { LEVELS, type Halt } from '../words/halts.ts'
import { endOf, STATUS_NAMES } from '../words/status.ts'
import { age } from '../words/times.ts'

/** Facts about a day in New York. */
export interface Day {
  strategy: Pick<Strategy, 'status'>
  /** Signals accepted today, newest first, and earlier ones that wait. */
  signals: readonly Signal[]
  /** Hooks of the strategy with today's requests, newest first. */
  hooks: readonly { hook: Pick<Hook, 'id' | 'name' | 'lastRequestAt'>; requests: readonly HookRequest[] }[]
  /** Halts against its entries, by account name. */
  halts: readonly { account: string; halt: Pick<Halt, 'level' | 'reason'> }[]
  /** "Market closed, opens in 2:14:05"; null while it is open, or unknown. */
  closed: string | null
}

export type Looked = { signal: string } | { hook: string; request: string } | { hook: string }

/** Reason why an order is missing. */
export interface Reason {
  /** Constant while the text changes with time. */
  key: string
  text: string
  /** Occurrences today; null if they are not counted. */
  count: number | null
  kind: 'danger' | 'warn' | 'plain'
  /** Example to open; null for none. */
  at: Looked | null
}

export const filledToday = (signals: readonly Signal[]): number =>
  signals.filter(({ filledQuantity }) => filledQuantity > 0).length

/** Reasons for missing trades; those that bind everything first. */
export function reasonsOf(day: Day, now: number): Reason[] {
  const plain = { count: null, kind: 'warn', at: null } as const
  return [
    ...(day.strategy.status === 'paused'
      ? [
          {
            ...plain,
            key: 'paused',
            text: 'The strategy is paused: its signals that open positions are refused.',
          },
        ]
      : []),
    ...day.halts.map(({ account, halt: { level, reason } }) => ({
      ...plain,
      key: `halted ${account}`,
      text: `${LEVELS[level].stands} in ${account}${reason === null ? '.' : `: ${reason}`}`,
    })),
    ...(day.closed === null
      ? []
      : [{ ...plain, key: 'closed', kind: 'plain' as const, text: `${day.closed}.` }]),
    ...day.hooks.flatMap(({ hook, requests }) => grouped(requests, (one) => requestReason(hook, one))),
    ...grouped(day.signals, signalReason),
    ...silent(day, now),
  ]
}

/** Reasons of one key are counted together. */
type Found = Omit<Reason, 'count'>

function grouped<T>(all: readonly T[], find: (one: T) => Found | null): Reason[] {
  const found = all.flatMap((one) => find(one) ?? [])
  return Array.from(Map.groupBy(found, ({ key }) => key).values(), (alike) => {
    return { ...alike[0]!, count: alike.length }
  })
}

/** Signals have their own reasons, so a request with signals has none. */
function requestReason({ id, name }: Pick<Hook, 'id' | 'name'>, request: HookRequest): Found | null {
  const { outcome, code } = request
  const why = whyNoOrder(request)
  if (outcome === null || why === null || request.signals.length > 0) return null
  const kind = OUTCOMES[outcome].kind === 'good' ? 'plain' : OUTCOMES[outcome].kind
  return {
    key: `${id} ${outcome} ${code} ${why}`,
    text: `${name}: ${why}`,
    kind,
    at: { hook: id, request: request.id },
  }
}

function signalReason(signal: Signal): Found | null {
  const { id, symbol, status, statusReason, statusDetail, filledQuantity } = signal
  if (filledQuantity > 0) return null
  const at = { signal: id }
  if (isFailed(status)) {
    const why = statusDetail ?? statusReason
    return {
      key: `${symbol} ${endOf(signal)} ${statusReason}`,
      text: `${symbol} ${endOf(signal)}${why === null ? '' : `: ${why}`}`,
      kind: status === 'cancelled' || statusReason === 'DECLINED' ? 'plain' : 'danger',
      at,
    }
  }
  const text = status === 'executed' ? 'was accepted by the broker and has not filled' : STATUS_NAMES[status]
  return {
    key: `${symbol} ${status}`,
    text: `${symbol} ${text}`,
    kind: status === 'pending' ? 'warn' : 'plain',
    at,
  }
}

function silent({ hooks, signals }: Day, now: number): Reason[] {
  if (hooks.length === 0 && signals.length === 0)
    return [{ key: 'nobody', text: NO_SENDER, count: null, kind: 'warn', at: null }]
  return hooks
    .filter(({ requests }) => requests.length === 0)
    .map(({ hook: { id, name, lastRequestAt } }) => ({
      key: `${id} silent`,
      text: `${name}: no message came today; ${lastRequestAt === null ? 'none ever did' : `the last one came ${age(now - Date.parse(lastRequestAt))}`}.`,
      count: null,
      kind: 'warn',
      at: { hook: id },
    }))
}

const NO_SENDER = 'No signal came today, and no hook sends for this strategy: signals name it by its id.'

/** "2 signals received today have filled". */
export const todayTitle = (filled: number): string =>
  filled === 0
    ? 'No signal received today has filled'
    : filled === 1
      ? '1 signal received today has filled'
      : `${number(filled)} signals received today have filled`
