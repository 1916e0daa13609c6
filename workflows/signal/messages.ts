import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow'
import { isZero } from '#domain/decimal.ts'
import { sharesOf } from '#domain/figures.ts'
import { isFailed } from '#domain/signal-status.ts'
import {
  APPROVE_SIGNAL,
  AWAIT_ENTRY,
  CANCEL_EXIT,
  DECLINE_SIGNAL,
  ORDER_CHANGED,
  RETRY_EXIT,
  SIGNAL_PROGRESS,
  REPLACE_SIGNAL,
  EARLIER_SIGNAL_CHANGED,
  WITHDRAW_SIGNAL,
  type Approval,
  type Decline,
  type EntryAnswer,
  type OrderChanged,
  type UpdateRejection,
  type SignalProgress,
  type SignalState,
  type ReplaceAnswer,
  type ReplaceRequest,
  type Withdrawal,
} from './contract.ts'
import { answerOrderCancels } from './cancel-order.ts'
import type { SignalRun, Stop } from './run.ts'
import { millisecondsUntil } from '../steps/workflow-time.ts'

const awaitEntry = defineUpdate<EntryAnswer>(AWAIT_ENTRY)
const approveSignal = defineUpdate<EntryAnswer, [Approval]>(APPROVE_SIGNAL)
const declineSignal = defineUpdate<SignalState, [Decline]>(DECLINE_SIGNAL)
const withdrawSignal = defineUpdate<SignalState, [Withdrawal]>(WITHDRAW_SIGNAL)
const cancelExit = defineUpdate<SignalState, [Withdrawal]>(CANCEL_EXIT)
const replaceSignal = defineUpdate<ReplaceAnswer, [ReplaceRequest]>(REPLACE_SIGNAL)
const orderChanged = defineSignal<[OrderChanged]>(ORDER_CHANGED)
const retryExit = defineSignal(RETRY_EXIT)
const earlierSignalChanged = defineSignal(EARLIER_SIGNAL_CHANGED)
const signalProgress = defineQuery<SignalProgress>(SIGNAL_PROGRESS)

/**
 * Answers the messages of a run from its first moment on: one may come before the story begins. Every
 * decision is taken here at once, in the order in which the messages came; the story then carries it out.
 */
export function answerMessages(run: SignalRun): void {
  setHandler(
    awaitEntry,
    async () => {
      await condition(() => run.hasEntryOutcome)
      return run.entryAnswer
    },
    { description: 'Answers once the entry order is accepted or known not to be placed' },
  )
  answerPeople(run)
  answerReplacements(run)
  answerOrderCancels(run)
  setHandler(orderChanged, (report: OrderChanged) => void run.note(report), {
    description: 'The broker feed: an order of this signal has ended or filled further',
  })
  setHandler(retryExit, () => void (run.exitRetryAsked = run.exitIsParked), {
    description: 'The broker feed: whatever kept an exit from being placed is over',
  })
  setHandler(earlierSignalChanged, () => void (run.earlierSignalChanges += 1), {
    description: 'An earlier signal has changed, which this one may wait for',
  })
  setHandler(signalProgress, () => run.progress, { description: 'What the signal waits for, in words' })
}

function answerPeople(run: SignalRun): void {
  setHandler(
    approveSignal,
    async (approval: Approval): Promise<EntryAnswer> => {
      run.approval = approval
      await condition(() => run.hasEntryOutcome)
      return run.entryAnswer
    },
    { validator: (_: Approval) => mustWaitForPerson(run), description: 'A person lets the signal go' },
  )
  setHandler(
    declineSignal,
    ({ by, reason }: Decline) => stop(run, { kind: 'declined', by, reason }, 'SIGNAL_NOT_PENDING'),
    {
      validator: (_: Decline) => mustWaitForPerson(run),
      description: 'A person declines the signal',
    },
  )
  setHandler(
    withdrawSignal,
    ({ by }: Withdrawal) => stop(run, { kind: 'withdrawn', by }, 'SIGNAL_NOT_CANCELLABLE'),
    {
      validator: (_: Withdrawal) => {
        if (!isStoppable(run))
          throw updateRejection('SIGNAL_NOT_CANCELLABLE', `The signal ${describePhase(run)}`)
      },
      description: 'Withdraws the signal before its order is sent',
    },
  )
  setHandler(
    cancelExit,
    async ({ by }: Withdrawal): Promise<SignalState> => {
      run.exitCancelledBy = by
      await condition(() => run.exitCancelRecorded || run.exitCancelledBy === null || run.phase === 'ended')
      if (!run.exitCancelRecorded)
        throw updateRejection('EXIT_NOT_CANCELLABLE', `The signal ${describePhase(run)}`)
      return stateOf(run)
    },
    {
      validator: (_: Withdrawal) => {
        const cancellable = run.phase === 'working' || run.phase === 'awaitingExit' || run.exitIsParked
        if (run.terms.exit === null) throw updateRejection('EXIT_NOT_CANCELLABLE', 'The signal has no exit')
        if (run.exitCancelledBy !== null)
          throw updateRejection(
            'EXIT_NOT_CANCELLABLE',
            `The exit has been cancelled by ${run.exitCancelledBy} already`,
          )
        if (!cancellable) throw updateRejection('EXIT_NOT_CANCELLABLE', `The signal ${describePhase(run)}`)
      },
      description: 'Cancels an exit that has not been sent',
    },
  )
}

function answerReplacements(run: SignalRun): void {
  setHandler(
    replaceSignal,
    async (replaceRequest: ReplaceRequest): Promise<ReplaceAnswer> => {
      if (isStoppable(run) && (await isStoppedBy(run, { kind: 'replaced', replaceRequest })))
        return { warning: null }
      await condition(() => run.hasEntryOutcome)
      // Replacements are decided one after the other. Several may wake at once, so that each has to look again.
      while (run.pendingReplacement !== null && run.pendingReplacement.answer === null)
        await condition(() => run.pendingReplacement?.answer !== null)
      if (run.phase !== 'working' || isFailed(run.status)) throw replaceRejection(run)
      const pendingReplacement: SignalRun['pendingReplacement'] = { replaceRequest, answer: null }
      run.pendingReplacement = pendingReplacement
      await condition(() => pendingReplacement.answer !== null)
      if (pendingReplacement.answer?.granted !== true) throw replaceRejection(run)
      return { warning: pendingReplacement.answer.warning }
    },
    { description: 'A newer signal with the same sourceId asks to take the place of this one' },
  )
}

/** Ends the signal before its entry is sent, and answers when that is in the ledger; refused when it is too late. */
async function stop(run: SignalRun, how: Stop, orElse: UpdateRejection): Promise<SignalState> {
  if (await isStoppedBy(run, how)) return stateOf(run)
  throw updateRejection(orElse, `The signal ${describePhase(run)}`)
}

/** Asks the story to end before the entry is sent, and tells whether it did. */
async function isStoppedBy(run: SignalRun, how: Stop): Promise<boolean> {
  run.stop = how
  await condition(() => run.stop !== how || run.phase === 'ended')
  return run.stop === how
}

const isStoppable = (run: SignalRun): boolean =>
  (run.phase === 'waiting' || run.phase === 'checking') && run.stop === null

/** Fails closed: a decision that comes with or after the expiry comes too late. */
function mustWaitForPerson(run: SignalRun): void {
  const { validUntil, executeMode } = run.terms
  const expired = validUntil !== null && millisecondsUntil(validUntil) === 0
  const waits =
    executeMode === 'pending' && run.phase === 'waiting' && run.approval === null && run.stop === null
  if (!waits || expired)
    throw updateRejection(
      'SIGNAL_NOT_PENDING',
      expired ? `It was valid until ${validUntil}` : `The signal ${describePhase(run)}`,
    )
}

const stateOf = (run: SignalRun): SignalState => ({ status: run.status, reason: run.reason })

const PHASE_IN_WORDS: Record<SignalRun['phase'], string> = {
  waiting: 'is still waiting',
  checking: 'is about to be sent',
  sending: 'is being sent to the broker',
  working: 'has an entry order at the broker: cancel that order instead',
  awaitingExit: 'has been executed and waits for its exit',
  exiting: 'has been executed and its exit is with the broker',
  ended: 'has ended',
}

function describePhase(run: SignalRun): string {
  if (run.stop) return `has been ${run.stop.kind} already`
  if (run.approval && run.phase === 'waiting') return `has been approved by ${run.approval.by} already`
  return `${PHASE_IN_WORDS[run.phase]} (${run.status})`
}

function replaceRejection(run: SignalRun): ApplicationFailure {
  const entry = run.report(run.entryId)
  if (!entry || isFailed(run.status) || isZero(entry.filledQuantity))
    return updateRejection('SIGNAL_ENDED', `The signal ended meanwhile (${run.status})`)
  const { filledQuantity: filled, quantity: total } = entry
  return updateRejection('REPLACE_REFUSED_FILLED', `${sharesOf(filled, total)} filled`, { filled, total })
}

const updateRejection = (type: UpdateRejection, message: string, ...details: unknown[]): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, type, ...details)
