import type { AccountConnection } from '#db/accounts/sync.ts'
import { endWhenQuiet, isAlertOpen, raiseAlert, signalsWithoutExitForKeys } from '#db/risk/alerts.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { keysRejected } from '#domain/alert.ts'
import type { Announcer } from './order-reconciler.ts'

/** The broker rejects the keys of an account: its owner is alerted until it accepts them. */
export async function alertToRejectedKeys(
  em: EntityManager,
  { accountId }: Pick<AccountConnection, 'accountId'>,
  detail: string,
): Promise<void> {
  await raiseAlert(em, { accountId, signalId: null }, keysRejected(detail))
}

/**
 * The broker accepts the keys of an account. If it did not before, the exits that it refused for that are tried at
 * once; the alert is over once all of them have been told, and the keys have been accepted for a quiet time.
 *
 * @param quietMs milliseconds
 */
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
