import { unprotectedByPart } from '#domain/alert.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { Resolved } from './alert-changes.ts'
import type { LedgerWrite } from './ledger-statement.ts'

// A step of an exit ends only alerts whose cause is gone with it.

/** SQL condition on `alerts`: no exit of its signal was given up before a late fill reopened it. */
const NONE_GIVEN_UP = `not exists (
  select from signals s where s.id = alerts.signal_id
    and s.reopen_state #> '{resumeState,exit,uncovered}' <> '[]')`

export const ONCE_PLANNED: readonly Resolved[] = [
  {
    kind: 'unprotected_position',
    where: { sql: `alerts.data ->> 'trouble' = 'unplanned' and ${NONE_GIVEN_UP}`, parameters: [] },
  },
]

export const ONCE_MOVED_BACK: Resolved = {
  kind: 'unprotected_position',
  where: { sql: `alerts.data ->> 'trouble' = 'moved'`, parameters: [] },
  inSameState: true,
}

export function alertsOnceOut(generation: number): Pick<LedgerWrite, 'raises' | 'resolves'> {
  const parameters = [`exit-${generation}`]
  const isPart = (signal: string, besides = ''): string =>
    `exists (select from signals p, lateral (select p.decisions -> ?::text as size) sized where p.id = ${signal}
       and size -> 'leaves' is not null ${besides})`
  // The whole shares follow the part of a share at once; an existing alert lasts until they are out.
  const isAlerted = isPart('changed.id', `and size -> 'isFraction' is null`)
  const isWhole = `not ${isPart('alerts.signal_id')}`
  return {
    raises: [{ ...unprotectedByPart(generation), where: { sql: isAlerted, parameters } }],
    resolves: [
      { kind: 'fill_after_end', where: { sql: isWhole, parameters } },
      { kind: 'unprotected_position', where: { sql: `${isWhole} and ${NONE_GIVEN_UP}`, parameters } },
    ],
  }
}

export const onceEnded = (unprotected: Decimal | null): readonly Resolved[] => [
  { kind: 'replaced_order_working' },
  { kind: 'exit_unfilled' },
  ...(unprotected === null ? ([{ kind: 'unprotected_position' }, { kind: 'fill_after_end' }] as const) : []),
]
