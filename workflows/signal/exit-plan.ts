import type { PlanExitInput } from '#activities/contract.ts'
import { compare } from '#domain/decimal.ts'
import { backToPlan } from '#domain/exit-progress.ts'
import type { ExitRule } from '#domain/exit.ts'
import type { OrderReport } from '#domain/order.ts'
import { recordTrouble, reportTrouble, stepOrAlarm } from './exit-retry.ts'
import type { SignalRun } from './run.ts'
import { persistBriefly, tryStep } from '../steps/steps.ts'
import { waitUntil } from '../steps/waits.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'

/** Minutes: its calendar may have changed. */
const PLANNED_AGAIN_AFTER = 24 * 60
/** Minutes after a failed planning. */
const TRIED_AGAIN_AFTER = 5

/** Planned again daily, by a message, and after a late fill, which the feed would else report at every comparison. */
export async function planExit(run: SignalRun, rule: ExitRule): Promise<void> {
  const { symbol } = run.terms
  const entryEndedAt = endOfEntry(run)
  for (;;) {
    const known: OrderReport = run.entry
    run.calendarChanged = false
    const planned = await resolvePlan(run, rule, entryEndedAt)
    if (planned !== null) run.plannedFor = planned.submitAt
    const submitAt = run.plannedFor!
    run.waitFor('the exit time', submitAt)
    const nextLook = inMinutes(planned === null ? TRIED_AGAIN_AFTER : PLANNED_AGAIN_AFTER)
    const isCutShort = await waitUntil(
      run,
      () =>
        run.exitCancelledBy !== null ||
        run.planMoved ||
        run.calendarChanged ||
        compare(run.entry.filledQuantity, known.filledQuantity) > 0,
      {
        at: submitAt < nextLook ? submitAt : nextLook,
        summary: `Exit ${known.filledQuantity} ${symbol} at ${submitAt}`,
      },
    )
    if (run.exitCancelledBy !== null || run.planMoved || (!isCutShort && millisecondsUntil(submitAt) === 0))
      return
  }
}

function endOfEntry(run: SignalRun): string {
  const entryEndedAt = run.exit.entryEndedAt ?? run.entry.endedAt ?? run.lastNewsAt(run.entryId)
  run.exit = { ...run.exit, entryEndedAt }
  return entryEndedAt
}

/** Null where a planned exit keeps its plan: it must not be late for an unreadable calendar. */
async function resolvePlan(
  run: SignalRun,
  rule: ExitRule,
  entryEndedAt: string,
): Promise<{ submitAt: string } | null> {
  const { plannedFor } = run
  const input = planInput(run, rule, entryEndedAt)
  if (plannedFor === null) return stepOrAlarm(run, 'unplanned', ...PLAN, input)
  if (millisecondsUntil(plannedFor) === 0) return stepOrAlarm(run, 'held', ...PLAN, input)
  return planWithinSeconds(input)
}

const PLAN = ['planExit', 'Resolve the exit time from the calendar'] as const

const planInput = (run: SignalRun, rule: ExitRule, entryEndedAt: string): PlanExitInput => ({
  signalId: run.terms.signalId,
  accountId: run.terms.accountId,
  rule,
  entry: run.entry,
  entryEndedAt,
  heardAt: run.lastNewsAt(run.entryId),
  progress: run.exit,
  ...(run.plannedFor !== null && { plannedFor: run.plannedFor, plannedAt: workflowNow() }),
})

async function planWithinSeconds(input: PlanExitInput): Promise<{ submitAt: string } | null> {
  const first = await tryStep(...PLAN, input)
  const tried = first.completed ? first : await persistBriefly(...PLAN, input)
  return tried.completed ? tried.result : null
}

/** Beside a working order of the exit plan. Alerts the owner where the time is not known yet. */
export async function planBeside(run: SignalRun, rule: ExitRule): Promise<void> {
  const entryEndedAt = endOfEntry(run)
  run.calendarChanged = false
  const planned = await planWithinSeconds(planInput(run, rule, entryEndedAt))
  run.planLookAt = inMinutes(planned === null ? TRIED_AGAIN_AFTER : PLANNED_AGAIN_AFTER)
  if (planned !== null) run.plannedFor = planned.submitAt
  else if (run.plannedFor === null)
    await recordTrouble(run, {
      generation: run.exit.generation,
      kind: 'unplanned',
      code: null,
      detail: 'the calendar of the broker cannot be read',
    })
}

/** As {@link planExitAnew}, beside an exit plan, which stays until then. */
export async function planTimedAnew(run: SignalRun, rule: ExitRule): Promise<void> {
  run.exit = backToPlan(run.exit)
  await planBeside(run, rule)
  if (run.plannedFor !== null && millisecondsUntil(run.plannedFor) === 0)
    putOff(run, inMinutes(TRIED_AGAIN_AFTER))
}

/** The exit plan goes back to the broker, and the timed exit is tried again at that instant. */
export function putOff(run: SignalRun, until: string): void {
  run.exit = { ...backToPlan(run.exit), notBefore: null }
  run.plannedFor = until
  run.planLookAt = until
}

export const isPutOff = ({ plannedFor, planLookAt }: SignalRun): boolean =>
  plannedFor !== null && plannedFor === planLookAt

/** Where the calendar now says that the exit may leave at once, that is tried after a moment. */
export async function planExitAnew(run: SignalRun, rule: ExitRule): Promise<void> {
  const { plannedFor } = run
  run.phase = 'awaitingExit'
  await planExit(run, rule)
  if (run.exitCancelledBy === null && run.plannedFor === plannedFor)
    await reportTrouble(run, {
      generation: run.exit.generation,
      kind: 'held',
      code: null,
      detail: 'the calendar of the broker says that the exchange is open, and that it is closed',
    })
}
