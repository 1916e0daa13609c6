import { notFilledIn, placeholdersWithin, withoutSecretsIn } from '../values/secrets.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import {
  addDays,
  instantToLocal,
  instantWithOffset,
  localToInstant,
  NonExistentLocalTimeError,
} from '#domain/time/wall-time.ts'
import { type SignalFields, signalFields } from './fields.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import type { Move } from '#domain/signal/move.ts'
import type { Protection } from '#domain/exit/protection.ts'
import type { SenderHolds } from '#domain/signal/sender-position.ts'
import { figure } from '#domain/money/decimal.ts'
import { TARGET_OVERRULES } from '#domain/signal/target.ts'
import { validationError, type Fault } from '../errors.ts'
import { allFaults, readFields, type Writer, type JsonObject } from '../values/fields.ts'
import { instantOf, isAmbiguous } from '../values/instants.ts'
import {
  entryFaults,
  isOverdue,
  EXIT_FIELDS,
  exitFaults,
  protectionFaults,
  sizeFaults,
  targetFaults,
  ValidFields,
} from './rules.ts'
import { spellingReported } from '../values/values.ts'

const MAX_PLACE_SHOWN = 100

function advisoriesOnMetadata(given: unknown): { code: string; message: string }[] {
  const kept = withoutSecretsIn(given, 'notes')
  const advisories: { code: string; message: string }[] = []
  const [first, ...others] = placeholdersWithin(kept, ['metadata'])
  if (first !== undefined) {
    const place = first.path.join('.').slice(0, MAX_PLACE_SHOWN)
    const more = others.length === 0 ? '' : `. There are ${others.length} more`
    advisories.push({
      code: 'unfilled_placeholder',
      message: `${place}: ${notFilledIn(first.placeholder)}. It is kept as it came${more}`,
    })
  }
  if (JSON.stringify(kept) !== JSON.stringify(given))
    advisories.push({
      code: 'secrets_not_kept',
      message:
        'metadata has fields that are named like secrets, or access tokens of this service: these values are not kept. Take them out of what is sent',
    })
  return advisories
}

/** Senders expect summer time in these zones. */
const WITHOUT_SUMMER_TIME: Readonly<Record<string, string>> = {
  EST: 'America/New_York follows the clocks of New York, with summer time',
  MST: 'America/Denver follows the clocks of Denver, with summer time',
  HST: 'it is the time of Pacific/Honolulu, which has no summer time',
}
const ETC = /^ETC\/GMT[+-]\d{1,2}$/

/** Every broker has the sessions of New York. */
const BROKER_ZONE = NYSE_ZONE

/** `now`: milliseconds since the epoch. */
function* zoneAdvisories(
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
      // The clocks go forward past it on this day.
      if (!(error instanceof NonExistentLocalTimeError)) throw error
    }
    date = addDays(date, 1)
  }
}

/** Templates write alerts; an empty sourceId is unfilled. */
export const SIGNAL_WRITER: Writer = { isTemplate: true, identity: 'sourceId' }

export interface Advisory {
  code: string
  message: string
}

const TRANSFORMED = ['scheduledProcessAt', 'validUntil', 'expiresAt', 'protection', ...EXIT_FIELDS] as const
type Plain = Omit<SignalFields, (typeof TRANSFORMED)[number]>

export type PlainRequest = { [Field in keyof Plain]-?: OrNull<Plain[Field]> }
type OrNull<Value> = undefined extends Value ? Exclude<Value, undefined> | null : Value

export interface SignalRequest extends PlainRequest {
  expiresAt: string | null
  scheduledAt: string | null
  validUntil: string | null
  exit: ExitRule | null
  protection: Protection | null
  advisories: Advisory[]
  /** Past times: faults of a new signal, while a repeated request finds the existing one by its sourceId. */
  overdue: Fault[]
  /** Replaces a step or a target; only from hooks. */
  move: Move | null
  /** The sender's position; only from hooks. */
  senderHolds: SenderHolds | null
  groupId: string | null
}

/**
 * Throws {@link ApiError} VALIDATION_ERROR, except for past times beside a sourceId. `now`: milliseconds since the
 * epoch.
 */
export function readSignalRequest(body: JsonObject, now: number): SignalRequest {
  const { values, faults: ofFields } = readFields(signalFields, body, SIGNAL_WRITER)
  const valid = new ValidFields(values, ofFields)
  const faults = allFaults(ofFields, [
    ...entryFaults(valid, now),
    ...targetFaults(valid, now),
    ...exitFaults(valid),
    ...protectionFaults(valid),
    ...sizeFaults(valid),
  ])
  const mayBeRepeated = values.sourceId !== undefined && values.dryRun !== true
  if (faults.length > 0 && !(mayBeRepeated && faults.every(isOverdue))) throw validationError(faults)
  // Without another fault every required field is set.
  const fields = values as SignalFields
  const advisories = [...advisoriesOn(fields, body, now), ...advisoriesOnMetadata(body['metadata'])]
  return { ...asRequest(fields), advisories, overdue: faults, move: null, senderHolds: null, groupId: null }
}

function asRequest(
  fields: SignalFields,
): Omit<SignalRequest, 'advisories' | 'overdue' | 'move' | 'senderHolds' | 'groupId'> {
  const { timezone } = fields
  const instant = (text: string | undefined) => (text === undefined ? null : instantOf(text, timezone!))
  return {
    ...plainRequest(fields),
    expiresAt: fields.expiresAt === undefined ? null : instantOf(fields.expiresAt, timezone),
    scheduledAt: instant(fields.scheduledProcessAt),
    validUntil: instant(fields.validUntil),
    exit: exitRuleOf(fields),
    protection: fields.protection ?? null,
  }
}

const plainRequest = (fields: {
  [Field in keyof Plain]: OrNull<Plain[Field]> | Plain[Field]
}): PlainRequest =>
  Object.fromEntries(
    Object.keys(signalFields)
      .filter((field) => !TRANSFORMED.some((transformed) => transformed === field))
      .map((field) => [field, fields[field as keyof Plain] ?? null]),
  ) as unknown as PlainRequest

function exitRuleOf(fields: SignalFields): ExitRule | null {
  if (fields.exitTriggerType === undefined) return null
  const orderType = fields.exitOrderType ?? 'market'
  return {
    // The earlier form `timed` means minutes after the entry.
    trigger: fields.exitTriggerType === 'timed' ? 'minutesAfterEntry' : fields.exitTriggerType,
    minutes: fields.exitTriggerValue ?? fields.exitTriggerMinutes ?? null,
    clockTime: fields.exitTriggerTime ?? null,
    orderType,
    limitPrice: fields.exitLimitPrice ?? null,
    stopPrice: fields.exitStopPrice ?? null,
    timeInForce: fields.exitTimeInForce ?? (orderType === 'moc' ? 'cls' : 'day'),
  }
}

function advisoriesOn(fields: SignalFields, body: JsonObject, now: number): Advisory[] {
  const spelling = spellingReported(String(body['symbol']), fields.symbol)
  const advisories: Advisory[] = [
    ...(spelling === null ? [] : [{ code: 'symbol_spelled', message: spelling }]),
    ...zoneAdvisories(fields, now),
  ]
  if (fields.targetPosition !== undefined) {
    advisories.push({
      code: TARGET_OVERRULES,
      message: `A position of ${figure(fields.targetPosition)} is wanted: the order is for the difference to it, and action and quantity do not count`,
    })
  }
  if (fields.exitTriggerType !== undefined && fields.timeInForce === 'gtc') {
    advisories.push({
      code: 'exit_rule_tif_may_not_terminate',
      message:
        'The exit waits until the gtc entry has ended: a partly filled entry that keeps working holds it up',
    })
  }
  const unused = EXIT_FIELDS.filter((field) => fields[field] !== undefined)
  if (fields.exitTriggerType === undefined && unused.length > 0) {
    advisories.push({
      code: 'exit_fields_without_trigger',
      message: `No exit will be placed: ${unused.join(', ')} say nothing without exitTriggerType`,
    })
  }
  for (const field of ['scheduledProcessAt', 'validUntil'] as const) {
    const text = fields[field]
    if (text !== undefined && isAmbiguous(text, fields.timezone!)) {
      advisories.push({
        code: 'ambiguous_local_time',
        message: `${field} happens twice in ${fields.timezone}, because the clocks are put back: the first is meant`,
      })
    }
  }
  return advisories
}
