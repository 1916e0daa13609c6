import { POSITION_DIFFERS, senderDiffers } from '#domain/signal/sender-position.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { toStorableJson } from '../engine/json.ts'
import type { EntityManager } from '../engine/database.ts'
import { raiseAlert } from '../alert/alerts.ts'

/** Notifies once for a signal; `difference` is for people. */
export async function notifySenderDiffers(
  em: EntityManager,
  { accountId, signalId, symbol }: Pick<SignalTerms, 'accountId' | 'signalId' | 'symbol'>,
  difference: string,
): Promise<void> {
  const rows = await em.execute<unknown[]>(
    // A decided order is part of the quantity on order.
    `update signals set advisories = advisories || ?::jsonb
     where id = ? and decisions -> 'entry' is null and not advisories @> ?::jsonb returning id`,
    [
      toStorableJson([{ code: POSITION_DIFFERS, message: difference }]),
      signalId,
      toStorableJson([{ code: POSITION_DIFFERS }]),
    ],
  )
  if (rows.length > 0)
    await raiseAlert(em, { accountId, signalId: null, symbol }, senderDiffers(signalId, difference))
}
