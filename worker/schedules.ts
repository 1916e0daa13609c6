import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleOptions,
} from '@temporalio/client'
import type { Logger } from 'pino'
import { periodically, type Part } from '#config/periodically.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import {
  ALL_ACCOUNTS_SYNC_WORKFLOW,
  DAILY_SNAPSHOTS_WORKFLOW,
  FLAT_BY_CLOSE_WORKFLOW,
} from '#workflows/names.ts'
import { registerSearchAttributes } from './search-attributes.ts'

interface Schedule {
  /** Workflows of the schedule are named after this id. */
  id: string
  note: string
  spec: ScheduleOptions['spec']
  /** Takes no argument. Only one runs at a time. */
  workflow: string
  /** Work due this long ago is done after an outage. */
  catchupWindow: `${number} ${'minutes' | 'hours' | 'days'}`
  /** A new installation does not wait for its first time. */
  startsAtOnce?: true
}

/** Milliseconds. */
export interface ScheduleSettings {
  ACCOUNT_SYNC_INTERVAL: number
}

/** Schedules of the service. */
export const schedules = ({ ACCOUNT_SYNC_INTERVAL }: ScheduleSettings): readonly Schedule[] => [
  {
    id: 'sync-accounts',
    note: 'Compares every account with its broker, even when the feed works',
    spec: { intervals: [{ every: ACCOUNT_SYNC_INTERVAL }] },
    workflow: ALL_ACCOUNTS_SYNC_WORKFLOW,
    catchupWindow: '1 minutes',
  },
  {
    id: 'daily-snapshots',
    note: 'Records the balances with which each day of the exchange ends',
    // Noon is before the close of any day. A run waits for the close, or catches up with the last one.
    spec: { calendars: [{ hour: 12 }], timezone: NYSE_ZONE },
    workflow: DAILY_SNAPSHOTS_WORKFLOW,
    catchupWindow: '1 days',
    startsAtOnce: true,
  },
  {
    id: 'flat-by-close',
    note: 'Begins to close the positions that must be closed by the end of the session',
    // Settings and calendars may change: each look reads them again.
    spec: { intervals: [{ every: 60_000 }] },
    workflow: FLAT_BY_CLOSE_WORKFLOW,
    catchupWindow: '1 minutes',
    startsAtOnce: true,
  },
]

/**
 * Creates or updates the schedules at the Temporal server; several workers may do so at once. A paused schedule stays
 * paused.
 */
export async function ensureSchedules(
  client: Client,
  taskQueue: string,
  wanted: readonly Schedule[],
): Promise<void> {
  for (const { id, note, spec, workflow, catchupWindow, startsAtOnce = false } of wanted) {
    const what = {
      spec,
      action: {
        type: 'startWorkflow',
        workflowType: workflow,
        workflowId: id,
        taskQueue,
        workflowTaskTimeout: '5s',
        staticSummary: note,
      },
      policies: { overlap: 'SKIP', catchupWindow },
    } satisfies Partial<ScheduleOptions>
    try {
      await client.schedule.create({
        scheduleId: id,
        ...what,
        state: { note, triggerImmediately: startsAtOnce },
      })
    } catch (error) {
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
      await client.schedule.getHandle(id).update(({ state }) => ({ ...what, state }))
    }
  }
}

const SCHEDULES_LOOK_EVERY_MS = 20_000

/** Recreates what a server without data lacks: Temporal may lose its data while workers run. */
export function scheduleKeeper(
  client: Client,
  taskQueue: string,
  wanted: readonly Schedule[],
  log: Logger,
): Part {
  let areUpToDate = false
  async function look(): Promise<void> {
    if (areUpToDate && (await areThere(client, wanted))) return
    if (areUpToDate) log.warn('schedules are missing in Temporal and are created again')
    areUpToDate = false
    await registerSearchAttributes(client)
    await ensureSchedules(client, taskQueue, wanted)
    areUpToDate = true
  }
  return periodically('look at the schedules', SCHEDULES_LOOK_EVERY_MS, look, log)
}

async function areThere(client: Client, wanted: readonly Schedule[]): Promise<boolean> {
  try {
    for (const { id } of wanted) await client.schedule.getHandle(id).describe()
    return true
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return false
    throw error
  }
}
