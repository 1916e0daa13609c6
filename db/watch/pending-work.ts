import type { EntityManager } from '../engine/database.ts'
import { IS_NOT_ENDED } from '../hook/requests.ts'
import { IS_TO_SPREAD } from '../notify/events.ts'
import { IS_DUE } from '../notify/outbox.ts'
import { REVOKED_WAITING } from '../signal/of-tokens.ts'
import { IS_UNSTARTED } from './open-work.ts'

const KINDS_AT_HAND = {
  unstarted: IS_UNSTARTED,
  withdrawals: `exists (select from ${REVOKED_WAITING})`,
  messages: `exists (select from hook_requests where ${IS_NOT_ENDED})`,
  notifications: `(exists (select from outbox where ${IS_DUE}) or exists (select from webhook_events where ${IS_TO_SPREAD}))`,
}

export type PendingWork = keyof typeof KINDS_AT_HAND

/** One statement for all kinds, as it runs every second. */
export async function pendingWork(em: EntityManager): Promise<ReadonlySet<PendingWork>> {
  const [row] = await em.execute<Record<PendingWork, boolean>[]>(
    `select ${Object.entries(KINDS_AT_HAND)
      .map(([kind, isThere]) => `${isThere} as ${kind}`)
      .join(', ')}`,
  )
  return new Set((Object.keys(KINDS_AT_HAND) as PendingWork[]).filter((kind) => row![kind]))
}
