import type { Approval, SignalInput, SignalOutcome } from './contract.ts'
import { SignalRun } from './run.ts'
import { runDurable, step, waitUntil } from '../steps/steps.ts'
import { millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'
import { describeEntry } from '../steps/describe.ts'
import { condition, allHandlersFinished } from '@temporalio/workflow'
import { sendEntry, followEntryOrder } from './entry.ts'
import { runExit } from '../exit/exit.ts'
import { answerMessages } from './messages.ts'

/** Signals that require approval are pending, too. */
async function waitForStart(run: SignalRun): Promise<void> {
  await (run.status === 'scheduled' ? untilDue(run) : untilDecided(run))
  run.phase = 'checking'
}

async function untilDue(run: SignalRun): Promise<void> {
  const { signalId, scheduledAt, validUntil } = run.terms
  if (scheduledAt === null) throw new TypeError('a scheduled signal has a time')
  run.waitFor('its time', scheduledAt)
  await step('recordWaiting', 'Record that the signal waits for its time', {
    signalId,
    at: workflowNow(),
    for: 'time',
    until: scheduledAt,
  })
  const summary = `${describeEntry(run.terms)} at ${scheduledAt}`
  if (await waitUntil(run, () => run.stop !== null, { at: scheduledAt, summary })) return
  // After an outage the scheduled time may have passed long ago.
  if (validUntil !== null && millisecondsUntil(validUntil) === 0) {
    run.stop ??= { kind: 'expired' }
    return
  }
  await due(run, null)
}

async function untilDecided(run: SignalRun): Promise<void> {
  const { signalId, validUntil } = run.terms
  run.waitFor('a person to approve it', validUntil)
  await step('recordWaiting', 'Record that the signal waits for a person', {
    signalId,
    at: workflowNow(),
    for: 'person',
    until: validUntil,
  })
  const decided = () => run.stop !== null || run.approval.given !== null
  const expiry =
    validUntil === null ? null : { at: validUntil, summary: `Expires unless approved by ${validUntil}` }
  if (!(await waitUntil(run, decided, expiry))) run.stop ??= { kind: 'expired' }
  if (run.stop === null && run.approval.given !== null) await due(run, run.approval.given)
}

async function due(run: SignalRun, approval: Approval | null): Promise<void> {
  const { signalId, quantity, limitPrice, sendBefore } = run.terms
  const at = workflowNow()
  if (approval !== null)
    run.terms = {
      ...run.terms,
      quantity: approval.quantity ?? quantity,
      limitPrice: approval.limitPrice ?? limitPrice,
      sendBefore: approval.sendBefore ?? sendBefore,
      dueAt: at,
    }
  if (approval === null) await step('recordDue', 'Record that its time has come', { signalId, at, approval })
  else await runDurable('recordDue', `Record the approval by ${approval.by}`, { signalId, at, approval })
  run.become('queued')
}

/** Reads the state after a loss, a late fill, a restoration or a long history. */
async function load(run: SignalRun): Promise<void> {
  const { signalId } = run.terms
  run.load(await step('loadSignal', 'Read how far the signal has come', { signalId, at: workflowNow() }))
  // A withdrawal must count before anything is sent.
  await condition(() => run.unjudged === 0)
}

/** Runs a signal from acceptance to the end of its exit. Every run but the first continues from the ledger. */
export async function signalWorkflow({ terms, ...how }: SignalInput): Promise<SignalOutcome> {
  const run = new SignalRun(terms, how)
  answerMessages(run)

  if (run.phase === 'loading') await load(run)
  do {
    while (run.phase === 'waiting' || run.phase === 'checking')
      await (run.phase === 'waiting' ? waitForStart(run) : sendEntry(run))
    if (run.phase === 'working') await followEntryOrder(run)
    if (run.phase === 'exiting') await runExit(run)

    run.waitFor(null)
    await condition(allHandlersFinished)
    // New levels continue the exit.
  } while (run.phase !== 'ended')
  return run.outcome
}
