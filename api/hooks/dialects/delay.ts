import { compare } from '#domain/decimal.ts'
import type { SenderFields } from './sender-fields.ts'

const LONGEST_DELAY = 86_400

/** Seconds, rounded up; null for none. */
export function delayOf(fields: SenderFields): number | null {
  const given = fields.optional('delay')
  const value = fields.number(given)
  if (value === null || given === null || value === '0') return null
  if (compare(value, '0') > 0 && compare(value, String(LONGEST_DELAY) as `${number}`) <= 0)
    return Math.ceil(Number(value))
  fields.fault(
    given,
    'out_of_range',
    `${given.name} must be from 0 to ${LONGEST_DELAY} seconds, which is a day`,
  )
  return null
}
