import type { UpdateDefinition } from '@temporalio/common'
import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow'
import { isByHand } from '#domain/signal/by-hand.ts'
import { isZero, sharesOf } from '#domain/money/decimal.ts'
import type { ExitProgress } from '#domain/exit/progress.ts'
import { isFailed, isOpening } from '#domain/signal/signal.ts'
import {
  approveSignal,
  awaitEntry,
  cancelExit,
  changeProtection,
  declineSignal,
  exitCalendarChanged,
  exitNews,
  retryExit,
  signalProgress,
  replaceSignal,
  earlierSignalChanged,
  withdrawSignal,
  type Approval,
  type Decline,
  type EntryAnswer,
  type ProtectionChange,
  type UpdateRejection,
  type SignalState,
  type ReplaceAnswer,
  type ReplaceRequest,
  type Withdrawal,
} from './contract.ts'
import { answerOrderMessages } from '../order/follow.ts'
import { cancelExitFor } from '../exit/trouble.ts'
import type { SignalRun, Stop } from './run.ts'
import { runDurable } from '../steps/steps.ts'
import { millisecondsUntil, workflowNow } from '../steps/workflow-time.ts'

/** Answers messages from the run's first moment on. */
export function answerMessages(run: SignalRun): void {
  setHandler(
    awaitEntry,
    async () => {
      await condition(() => run.hasEntryOutcome || run.isHeld)
      return run.entryAnswer
    },
    { description: 'Answers once the entry order is accepted, known not to be placed, or held for a person' },
  )
  answerPeople(run)
  answerReplacements(run)
  answerOrderMessages(run)
  setHandler(retryExit, () => onExitChange(run, () => ({ retriedAt: workflowNow() })), {
    description: 'The broker feed: the obstacle of an exit may be gone',
  })
  answerProtection(run)
  setHandler(
    exitCalendarChanged,
    () => onExitChange(run, ({ time }) => ({ time: { ...time, lookAt: null } })),
    {
      description: 'The broker feed: the calendar differs from the one that the exit was planned with',
    },
  )
  setHandler(earlierSignalChanged, () => void (run.news += 1), {
    description: 'An earlier signal of the symbol has changed',
  })
  setHandler(signalProgress, () => run.progress, { description: 'What the signal waits for, in words' })
}

/** A message that arrives before the state is loaded is judged before the run goes on. */
function answer<Answer, Question>(
  run: SignalRun,
  update: UpdateDefinition<Answer, [Question]>,
  description: string,
  judge: () => unknown,
  handle: (question: Question) => Promise<Answer>,
): void {
  setHandler(
    update,
    async (question: Question) => {
      if (run.phase !== 'loading') return handle(question)
      run.unjudged += 1
      let answered: Promise<Answer>
      try {
        await isLoaded(run)
        judge()
        answered = handle(question)
      } finally {
        run.unjudged -= 1
      }
      return answered
    },
    {
      description,
      validator: (_: Question) => {
        if (run.phase !== 'loading') judge()
      },
    },
  )
}

const isLoaded = (run: SignalRun): Promise<void> => condition(() => run.phase !== 'loading')

async function onExitChange(
  run: SignalRun,
  facts: (exit: ExitProgress) => Partial<ExitProgress>,
): Promise<void> {
  await isLoaded(run)
  if (run.phase !== 'exiting') return
  run.exit = { ...run.exit, ...facts(run.exit) }
  run.news += 1
}

function answerPeople(run: SignalRun): void {
  answer(
    run,
    approveSignal,
    'A person approves the signal',
    () => mustWaitForPerson(run),
    async (approval: Approval): Promise<EntryAnswer> => {
      run.approval = { ...run.approval, given: approval }
      await condition(() => run.hasEntryOutcome || run.approval.refused?.approval === approval)
      const { refused } = run.approval
      if (refused?.approval !== approval) return run.entryAnswer
      const { code, detail } = refused
      throw updateRejection('WOULD_BE_REFUSED', detail, { code })
    },
  )
  answer(
    run,
    declineSignal,
    'A person declines the signal',
    () => isBeingPutBack(run) || mustWaitForPerson(run),
    async ({ by, reason }: Decline) => {
      if (isBeingPutBack(run)) {
        await oncePutBack(run)
        mustWaitForPerson(run)
      }
      return stop(run, { kind: 'declined', by, reason }, 'SIGNAL_NOT_PENDING')
    },
  )
  answer(
    run,
    withdrawSignal,
    'Withdraws the signal before its order is sent',
    () => isBeingPutBack(run) || mustBeStoppable(run),
    async ({ by, superseded }: Withdrawal) => {
      if (isBeingPutBack(run)) {
        await oncePutBack(run)
        mustBeStoppable(run)
      }
      return stop(
        run,
        superseded === undefined ? { kind: 'withdrawn', by } : { kind: 'superseded', detail: superseded },
        'SIGNAL_NOT_CANCELLABLE',
      )
    },
  )
  answer(
    run,
    cancelExit,
    'Cancels an exit that has not been sent',
    () => mustHaveUnsentExit(run),
    async ({ by }: Withdrawal): Promise<SignalState> => {
      const decision = await cancelExitFor(run, by)
      run.news += 1
      if (decision === 'stopped') return stateOf(run)
      throw updateRejection('EXIT_NOT_CANCELLABLE', `The signal ${describePhase(run)}`)
    },
  )
}

function mustHaveUnsentExit(run: SignalRun): void {
  const cancellable = run.phase === 'working' || run.isExitUnsent
  if (run.terms.exit === null) throw updateRejection('EXIT_NOT_CANCELLABLE', 'The signal has no exit')
  if (run.exit.cancelledBy !== null)
    throw updateRejection(
      'EXIT_NOT_CANCELLABLE',
      `The exit has been cancelled by ${run.exit.cancelledBy} already`,
    )
  if (run.exitCancels > 0)
    throw updateRejection('EXIT_NOT_CANCELLABLE', 'The exit is being cancelled already')
  if (run.isExitChanging)
    throw updateRejection('EXIT_NOT_CANCELLABLE', 'The stop and target are being changed: try again')
  if (!cancellable) throw updateRejection('EXIT_NOT_CANCELLABLE', `The signal ${describePhase(run)}`)
  // The person may mean the time only.
  if (hasLevels(run))
    throw updateRejection(
      'EXIT_NOT_CANCELLABLE',
      'The signal has a stop or target, which would end too: remove that first',
    )
}

function answerProtection(run: SignalRun): void {
  let last = 0
  answer(
    run,
    changeProtection,
    'Changes or removes the stop and target',
    () => mustHoldForProtection(run),
    async ({ by, change }: ProtectionChange): Promise<SignalState> => {
      // Several handlers may wake at once, so each checks again.
      while (run.isDeciding) await condition(() => !run.isDeciding)
      mustHoldForProtection(run)
      run.isExitChanging = true
      // The ledger recognizes a repeated step by this instant.
      last = Math.max(Date.parse(workflowNow()), last + 1)
      const at = new Date(last).toISOString()
      const input = { signalId: run.terms.signalId, at, by, change, hasEnded: run.mayGoOn }
      const changed = await runDurable(
        'recordProtectionChanged',
        `Change the stop and target for ${by}`,
        input,
      )
      run.isExitChanging = false
      if ('refused' in changed)
        throw updateRejection('PROTECTION_NOT_CHANGEABLE', changed.refused, { faults: changed.faults })
      run.changeExit(by, changed.protection, at)
      if (run.mayGoOn) run.goOn(changed.covered)
      return stateOf(run)
    },
  )
  setHandler(exitNews, () => void (run.news += 1), {
    description: 'The watch of prices, or the feed: facts of the exit have changed',
  })
}

const hasLevels = ({ terms, exit, phase }: SignalRun): boolean =>
  terms.protection !== undefined &&
  phase !== 'ended' &&
  (exit.sessionEndsAt === undefined || millisecondsUntil(exit.sessionEndsAt) > 0)

function mustHoldForProtection(run: SignalRun): void {
  const { exit, terms } = run
  const refused = (why: string) => updateRejection('PROTECTION_NOT_CHANGEABLE', why)
  if (isByHand(terms)) throw refused('A manual order has no stop and target')
  if (!isOpening(terms.action) && terms.target === undefined)
    throw refused(`A ${terms.action} signal opens no position that could be protected`)
  if ((run.phase === 'ended' && !run.mayGoOn) || run.stop !== null)
    throw refused(`The signal ${describePhase(run)}`)
  if (exit.cancelledBy !== null && !run.mayGoOn)
    throw refused(`The exit was cancelled by ${exit.cancelledBy}`)
  if (exit.reached === 'STOP_LOSS' && !run.exitIsParked)
    throw refused('The position is being closed, because its stop was reached')
  const { workingOrder } = exit
  if (workingOrder === null) return
  const { reason } = workingOrder
  const isNamed = run.orderCancel?.clientOrderId === workingOrder.clientOrderId
  // The position is a person's after its end: levels in between would be lost.
  if (isNamed || (reason !== 'TIME' && exit.levelsEndedBy !== undefined))
    throw refused('The stop and target order is being cancelled already')
  if (reason === 'TIME' && terms.protection === undefined)
    throw refused('The time exit is at the broker: cancel its order instead')
}

function answerReplacements(run: SignalRun): void {
  answer(
    run,
    replaceSignal,
    'A newer signal with the same sourceId replaces this one',
    () => {},
    async (replaceRequest: ReplaceRequest): Promise<ReplaceAnswer> => {
      if (isBeingPutBack(run)) await oncePutBack(run)
      if (isStoppable(run) && (await isStoppedBy(run, { kind: 'replaced', replaceRequest })))
        return { warning: null }
      await condition(() => run.hasEntryOutcome)
      // Several handlers may wake at once, so each checks again.
      while (run.pendingReplacement !== null && run.pendingReplacement.answer === null)
        await condition(() => run.pendingReplacement?.answer !== null)
      if (run.phase !== 'working' || isFailed(run.status)) throw replaceRejection(run)
      const pendingReplacement: SignalRun['pendingReplacement'] = { replaceRequest, answer: null }
      run.pendingReplacement = pendingReplacement
      await condition(() => pendingReplacement.answer !== null)
      if (pendingReplacement.answer?.granted !== true) throw replaceRejection(run)
      return { warning: pendingReplacement.answer.warning }
    },
  )
}

/** Answers when the end is in the ledger; rejects when that is too late. */
async function stop(run: SignalRun, how: Stop, orElse: UpdateRejection): Promise<SignalState> {
  if (await isStoppedBy(run, how)) return stateOf(run)
  throw updateRejection(orElse, `The signal ${describePhase(run)}`)
}

async function isStoppedBy(run: SignalRun, how: Stop): Promise<boolean> {
  run.stop = how
  await condition(() => run.stop !== how || run.phase === 'ended')
  return run.stop === how
}

const isStoppable = (run: SignalRun): boolean =>
  (run.phase === 'waiting' || run.phase === 'checking') && run.stop === null

function mustBeStoppable(run: SignalRun): void {
  if (!isStoppable(run)) throw updateRejection('SIGNAL_NOT_CANCELLABLE', `The signal ${describePhase(run)}`)
}

/** Its approval lapsed: usually the signal waits for a person again soon. */
const isBeingPutBack = (run: SignalRun): boolean => run.stop?.kind === 'not_taken'

/** Several messages may wait, so each checks again. */
const oncePutBack = (run: SignalRun): Promise<void> => condition(() => !isBeingPutBack(run))

/** Fails closed: a decision at or after the expiry is too late. */
function mustWaitForPerson(run: SignalRun): void {
  const { validUntil } = run.terms
  const expired = validUntil !== null && millisecondsUntil(validUntil) === 0
  const waits =
    run.status === 'pending' && run.phase === 'waiting' && run.approval.given === null && run.stop === null
  if (!waits || expired)
    throw updateRejection(
      'SIGNAL_NOT_PENDING',
      expired ? `It was valid until ${validUntil}` : `The signal ${describePhase(run)}`,
    )
}

const stateOf = ({ entryAnswer: { status, reason } }: SignalRun): SignalState => ({ status, reason })

const PHASE_IN_WORDS: Record<SignalRun['phase'], string> = {
  loading: 'is being loaded again',
  waiting: 'is still waiting',
  checking: 'is about to be sent',
  sending: 'is being sent to the broker',
  working: 'has an entry order at the broker: cancel that order instead',
  exiting: 'has been executed and its exit is with the broker',
  ended: 'has ended',
}

function describePhase(run: SignalRun): string {
  if (run.stop?.kind === 'late' || run.stop?.kind === 'not_taken') return 'could not be sent in time'
  if (run.stop) return `has been ${run.stop.kind} already`
  const { given } = run.approval
  if (given && run.phase === 'waiting') return `has been approved by ${given.by} already`
  if (run.exitIsParked) return `has been executed and waits for its exit (${run.status})`
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
