import { unprotectedByMove, unprotectedByPart } from '#domain/alert.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { PlannedExit } from '#domain/exit-plan.ts'
import type { ExitReason } from '#domain/exit.ts'
import type { OrderPurpose } from '#domain/order.ts'
import { asArray } from '../engine/arrays.ts'
import type { Resolved } from './alert-changes.ts'
import type { LedgerWrite } from './ledger-statement.ts'

// An alert names its condition: the trouble, and the exit that it is for. Each step of an exit ends the conditions
// that are gone with it, and no others.

/** SQL condition on `alerts`: no exit of its signal was given up before a late fill reopened it. */
const NONE_GIVEN_UP = `not exists (
  select from signals s where s.id = alerts.signal_id
    and s.closings > 0 and s.exit_progress -> 'uncovered' <> '[]')`

const unprotected = (sql: string, parameters: unknown[] = []): Resolved => ({
  kind: 'unprotected_position',
  where: { sql, parameters },
})

const ONCE_PLANNED = unprotected(`alerts.data ->> 'trouble' = 'unplanned' and ${NONE_GIVEN_UP}`)

/** Shares that the last end had left have an exit again. */
export const ONCE_PLANNED_ANEW = unprotected(`alerts.data ->> 'trouble' = 'uncovered'`)

const ONCE_MOVED_BACK: Resolved = {
  ...unprotected(`alerts.data ->> 'trouble' = 'moved'`),
  inSameState: true,
}

export function alertsOncePlanned(
  shift: PlannedExit['shift'],
  submitAt: string,
  generation: number,
): Required<Pick<LedgerWrite, 'raises' | 'resolves'>> {
  return shift?.staysOpen
    ? { raises: [unprotectedByMove({ from: shift.from, submitAt }, generation)], resolves: [] }
    : { raises: [], resolves: shift ? [ONCE_PLANNED, ONCE_MOVED_BACK] : [ONCE_PLANNED] }
}

/** Exits that are late still while an order for this purpose works. One at its time, or at market, closes for all. */
const STILL_LATE: Record<OrderPurpose, readonly ExitReason[]> = {
  entry: [],
  plan: ['TIME'],
  target: ['TIME'],
  timed: [],
}

export function alertsOnceOut(
  generation: number,
  purpose: OrderPurpose,
): Pick<LedgerWrite, 'raises' | 'resolves'> {
  const parameters = [`exit-${generation}`]
  const isPart = (signal: string, besides = ''): string =>
    `exists (select from signals p, lateral (select p.decisions -> ?::text as size) sized where p.id = ${signal}
       and size -> 'leaves' is not null ${besides})`
  // The whole shares follow the part of a share at once; an existing alert lasts until they are out.
  const isAlerted = isPart('changed.id', `and size -> 'isFraction' is null`)
  const isWhole = `not ${isPart('alerts.signal_id')}`
  const isOut = `not coalesce(alerts.data ->> 'exitReason', '') = any(?::text[])`
  return {
    raises: [{ ...unprotectedByPart(generation), where: { sql: isAlerted, parameters } }],
    resolves: [
      { kind: 'fill_after_end', where: { sql: isWhole, parameters } },
      unprotected(`${isWhole} and ${NONE_GIVEN_UP} and ${isOut}`, [
        ...parameters,
        asArray(STILL_LATE[purpose]),
      ]),
    ],
  }
}

export const onceEnded = (rest: Decimal | null): readonly Resolved[] => [
  { kind: 'replaced_order_working' },
  { kind: 'exit_unfilled' },
  ...(rest === null ? ([{ kind: 'unprotected_position' }, { kind: 'fill_after_end' }] as const) : []),
]
