import { mapLimit } from '#domain/async/map-limit.ts'
import { ApplicationFailure } from '@temporalio/activity'
import { BrokerCredentialsError, type Broker, type BrokerConnectionSettings } from '#brokers/port.ts'
import { readSessions } from '#brokers/sessions.ts'
import {
  countSnapshots,
  fillFromDayStarts,
  listAccountsWithoutSnapshot,
  listBrokersInUse,
  recordBalanceSnapshot,
  type BrokerInUse,
} from '#db/account/balance-snapshots.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordSnapshotSchedule } from '#db/watch/overdue-work.ts'
import type { EncryptionKeys } from '#db/broker/secret-box.ts'
import { pastWindows, snapshotWindowAt, snapshotWindows } from '#domain/account/balance-snapshot.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import type { TradingSession } from '#domain/time/session.ts'
import { addDays } from '#domain/time/wall-time.ts'
import type { SnapshotSchedule } from '#workflows/account/daily-balances-contract.ts'
import { BrokerDirectory } from '../brokers.ts'
import type { SnapshotActivities, TakeSnapshotsInput } from '../contract.ts'
import { withHeartbeat } from '../failures.ts'

export interface SnapshotDependencies {
  em: EntityManager
  secretKeys: EncryptionKeys
  connectBroker(settings: BrokerConnectionSettings): Broker
  requestTimeoutMs: number
  now?(): number | Promise<number>
}

/** Days before today that are filled later: downtimes are hardly ever longer. */
const DAYS_BACK = 14
const DAYS_AHEAD = 14
/** Brokers limit requests, and orders come first. */
const SNAPSHOTS_AT_ONCE = 5

export function createSnapshotActivities({
  em,
  secretKeys,
  connectBroker,
  requestTimeoutMs,
  now = Date.now,
}: SnapshotDependencies): SnapshotActivities {
  const directory = new BrokerDirectory(em, secretKeys, connectBroker, requestTimeoutMs, 'comparison')
  return {
    async scheduleSnapshots() {
      const at = new Date(await now()).toISOString()
      const plans = await Promise.all(
        (await listBrokersInUse(em)).map((inUse) => scheduleFor(directory, inUse, at)),
      )
      for (const plan of plans) await recordSnapshotSchedule(em, plan)
      return plans
    },
    fillSnapshots: ({ brokerType, windows }) => fillFromDayStarts(em, brokerType, windows),
    takeSnapshots: (input) => withHeartbeat(() => takeSnapshots({ em, directory, now }, input)),
  }
}

async function scheduleFor(
  directory: BrokerDirectory,
  { brokerType, accountIds }: BrokerInUse,
  now: string,
): Promise<SnapshotSchedule> {
  const today = now.slice(0, 10)
  const days = { from: addDays(today, -DAYS_BACK), to: addDays(today, DAYS_AHEAD), after: now }
  const { sessions, trouble } = await readCalendar(directory, accountIds, days)
  const asReported = snapshotWindows(sessions)
  const next = snapshotWindowAt(now, asReported)
  if (next) return { brokerType, ...next, past: pastWindows(now, asReported), calendarTrouble: null }
  const ruled = snapshotWindows(nyseSessions(days.from, days.to))
  return {
    brokerType,
    ...snapshotWindowAt(now, ruled)!,
    past: pastWindows(now, ruled),
    calendarTrouble: trouble ?? 'the broker’s calendar ends before today',
  }
}

async function readCalendar(
  directory: BrokerDirectory,
  accountIds: readonly string[],
  days: { from: string; to: string; after: string },
): Promise<{ sessions: TradingSession[]; trouble: string | null }> {
  let trouble: string | null = null
  for (const accountId of accountIds) {
    try {
      const broker = await directory.forAccount(accountId)
      return { sessions: await readSessions(broker, days), trouble: null }
    } catch (error) {
      directory.forget(accountId)
      trouble = messageOf(error)
    }
  }
  return { sessions: [], trouble }
}

/** Throws `BrokersNotAsked`, to be retried, when a broker gave no answer; not for rejected keys. */
async function takeSnapshots(
  {
    em,
    directory,
    now,
  }: Pick<SnapshotDependencies, 'em'> &
    Required<Pick<SnapshotDependencies, 'now'>> & { directory: BrokerDirectory },
  { brokerType, date, until }: TakeSnapshotsInput,
): Promise<{ recorded: number; missing: number }> {
  const waiting = await listAccountsWithoutSnapshot(em, brokerType, date)
  const troubles: string[] = []
  let hasEnded = false
  await mapLimit(SNAPSHOTS_AT_ONCE, waiting, async (accountId) => {
    hasEnded ||= (await now()) >= Date.parse(until)
    if (hasEnded) return
    const balances = await askForBalances(directory, accountId, troubles)
    if (balances) await recordBalanceSnapshot(em, { accountId, date, ...balances })
  })
  if (troubles.length > 0) {
    const message = `${troubles.length} of ${waiting.length} accounts could not be asked: ${troubles[0]}`
    throw ApplicationFailure.create({ message, type: 'BrokersNotAsked' })
  }
  return countSnapshots(em, brokerType, date)
}

/** Null without an answer. */
async function askForBalances(directory: BrokerDirectory, accountId: string, troubles: string[]) {
  try {
    const { equity, cashBalance } = await (await directory.forAccount(accountId)).getAccount()
    return { equity, cashBalance }
  } catch (error) {
    directory.forget(accountId)
    if (!(error instanceof BrokerCredentialsError)) troubles.push(messageOf(error))
    return null
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
