import { decimal } from '#domain/decimal.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { NewerTarget } from '#domain/target.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'

/**
 * Why a signal says no more what its sender wants: it was taken back, or waits for a person or for its time. Whatever else became of
 * it, also that it was refused, its sender has wanted something else since an older one.
 */
const SAYS_NOTHING = `(status in ('pending', 'scheduled') or status_reason in ('WITHDRAWN', 'DECLINED', 'SUPERSEDED'))`

/**
 * The newest target of the account and symbol that was meant later than this one and has its place before it; null when there is none,
 * and when it was not said when this one was meant. Under the lock of account and symbol the same at each look: what is stored later
 * has its place behind.
 *
 * @param signalId null for a signal that is not stored, which has its place behind all others
 */
export async function newerTarget(
  em: EntityManager,
  { accountId, symbol, target }: Required<Pick<SignalTerms, 'accountId' | 'symbol' | 'target'>>,
  signalId: string | null,
): Promise<NewerTarget | null> {
  // A workflow that began before senders could say it knows of no such instant.
  if (!target.at) return null
  const [row] = await queryRows<NewerTarget>(
    em,
    `select id as "signalId", target ->> 'position' as position, target ->> 'at' as at from signals
     where account_id = ? and symbol = ? and ${MEANT_AT} > ? and not coalesce(${SAYS_NOTHING}, false)
       and (?::uuid is null or (turn_at, sequence) < (select turn_at, sequence from signals where id = ?::uuid))
     order by ${MEANT_AT} desc, sequence desc limit 1`,
    [accountId, symbol, target.at, signalId, signalId],
  )
  return row === undefined ? null : { ...row, position: decimal(row.position) }
}

/** All are written in one form, so that their order as text is that of time. An index has it. */
const MEANT_AT = `(target ->> 'at') collate "C"`
