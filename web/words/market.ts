import { DAY_MS, MINUTE_MS } from '#domain/time/instants.ts'
import { dayIn, duration, minuteIn, shortTime, timeLeft } from './times.ts'

/** A regular session, as GET /market/sessions lists it. */
export interface Session {
  opensAt: string
  closesAt: string
}

/** Regular open and close of the New York exchanges. */
const USUAL = { opens: '09:30', closes: '16:00' }

export interface MarketState {
  isOpen: boolean
  /** "Market open, closes in 2:14:05". */
  words: string
  /** "Open · 2 h 14 min left". */
  short: string
}

/** State of the market at an instant; null beyond the known sessions. */
export function marketState(sessions: readonly Session[], now: number): MarketState | null {
  const next = sessions.find(({ closesAt }) => Date.parse(closesAt) > now)
  if (!next) return null
  const { opensAt, closesAt } = next
  if (Date.parse(opensAt) <= now) {
    const left = Date.parse(closesAt) - now
    const early = closesEarly(next) ? `closes early, at ${minuteIn(closesAt, 'market')}, in` : 'closes in'
    return {
      isOpen: true,
      words: `Market open, ${early} ${timeLeft(left)}`,
      short: `${closesEarly(next) ? 'Early close' : 'Open'} · ${minutesLeft(left)}`,
    }
  }
  const left = Date.parse(opensAt) - now
  const isSoon = left < DAY_MS
  const opens = isSoon ? `in ${timeLeft(left)}` : shortTime(opensAt, now)
  const early = closesEarly(next) ? `, closes early at ${minuteIn(closesAt, 'market')}` : ''
  return {
    isOpen: false,
    words: `Market closed, opens ${opens}${early}`,
    short: isSoon ? `Closed · ${minutesLeft(left)}` : `Closed until ${dayIn(opensAt, 'market')}`,
  }
}

const minutesLeft = (ms: number): string => `${duration(Math.ceil(ms / MINUTE_MS) * MINUTE_MS)} left`

const closesEarly = ({ opensAt, closesAt }: Session): boolean =>
  minuteIn(opensAt, 'market') === USUAL.opens && minuteIn(closesAt, 'market') < USUAL.closes
