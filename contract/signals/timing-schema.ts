import { addDays } from '#domain/wall-time.ts'
import { z } from 'zod'
import { fault, validationError } from '../errors.ts'
import { localDate } from '../values/instants.ts'
import { uuid } from '../values/values.ts'

const MOST_DAYS = 92
const USUAL_DAYS = 7
/** The first day that PostgreSQL reads in this form. */
const FIRST_DAY = '0001-01-01'

export const timingQuery = z.strictObject({
  from: localDate().describe('The first day; six days before `to` when left out').optional(),
  to: localDate().describe('The last day, included; today when left out').optional(),
  accountId: uuid().describe('Signals of this account alone').optional(),
})

/** Throws {@link ApiError} VALIDATION_ERROR. `today`: the day of the exchange. */
export function daysAskedFor(
  asked: { from?: string | undefined; to?: string | undefined },
  today: string,
): { from: string; to: string } {
  const { to = today } = asked
  const usual = addDays(to, 1 - USUAL_DAYS)
  const { from = usual < FIRST_DAY ? FIRST_DAY : usual } = asked
  if (from > to) throw validationError([fault(['from'], 'wrong_order', `from must not be later than ${to}`)])
  if (from < addDays(to, 1 - MOST_DAYS))
    throw validationError([
      fault(['from'], 'too_many_days', `from must be less than ${MOST_DAYS} days before ${to}`),
    ])
  return { from, to }
}
