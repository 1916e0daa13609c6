import assert from 'node:assert/strict'
import { NYSE_ZONE, nyseSessions } from '#domain/time/nyse.ts'
import { resolveExitTime } from '#domain/exit/schedule.ts'
import type { ExitSchedule, ExitRule } from '#domain/exit/exit.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { IS_LONG } from '#test/support/generators.ts'

/**
 * Every session of eleven years, or of one in the short form, with every trigger, in six zones, against rules that are written
 * down here a second time: from the sessions' own instants, and from the clocks of the zones as `Intl` shows them.
 */

type Rule = Pick<ExitRule, 'trigger' | 'minutes' | 'clockTime' | 'timeInForce'>

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const ZONES = [NYSE_ZONE, 'UTC', 'Europe/Berlin', 'Asia/Tokyo', 'Australia/Lord_Howe', 'America/Sao_Paulo']
const MINUTES = [0, 1, 15, 59, 60]
/** The opening and the close of New York and of other places, and a time that clock changes skip and repeat. */
const CLOCK_TIMES = ['09:30', '15:45', '16:00', '02:15', '23:59']
/** When the entry ends, counted from the opening or from the close of a session. */
const ENDS: [from: 'opensAt' | 'closesAt', milliseconds: number][] = [
  ['opensAt', -90 * MINUTE],
  ['opensAt', 0],
  ['opensAt', 1],
  ['opensAt', 97 * MINUTE],
  ['closesAt', -60 * MINUTE],
  ['closesAt', -15 * MINUTE],
  ['closesAt', -10 * MINUTE - 1],
  ['closesAt', -10 * MINUTE],
  ['closesAt', -10 * SECOND],
  ['closesAt', -1],
  ['closesAt', 0],
  ['closesAt', 5 * HOUR],
  ['closesAt', DAY],
]

const RULES: Rule[] = (['day', 'cls'] as const).flatMap((timeInForce) => {
  const rule = { minutes: null, clockTime: null, timeInForce }
  return [
    { ...rule, trigger: 'immediate' as const },
    ...MINUTES.map((minutes) => ({ ...rule, trigger: 'minutesAfterEntry' as const, minutes })),
    ...MINUTES.map((minutes) => ({ ...rule, trigger: 'minutesBeforeClose' as const, minutes })),
    ...CLOCK_TIMES.map((clockTime) => ({ ...rule, trigger: 'atClockTime' as const, clockTime })),
  ]
})

/** What the clocks of a zone show; one for each zone, because they are slow to make. */
const clocks = new Map(
  ZONES.map((zone) => {
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    })
    return [zone, (at: number): string => format.format(at)]
  }),
)

/** The first instant at which clocks in the zone show the local time; null when they skip it. */
function firstShowing(local: string, zone: string): number | null {
  const shown = clocks.get(zone)!
  const asUtc = Date.parse(`${local.replace(' ', 'T')}Z`)
  // What clocks are ahead of UTC is less than 15 hours and constant for at least a day on one side or the other.
  const offsets = [asUtc - DAY, asUtc + DAY].map((at) => Date.parse(`${shown(at).replace(' ', 'T')}Z`) - at)
  const candidates = offsets.map((offset) => asUtc - offset).toSorted((a, b) => a - b)
  return candidates.find((at) => shown(at) === local) ?? null
}

const known = new Map<string, number | null>()
function clockTimeOn(date: string, time: string, zone: string): number | null {
  const key = `${date} ${time}:00`
  const cached = known.get(`${key} ${zone}`)
  if (cached !== undefined) return cached
  const at = firstShowing(key, zone)
  known.set(`${key} ${zone}`, at)
  return at
}

interface Session {
  date: string
  opens: number
  closes: number
}

/** How long the exchange trades on all days but those on which it closes early. */
const USUAL_DAY = 6.5 * 60 * MINUTE

/** The rules once more: the moment that is asked for, then the first session that can still take the order at it. */
function expected(rule: Rule, ended: number, sessions: readonly Session[], zone: string): ExitSchedule {
  const auctionCutOff = rule.timeInForce === 'cls' ? 10 * MINUTE : 0
  const lastOf = ({ closes }: Session): number => closes - auctionCutOff - 10 * SECOND
  const moments = sessions.flatMap((session): { at: number; isEarly?: boolean }[] => {
    switch (rule.trigger) {
      case 'immediate':
        return [{ at: ended }]
      case 'minutesAfterEntry':
        return [{ at: ended + rule.minutes! * MINUTE }]
      case 'minutesBeforeClose':
        // At the close itself it would be too late; ten seconds are left.
        return [{ at: session.closes - (rule.minutes === 0 ? 10 * SECOND : rule.minutes! * MINUTE) }]
      case 'atClockTime': {
        const at = clockTimeOn(session.date, rule.clockTime!, zone)
        if (at === null) return []
        // On a usual day the exchange would still be open then.
        const isTooLateToday = at >= session.closes - auctionCutOff && at < session.opens + USUAL_DAY
        const closesEarly = session.closes < session.opens + USUAL_DAY
        return [isTooLateToday && closesEarly ? { at: lastOf(session), isEarly: true } : { at }]
      }
    }
  })
  const { at: asked, isEarly } = moments.find(({ at }) => at >= ended)!
  if (isEarly) return { submitAt: new Date(asked).toISOString(), reason: 'exit_moved_before_early_close' }
  const session = sessions.find(({ closes }) => asked < closes - auctionCutOff)!
  const submitAt = asked < session.opens ? session.opens : asked
  const during = sessions.find(({ opens, closes }) => opens <= ended && ended < closes)
  const isOfTheDay = rule.trigger === 'minutesBeforeClose' || rule.trigger === 'atClockTime'
  const rolled = submitAt !== asked || (isOfTheDay && during !== undefined && during.date !== session.date)
  return { submitAt: new Date(submitAt).toISOString(), reason: rolled ? 'exit_rolled_to_next_session' : null }
}

const [FIRST_YEAR, LAST_YEAR] = IS_LONG ? [2020, 2030] : [2025, 2025]

describe(`the time of an exit, in every session from ${FIRST_YEAR} to ${LAST_YEAR}`, function () {
  this.timeout(60_000)
  const sessions = nyseSessions(`${FIRST_YEAR}-01-01`, `${LAST_YEAR + 1}-01-31`)
  const inMilliseconds = sessions.map(({ date, opensAt, closesAt }) => ({
    date,
    opens: Date.parse(opensAt),
    closes: Date.parse(closesAt),
  }))
  const last = sessions.findIndex(({ date }) => date > `${LAST_YEAR}-12-31`)
  const around = <T>(all: readonly T[], index: number): T[] => all.slice(Math.max(0, index - 1), index + 12)

  const endOfEntry = (session: TradingSession, which: number): number => {
    const [from, milliseconds] = ENDS[which % ENDS.length]!
    return Date.parse(session[from]) + milliseconds
  }

  for (const [zoneIndex, zone] of ZONES.entries())
    it(`agrees with a second implementation of the rules, with clocks in ${zone}`, () => {
      let checked = 0
      for (let index = 0; index < last; index += 1) {
        const given = around(sessions, index)
        const same = around(inMilliseconds, index)
        for (const [ruleIndex, rule] of RULES.entries()) {
          // Every rule meets every end, each in another session, so that the grid stays small enough to try whole.
          const ended = endOfEntry(sessions[index]!, index + ruleIndex * 5 + zoneIndex * 3)
          const endedAt = new Date(ended).toISOString()
          const plan = resolveExitTime(rule, { endedAt, filledAt: endedAt }, given, zone)
          const { submitAt, reason } = expected(rule, ended, same, zone)
          if (plan.submitAt !== submitAt || plan.reason !== reason)
            assert.deepEqual(
              plan,
              { submitAt, reason },
              `${JSON.stringify(rule)} in ${zone}, ended ${endedAt}`,
            )
          checked += 1
        }
      }
      assert.equal(checked, last * RULES.length)
    })
})
