import type { StatusReason } from '#domain/risk/denial.ts'
import {
  endedInPart,
  endedUnfilled,
  ORDER_ENDINGS,
  SIGNAL_ENDINGS,
  type OrderEndedBy,
  type SignalEndingName,
  type NotifyRule,
} from '#domain/signal/end-notices.ts'
import { TERMINAL_STATUSES } from '#domain/order/order.ts'
import type { Raised } from '../alert/changes.ts'

// Only a new timeline entry sends notices: a repeated step sends none.

/** Seconds, below the answer deadline: rather two notices than none. */
const ANSWERED_WITHIN = 1

const NOTIFIED_ONCE = 'exists (select from told0)'
const ANSWER_IS_DUE = `now() - interval '${ANSWERED_WITHIN} second'`

/** SQL condition on `changed`: no answer reported the end. */
const IS_UNSEEN = `exists (select from signals s where s.id = changed.id and (s.continues is not null or s.execute_mode <> 'immediate' and s.decided_at is null
         or greatest(s.accepted_at, s.decided_at) < ${ANSWER_IS_DUE}))`

const where = (...conditions: string[]): NonNullable<Raised['where']> => ({
  sql: [NOTIFIED_ONCE, ...conditions].join(' and '),
  parameters: [],
})

export function notifiedOfEnding(
  ending: SignalEndingName,
  { message, code }: { message: string; code: StatusReason | null },
): Raised[] {
  const telling: NotifyRule = SIGNAL_ENDINGS[ending].telling
  if (!('tells' in telling)) return []
  const conditions = telling.tells === 'unseen' ? [IS_UNSEEN] : []
  return [{ ...endedUnfilled(message, code), where: where(...conditions) }]
}

/** SQL list: statuses that notify the owner when ended by `by`. */
const reportedBy = (by: OrderEndedBy): string =>
  ['', ...TERMINAL_STATUSES.filter((status) => 'tells' in ORDER_ENDINGS[status][by])]
    .map((status) => `'${status}'`)
    .join(', ')

/** SQL condition: a person sent or approved the close for which `o` is cancelled. */
const IS_FOR_PERSON = `exists (select from signals c where c.id = substring(o.cancelled_for from '^([0-9a-f-]{36})-e1$')::uuid
    and (c.token_id is null or c.decided_by is not null))`

/** SQL condition on `changed`: the entry ended incomplete, unrequested; no scheduled exit has notified that. */
const HAS_ENDED_EARLY = `exists (select from orders o where o.client_order_id = changed.id || '-e1'
    and exists (select from signals s where s.id = changed.id and s.status = 'executed' and s.exit_submit_at is null)
    and o.filled_quantity < o.quantity and o.cancel_asked_by is null
    and case
      when o.cancelled_for is null then o.status in (${reportedBy('others')})
      when ${IS_FOR_PERSON} then o.status in (${reportedBy('gave_way_to_person')})
      else o.status in (${reportedBy('gave_way')}) end)`

export const notifiedOfEarlyEnd = (message: string): Raised[] => [
  { ...endedUnfilled(message, null), where: where(HAS_ENDED_EARLY) },
]

export const notifiedOfPart = (message: string): Raised[] => [
  { ...endedInPart(message), where: where(HAS_ENDED_EARLY) },
]
