import type { ScheduleExitInput } from '#activities/contract.ts'
import { compare } from '#domain/money/decimal.ts'
import { asksCalendar, asksSession, asksTime } from '#domain/exit/desired.ts'
import { withReached } from '#domain/exit/progress.ts'
import { lookWithoutLevels, type ExitLook } from '#domain/exit/look.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import { fillsAtOnce, isTerminal } from '#domain/order/order.ts'
import { runBounded, step, runLocal } from '../steps/steps.ts'
import { inMinutes, millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'
import { recordTrouble, stepOrAlarm } from './trouble.ts'
import type { SignalRun } from '../signal/run.ts'

/** Minutes: the calendar may have changed. */
const TIMED_AGAIN_AFTER = 24 * 60
/** Minutes. */
const JUST_CHANGED = 0.1
/** Minutes after a failed reading. */
const TRIED_AGAIN_AFTER = 5

/** Works out which exit order should be at the broker. */
export async function lookAtExit(run: SignalRun): Promise<ExitLook> {
  for (;;) {
    const look = await lookOnce(run)
    // An order to be sent comes first.
    const isInDoubt = asksSession({ exit: run.exit, asked: run.terms }) && mayBeOver(run)
    const isFree = look.desired.what === 'wait' || look.isServed || isInDoubt
    if (!(isFree && (await askCalendar(run))) && !run.hasNews) return look
  }
}

export async function lookOnce(run: SignalRun): Promise<ExitLook> {
  const { exit, protection, signalId, accountId, symbol } = run.terms
  const { isFilledFurther } = run
  run.hear()
  const known = () => ({
    now: workflowNow(),
    exit: run.exit,
    asked: { exit, ...(protection && { protection }) },
    filled: run.entry.filledQuantity,
    fillsAtOnce: isAtMarket(run),
  })
  const acknowledges = isFilledFurther ? run.endedOrders : []
  if (isKnownHere(run)) {
    // A late fill may move the time, and is acknowledged with it.
    if (isFilledFurther && asksTime(known(), workflowNow()))
      run.exit = { ...run.exit, time: { ...run.exit.time, lookAt: null } }
    else if (isFilledFurther)
      await step('acknowledgeEnds', 'Take note of a late fill', { signalId, acknowledges })
    return (run.look = lookWithoutLevels(known()))
  }
  const isAdopted = run.terms.origin === 'adopted' && { isAdopted: true as const }
  const input = { signalId, accountId, symbol, acknowledges, ...isAdopted, ...known() }
  const look = await step('lookAtExit', 'Look which exit order should be at the broker', input)
  if (look.grown) run.grow(look.grown)
  if (!run.hasNews) run.exit = withReached(run.exit, look.reached)
  return (run.look = look)
}

/** False where the ledger is needed: for levels, and a resting order, which must not exceed the signal's shares. */
function isKnownHere(run: SignalRun): boolean {
  // Adopted shares may have grown.
  if (run.terms.origin === 'adopted') return false
  const { workingOrder, coveredQuantity } = run.exit
  if (workingOrder !== null) return run.terms.protection === undefined && isAtMarket(run)
  const isClosed = run.phase === 'exiting' && compare(coveredQuantity, run.entry.filledQuantity) >= 0
  return run.terms.protection === undefined || isClosed
}

const isAtMarket = (run: SignalRun): boolean =>
  run.exit.workingOrder !== null && fillsAtOnce(run.placed(run.exit.workingOrder.clientOrderId))

const isTimeDue = ({ exit: { time } }: SignalRun): boolean =>
  time.at !== null && millisecondsUntil(time.at) === 0

async function askCalendar(run: SignalRun): Promise<boolean> {
  const facts = { exit: run.exit, asked: run.terms }
  const now = workflowNow()
  const { lookAt } = run.exit.time
  if (!asksCalendar(facts, now) || (lookAt !== null && lookAt > now)) return false
  if (run.terms.exit !== null && asksTime(facts, now)) await findTime(run, run.terms.exit)
  if (asksSession(facts)) await findSessionEnd(run)
  return true
}

/** Finds the time of the exit, also of a due one. */
export async function findTime(run: SignalRun, rule: ExitRule): Promise<void> {
  const entryEndedAt = endOfEntry(run)
  const { at } = run.exit.time
  const input = inputOf(run, rule, entryEndedAt)
  const isAllThereIs = run.terms.protection === undefined && (at === null || isTimeDue(run))
  const found = isAllThereIs
    ? await stepOrAlarm(
        run,
        { kind: at === null ? 'unplanned' : 'held', reason: 'TIME' },
        ...FIND_TIME,
        input,
      )
    : await withinSeconds(input)
  const lookAt = inMinutes(found === null ? TRIED_AGAIN_AFTER : TIMED_AGAIN_AFTER)
  run.exit = { ...run.exit, time: { at: found?.submitAt ?? at, lookAt } }
  if (found !== null || at !== null) return
  const detail = 'the calendar of the broker cannot be read'
  await recordTrouble(run, { generation: run.exit.generation, kind: 'unplanned', code: null, detail })
}

const FIND_TIME = ['scheduleExit', 'Resolve the exit time from the calendar'] as const

const inputOf = (run: SignalRun, rule: ExitRule, entryEndedAt: string): ScheduleExitInput => ({
  signalId: run.terms.signalId,
  accountId: run.terms.accountId,
  rule,
  entry: run.entry,
  entryEndedAt,
  heardAt: run.lastNewsAt(run.entryId),
  progress: run.exit,
  ...(run.exit.time.at !== null && { scheduledFor: run.exit.time.at, plannedAt: workflowNow() }),
})

async function withinSeconds(input: ScheduleExitInput): Promise<{ submitAt: string } | null> {
  const first = await runLocal(...FIND_TIME, input)
  const tried = first.completed ? first : await runBounded(...FIND_TIME, input)
  return tried.completed ? tried.result : null
}

function endOfEntry(run: SignalRun): string {
  const entryEndedAt = run.exit.entryEndedAt ?? run.entry.endedAt ?? run.lastNewsAt(run.entryId)
  run.exit = { ...run.exit, entryEndedAt }
  return entryEndedAt
}

/** The close of a session may have ended the entry after its fills. */
const mayHaveMetClose = ({ entry }: SignalRun): boolean =>
  isTerminal(entry.status) && entry.status !== 'FILLED' && !entry.extendedHours

const mayBeOver = (run: SignalRun): boolean => {
  const { levelsSince } = run.exit
  return levelsSince === undefined ? mayHaveMetClose(run) : levelsSince < inMinutes(-JUST_CHANGED)
}

async function findSessionEnd(run: SignalRun): Promise<void> {
  const { levelsSince } = run.exit
  const at = levelsSince ?? endOfEntry(run)
  const { accountId } = run.terms
  const found = await runBounded('sessionEnd', 'Find the end of the session of the levels', {
    accountId,
    at,
    isAfter: levelsSince === undefined && mayHaveMetClose(run),
  })
  run.exit = found.completed
    ? { ...run.exit, sessionEndsAt: found.result.endsAt }
    : { ...run.exit, time: { ...run.exit.time, lookAt: inMinutes(TRIED_AGAIN_AFTER) } }
}
