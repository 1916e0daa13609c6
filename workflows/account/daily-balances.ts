import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow'
import type { SnapshotActivities } from '#activities/contract.ts'
import type { DailySnapshots, SnapshotSchedule } from './daily-balances-contract.ts'
import { millisecondsUntil } from '../steps/workflow-time.ts'

const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' } as const
const { scheduleSnapshots, fillSnapshots } = proxyActivities<SnapshotActivities>({
  startToCloseTimeout: '30 seconds',
  retry,
})
const { takeSnapshots } = proxyActivities<SnapshotActivities>({
  startToCloseTimeout: '20 minutes',
  heartbeatTimeout: '30 seconds',
  retry,
})

/** Records balances until the next session opens; a later run fills missing days. */
export async function dailySnapshotsWorkflow(): Promise<DailySnapshots[]> {
  const plans = await scheduleSnapshots.executeWithOptions(
    { summary: 'Read the calendars of the brokers' },
    [],
  )
  setCurrentDetails(plans.map(describe).join('\n\n'))
  return Promise.all(plans.map(recordDay))
}

async function recordDay({ past, ...plan }: SnapshotSchedule): Promise<DailySnapshots> {
  const { brokerType, date, from, until } = plan
  const filled = await fillSnapshots.executeWithOptions({ summary: `Days before ${date}: ${brokerType}` }, [
    { brokerType, windows: past },
  ])
  const wait = millisecondsUntil(from)
  if (wait > 0) await sleep(wait, { summary: `End of ${date}: ${brokerType}` })
  const taken = await takeSnapshots.executeWithOptions({ summary: `Balances of ${date}: ${brokerType}` }, [
    { brokerType, date, until },
  ])
  return { brokerType, date, ...taken, filled }
}

const describe = ({ brokerType, date, from, until, calendarTrouble }: SnapshotSchedule): string =>
  `${brokerType}: the end of ${date}, from ${from} to ${until}` +
  (calendarTrouble === null ? '' : `, by the exchange's calendar: ${calendarTrouble}`)
