import type { StatusReason } from '#domain/denial.ts'
import {
  endedInPart,
  endedUnfilled,
  ORDER_ENDINGS,
  SIGNAL_ENDINGS,
  type OrderEndedBy,
  type SignalEndingName,
  type Telling,
} from '#domain/endings.ts'
import { TERMINAL_STATUSES, type OrderOwner } from '#domain/order.ts'
import type { Raised } from './alert-changes.ts'

// With the first entry of the write's timeline only: a repeated step notifies nobody again.

/** Seconds; below the answer deadline: an end meanwhile is notified twice rather than never. */
const ANSWERED_WITHIN = 1

const TOLD_ONCE = 'exists (select from told0)'
const ANSWER_IS_DUE = `now() - interval '${ANSWERED_WITHIN} second'`

/** SQL condition on `changed`: its sender or approver got no answer with its end. */
const isUnseen = ({ signalId }: OrderOwner): string =>
  signalId === undefined
    ? `exists (select from orders o where o.id = changed.id and o.created_at < ${ANSWER_IS_DUE})`
    : `exists (select from signals s where s.id = changed.id and (s.continues is not null or s.execute_mode <> 'immediate' and s.decided_at is null
         or greatest(s.accepted_at, s.decided_at) < ${ANSWER_IS_DUE}))`

const where = (...conditions: string[]): NonNullable<Raised['where']> => ({
  sql: [TOLD_ONCE, ...conditions].join(' and '),
  parameters: [],
})

export function toldOfEnding(
  owner: OrderOwner,
  ending: SignalEndingName,
  { message, code }: { message: string; code: StatusReason | null },
): Raised[] {
  const telling: Telling = SIGNAL_ENDINGS[ending].telling
  if (!('tells' in telling)) return []
  const conditions = telling.tells === 'unseen' ? [isUnseen(owner)] : []
  return [{ ...endedUnfilled(message, code), where: where(...conditions) }]
}

/** SQL list: statuses whose end, brought about in this way, the owner hears of. */
const toldBy = (by: OrderEndedBy): string =>
  ['', ...TERMINAL_STATUSES.filter((status) => 'tells' in ORDER_ENDINGS[status][by])]
    .map((status) => `'${status}'`)
    .join(', ')

/** SQL condition: the close for which order `o` is cancelled came from, or was approved by, a person. */
const IS_FOR_PERSON = `(exists (select from orders c join manual_orders m on m.order_id = c.id
    where c.client_order_id = o.cancelled_for and m.token_id is null)
  or exists (select from signals c where c.id = substring(o.cancelled_for from '^([0-9a-f-]{36})-e1$')::uuid
    and (c.token_id is null or c.decided_by is not null)))`

/** SQL condition on `changed`: ended unasked and incomplete. Once an exit is planned, that was notified. */
function hasEndedEarly({ signalId }: OrderOwner): string {
  const which =
    signalId === undefined
      ? 'o.id = changed.id'
      : `o.client_order_id = changed.id || '-e1' and exists (select from signals s where s.id = changed.id and s.status = 'executed' and s.exit_submit_at is null)`
  return `exists (select from orders o where ${which} and o.filled_quantity < o.quantity and o.cancel_asked_by is null
    and case
      when o.cancelled_for is null then o.status in (${toldBy('others')})
      when ${IS_FOR_PERSON} then o.status in (${toldBy('gave_way_to_person')})
      else o.status in (${toldBy('gave_way')}) end)`
}

export const toldOfEarlyEnd = (owner: OrderOwner, message: string): Raised[] => [
  { ...endedUnfilled(message, null), where: where(hasEndedEarly(owner)) },
]

export const toldOfPart = (signalId: string, message: string): Raised[] => [
  { ...endedInPart(message), where: where(hasEndedEarly({ signalId })) },
]
