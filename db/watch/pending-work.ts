import type { EntityManager } from '../engine/database.ts'
import { IS_NOT_ENDED } from '../hook/requests.ts'
import { IS_DUE } from '../notify/outbox.ts'
import { REVOKED_WAITING } from '../signal/of-tokens.ts'
import { IS_UNSTARTED } from './open-work.ts'

/** Stored work that some process has to take up. */
const KINDS_AT_HAND = {
  unstarted: IS_UNSTARTED,
  withdrawals: `exists (select from ${REVOKED_WAITING})`,
  messages: `exists (select from hook_requests where ${IS_NOT_ENDED})`,
  notifications: `exists (select from push_outbox where ${IS_DUE})`,
}

export type WorkAtHand = keyof typeof KINDS_AT_HAND

/** One statement for all kinds, because it runs once a second while nothing happens. */
export async function workAtHand(em: EntityManager): Promise<ReadonlySet<WorkAtHand>> {
  const [row] = await em.execute<Record<WorkAtHand, boolean>[]>(
    `select ${Object.entries(KINDS_AT_HAND)
      .map(([kind, isThere]) => `${isThere} as ${kind}`)
      .join(', ')}`,
  )
  return new Set((Object.keys(KINDS_AT_HAND) as WorkAtHand[]).filter((kind) => row![kind]))
}
