import { NYSE_ZONE } from '#domain/calendar/nyse.ts'
import {
  addDays,
  instantToLocal,
  instantWithOffset,
  localToInstant,
  NonExistentLocalTimeError,
} from '#domain/wall-time.ts'
import type { SignalFields } from './fields.ts'

/** Their names are read as those of a clock with summer time. */
const WITHOUT_SUMMER_TIME: Readonly<Record<string, string>> = {
  EST: 'America/New_York follows the clocks of New York, with summer time',
  MST: 'America/Denver follows the clocks of Denver, with summer time',
  HST: 'it is the time of Pacific/Honolulu, which has no summer time',
}
const ETC = /^ETC\/GMT[+-]\d{1,2}$/

/** Every broker here has the sessions of New York. */
const BROKER_ZONE = NYSE_ZONE

/** `now`: milliseconds since the epoch. */
export function* zoneAdvisories(
  { timezone, exitTriggerTime }: Pick<SignalFields, 'timezone' | 'exitTriggerTime'>,
  now: number,
): Generator<{ code: string; message: string }> {
  if (timezone === undefined) return
  const fixed = fixedOffset(timezone)
  if (fixed !== null) yield { code: 'fixed_offset_zone', message: fixed }
  if (exitTriggerTime === undefined) return
  const at = nextInBrokerZone(exitTriggerTime, now)
  const [there, here] = [instantToLocal(at, BROKER_ZONE), instantToLocal(at, timezone)]
  if (there.date === here.date && there.time === here.time) return
  yield {
    code: 'exit_time_in_broker_zone',
    message:
      `exitTriggerTime is a time in ${BROKER_ZONE}, the zone of the broker, not in ${timezone}: ` +
      `${there.date} ${there.time.slice(0, 5)} in ${BROKER_ZONE} is ${here.date} ${here.time.slice(0, 5)} in ${timezone}`,
  }
}

function fixedOffset(zone: string): string | null {
  const name = zone.toUpperCase()
  const better = Object.hasOwn(WITHOUT_SUMMER_TIME, name) ? WITHOUT_SUMMER_TIME[name]! : null
  const isTurnedRound = ETC.test(name)
  const [, sign = '', hours = '00'] =
    /([+-])(\d\d):\d\d$/.exec(instantWithOffset('2026-01-01T00:00:00Z', zone)) ?? []
  if ((better === null && !isTurnedRound) || Number(hours) === 0) return null
  const offset = `UTC${sign}${Number(hours)} the whole year`
  return isTurnedRound
    ? `${zone} means ${offset}: the sign in its name is turned round, and it has no summer time`
    : `${zone} is ${offset}; ${better}`
}

function nextInBrokerZone(time: string, now: number): string {
  let { date } = instantToLocal(new Date(now).toISOString(), BROKER_ZONE)
  for (;;) {
    try {
      const instant = localToInstant(`${date}T${time}`, BROKER_ZONE)
      if (Date.parse(instant) > now) return instant
    } catch (error) {
      // The clocks are put forward past it on this day.
      if (!(error instanceof NonExistentLocalTimeError)) throw error
    }
    date = addDays(date, 1)
  }
}
