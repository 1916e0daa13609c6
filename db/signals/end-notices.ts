import type { AlertNotice } from '#domain/alert.ts'
import type { DenialCode } from '#domain/denial.ts'
import {
  endedInPart,
  endedUnfilled,
  ORDER_ENDINGS,
  SIGNAL_ENDINGS,
  type EndedWhat,
  type SignalEndingName,
  type Telling,
} from '#domain/endings.ts'
import { TERMINAL_STATUSES, type OrderOwner } from '#domain/order.ts'
import type { Raised } from './alert-changes.ts'

/**
 * The notices that are part of a write which ends something. They are raised with the first entry of the timeline of that
 * write alone: a step that is repeated tells nothing anew, whatever a person has acknowledged meanwhile.
 */

/**
 * Seconds after which nobody waits for the answer to a request any more that told how the entry ended. Less than the
 * answer deadline: what ends while the answer is under way is told twice and not never. A request that is answered at
 * once without an outcome is begun by the sweeper, which leaves it alone for as long.
 */
const ANSWERED_WITHIN = 1

const TOLD_ONCE = 'exists (select from told0)'
const ANSWER_IS_DUE = `now() - interval '${ANSWERED_WITHIN} second'`

/** SQL condition on `changed`: whoever sent or approved the signal, or placed the order, has no answer that tells its end. */
const isUnseen = ({ signalId }: OrderOwner): string =>
  signalId === undefined
    ? `exists (select from orders o where o.id = changed.id and o.created_at < ${ANSWER_IS_DUE})`
    : `exists (select from signals s where s.id = changed.id and (s.continues is not null or s.execute_mode <> 'immediate' and s.decided_at is null
         or greatest(s.accepted_at, s.decided_at) < ${ANSWER_IS_DUE}))`

const ofAction = (is: 'like' | 'not like'): string =>
  `exists (select from signals s where s.id = changed.id and s.action ${is} 'close%')`

const where = (...conditions: string[]): NonNullable<Raised['where']> => ({
  sql: [TOLD_ONCE, ...conditions].join(' and '),
  parameters: [],
})

/** One notice for each kind of signal or order, of which the condition lets one be raised. */
function forEach(
  owner: OrderOwner,
  noticeOf: (what: EndedWhat) => AlertNotice,
  ...conditions: string[]
): Raised[] {
  if (owner.signalId === undefined) return [{ ...noticeOf('manual'), where: where(...conditions) }]
  return [
    { ...noticeOf('opening'), where: where(ofAction('not like'), ...conditions) },
    { ...noticeOf('closing'), where: where(ofAction('like'), ...conditions) },
  ]
}

/** The news to the owner of a signal, or a manual order, that ends before its order is at the broker. */
export function toldOfEnding(
  owner: OrderOwner,
  ending: SignalEndingName,
  { message, code }: { message: string; code: DenialCode | 'EXPIRED' | null },
): Raised[] {
  const telling: Telling = SIGNAL_ENDINGS[ending].telling
  if (!('tells' in telling)) return []
  const conditions = telling.tells === 'unseen' ? [isUnseen(owner)] : []
  return forEach(owner, (what) => endedUnfilled(what, message, code), ...conditions)
}

/** Statuses of orders whose end is told when it was brought about in this way. */
const toldBy = (by: keyof (typeof ORDER_ENDINGS)['FILLED']): string =>
  TERMINAL_STATUSES.filter((status) => 'tells' in ORDER_ENDINGS[status][by])
    .map((status) => `'${status}'`)
    .join(', ')

/**
 * SQL condition on `changed`: its entry, or the manual order, has ended unasked, before it had filled completely. Once an exit is
 * planned the end of the entry has been told with that, and what ends later is the exit.
 */
function hasEndedEarly({ signalId }: OrderOwner): string {
  const which =
    signalId === undefined
      ? 'o.id = changed.id'
      : `o.client_order_id = changed.id || '-e1' and exists (select from signals s where s.id = changed.id and s.status = 'executed' and s.exit_submit_at is null)`
  return `exists (select from orders o where ${which} and o.filled_quantity < o.quantity and o.cancel_asked_by is null
    and (o.cancelled_for is null and o.status in (${toldBy('others')})
      or o.cancelled_for is not null and o.status in (${toldBy('gave_way')})))`
}

/** The news to the owner of an order that the broker had, and that has ended early. */
export const toldOfEarlyEnd = (owner: OrderOwner, message: string): Raised[] =>
  forEach(owner, (what) => endedUnfilled(what, message, null), hasEndedEarly(owner))

/** The same of an entry of which a part has filled, when the exit of that part is planned. */
export const toldOfPart = (signalId: string, message: string): Raised[] => [
  { ...endedInPart(message), where: where(hasEndedEarly({ signalId })) },
]
