import type { EntryVerdict } from '../risk/entry-verdict.ts'
import { verdict } from '../risk/broker-data-checks.ts'
import { isOpening, type Action } from '../signal/signal.ts'
import type { TradingSession } from '../time/session.ts'
import { MINUTE_MS, instantAfter } from '../time/instants.ts'

/** No positions from `minutes` before the close until the session has ended. */
export interface FlatByClose {
  minutes: number
  /** Closes manual positions too; only for accounts. */
  includeManual: boolean
}

export const MOST_MINUTES = 120

export interface FlatSettings {
  account: FlatByClose | null
  strategy: FlatByClose | null
  hook: FlatByClose | null
}

export interface FlatWindow {
  session: TradingSession
  from: number
  alarmAt: number
  until: number
}

/** Null where the calendar ends earlier. */
export function nextFlatWindow(
  sessions: readonly TradingSession[],
  { minutes }: Pick<FlatByClose, 'minutes'>,
  now: number,
): FlatWindow | null {
  const [session] = sessions
    .filter(({ closesAt }) => Date.parse(closesAt) > now)
    .toSorted((a, b) => Date.parse(a.closesAt) - Date.parse(b.closesAt))
  if (session === undefined) return null
  const until = Date.parse(session.closesAt)
  // A shorter session is left as soon as it opens.
  const from = Math.max(until - minutes * MINUTE_MS, Date.parse(session.opensAt))
  return { session, from, alarmAt: until - (minutes * MINUTE_MS) / 2, until }
}

const WHOSE = { account: 'the account', strategy: 'the strategy', hook: 'the hook' } as const

export const binding = (
  { account, strategy, hook }: FlatSettings,
  isManual: boolean,
): { whose: keyof FlatSettings; setting: FlatByClose }[] =>
  (
    [
      ['account', isManual && account?.includeManual === false ? null : account],
      ['strategy', strategy],
      ['hook', hook],
    ] as const
  ).flatMap(([whose, setting]) => (setting === null ? [] : [{ whose, setting }]))

export function flatVerdict(
  { action }: { action: Action },
  settings: FlatSettings,
  isManual: boolean,
  { at, sessions }: { at: number; sessions: readonly TradingSession[] },
): EntryVerdict {
  const rule = 'flatByClose'
  if (!isOpening(action)) return { rule, outcome: 'skipped', message: 'Positions may be closed at any time' }
  const bound = binding(settings, isManual)
  if (bound.length === 0)
    return { rule, outcome: 'skipped', message: 'No flat-by-close setting applies to this order' }
  const closed = bound.find(({ setting }) => {
    const window = nextFlatWindow(sessions, setting, at)
    return window !== null && at >= window.from
  })
  const until = closed && nextFlatWindow(sessions, closed.setting, at)!.session.closesAt
  return verdict(rule, closed === undefined, 'FLAT_BY_CLOSE', {
    kept: 'The time before the close without openings has not begun',
    broken: closed
      ? `${WHOSE[closed.whose]} is flat by the close, from ${closed.setting.minutes} min before it: nothing is opened until ${until}`
      : '',
  })
}

export interface ClosingTime {
  sendBefore: string | null
  /** Milliseconds that a close is worth sending; null if its sender gave the instant. */
  worthFor: number | null
}

export interface GivingWay {
  working: readonly string[]
  /** The last cancel request; UTC, by the database's clock. */
  askedAt: string
}

/** A close does not age while it waits for our own cancel; then it counts as new. Null for no limit. */
export function closeBefore(
  { sendBefore, worthFor }: ClosingTime,
  givingWay: GivingWay | null,
): string | null {
  if (sendBefore === null || worthFor === null || givingWay === null) return sendBefore
  if (givingWay.working.length > 0) return null
  const anew = instantAfter(givingWay.askedAt, worthFor)
  return anew > sendBefore ? anew : sendBefore
}
