import type { Logger } from 'pino'
import { BrokerBusy, BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { AccountConnection } from '#db/account/sync.ts'
import { recordConnectionHealth, type ConnectionHealth } from '#db/broker/connection-health.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Announcer } from './order-reconciler.ts'
import { endWhenQuiet, isAlertOpen, raiseAlert, signalsWithoutExitForKeys } from '#db/alert/alerts.ts'
import { keysRejected } from '#domain/alert/alert.ts'

export interface HealthReporter {
  em: EntityManager
  announcer: Pick<Announcer, 'retryExit'>
  account: AccountConnection
  quietMs?: number | undefined
  log: Logger
}

export function healthIn(error: unknown): Exclude<ConnectionHealth, { found: 'answering' }> | null {
  if (error instanceof BrokerCredentialsError) return { found: 'rejected', detail: error.message }
  if (error instanceof BrokerBusy || error instanceof BrokerOutcomeUnknown)
    return { found: 'silent', detail: error.message }
  return null
}

/** `error` is null for an answer. The stream has its own alarm (`stream-alarm.ts`). */
export async function reportHealth(
  { em, announcer, account, quietMs, log }: HealthReporter,
  error: unknown,
): Promise<void> {
  const health: ConnectionHealth | null = error === null ? { found: 'answering' } : healthIn(error)
  if (health === null) return
  try {
    await recordConnectionHealth(em, account.brokerId, health)
    if (health.found === 'rejected') await alertToRejectedKeys(em, account, health.detail)
    if (health.found === 'answering') await resumeAfterRejectedKeys(em, announcer, account, quietMs)
  } catch (failure) {
    log.warn({ err: failure }, 'the connection’s health could not be recorded')
  }
}

async function alertToRejectedKeys(
  em: EntityManager,
  { accountId }: Pick<AccountConnection, 'accountId'>,
  detail: string,
): Promise<void> {
  await raiseAlert(em, { accountId, signalId: null }, keysRejected(detail))
}

/** The alert ends after the exits were notified, and after `quietMs` milliseconds. */
async function resumeAfterRejectedKeys(
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
