import { readClockOffset } from '#brokers/clock-offset.ts'
import type { Broker } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { endWhenQuiet, raiseAlert } from '#db/alert/alerts.ts'
import { readClockDifference } from '#db/watch/clock-difference.ts'
import { clockDiffersByMuch } from '#domain/time/broker-clock.ts'
import { clockDiffers } from '#domain/alert/broker-alerts.ts'

export async function watchClock(
  {
    em,
    broker,
    accountId,
    quietMs,
  }: { em: EntityManager; broker: Broker; accountId: string; quietMs?: number | undefined },
  now: () => number = Date.now,
): Promise<void> {
  const account = { accountId, signalId: null }
  const offset = (await readClockOffset(broker, now)) - (await readClockDifference(em)) * 1_000
  if (clockDiffersByMuch(offset)) await raiseAlert(em, account, clockDiffers(offset))
  else await endWhenQuiet(em, account, 'clock_differs', quietMs)
}
