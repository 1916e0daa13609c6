import type { AccountConnection } from '#db/accounts/sync.ts'
import { endWhenQuiet, isAlertOpen, raiseAlert, signalsWithoutExitForKeys } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { keysRejected } from '#domain/alert.ts'
import type { Announcer } from './order-reconciler.ts'

export async function alertToRejectedKeys(
  em: EntityManager,
  { accountId }: Pick<AccountConnection, 'accountId'>,
  detail: string,
): Promise<void> {
  await raiseAlert(em, { accountId, signalId: null }, keysRejected(detail))
}

/** After a rejection the exits that it kept back are tried; the alert ends once they were told, and after
 * `quietMs` milliseconds. */
export async function resumeAfterRejectedKeys(
  em: EntityManager,
  announcer: Pick<Announcer, 'retryExit'>,
  { accountId }: Pick<AccountConnection, 'accountId'>,
  quietMs?: number,
): Promise<void> {
  const account = { accountId, signalId: null }
  if (!(await isAlertOpen(em, account, 'credentials'))) return
  for (const signalId of await signalsWithoutExitForKeys(em, accountId)) await announcer.retryExit(signalId)
  await endWhenQuiet(em, account, 'credentials', quietMs)
}
