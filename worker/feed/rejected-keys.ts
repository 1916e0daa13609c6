import type { AccountConnection } from '#db/accounts/sync.ts'
import { isAlertOpen, raiseAlert, resolveAlert, signalsWithoutExitForKeys } from '#db/risk/alerts.ts'
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
 * once; only when all of them have been told is the alert over.
 */
export async function resumeAfterRejectedKeys(
  em: EntityManager,
  announcer: Pick<Announcer, 'retryExit'>,
  { accountId }: Pick<AccountConnection, 'accountId'>,
): Promise<void> {
  const account = { accountId, signalId: null }
  if (!(await isAlertOpen(em, account, 'credentials'))) return
  for (const signalId of await signalsWithoutExitForKeys(em, accountId)) await announcer.retryExit(signalId)
  await resolveAlert(em, account, 'credentials')
}
