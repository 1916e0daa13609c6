import { decimal } from '#domain/money/decimal.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { NewerTarget } from '#domain/signal/target.ts'
import type { EntityManager } from '../engine/database.ts'
import { queryRows } from '../engine/row-security.ts'
import { haveOneManager } from '../position/owners.ts'

/** SQL condition: withdrawn or not yet in force. */
const SAYS_NOTHING = `(status in ('pending', 'scheduled') or status_reason in ('WITHDRAWN', 'DECLINED', 'SUPERSEDED'))`

/** A target for the same shares, meant later but queued earlier. Requires the lock of account and symbol. */
export async function newerTarget(
  em: EntityManager,
  { accountId, symbol, target }: Required<Pick<SignalTerms, 'accountId' | 'symbol' | 'target'>>,
  signalId: string,
): Promise<NewerTarget | null> {
  // Older workflows lack `at`.
  if (!target.at) return null
  const [row] = await queryRows<NewerTarget>(
    em,
    `select id as "signalId", target ->> 'position' as position, target ->> 'at' as at from signals o
     where account_id = ? and symbol = ? and ${MEANT_AT} > ? and not coalesce(${SAYS_NOTHING}, false)
       and exists (select from signals s where s.id = ? and (o.queued_at, o.sequence) < (s.queued_at, s.sequence)
         and (o.manages = 'position' and s.manages = 'position' or ${haveOneManager('o', 's')}))
     order by ${MEANT_AT} desc, sequence desc limit 1`,
    [accountId, symbol, target.at, signalId],
  )
  return row === undefined ? null : { ...row, position: decimal(row.position) }
}

/** Text in one form sorts by time. Indexed. */
const MEANT_AT = `(target ->> 'at') collate "C"`
