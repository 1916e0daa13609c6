import assert from 'node:assert/strict'
import { WorkflowUpdateFailedError } from '@temporalio/client'
import type { ByHandChanges } from '../support/by-hand-terms.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { exitNews, retryExit } from '#workflows/signal/contract.ts'
import { eventually } from '../support/eventually.ts'
import type { Answer, Answers } from '../support/recording-activities.ts'
import {
  accepts,
  acceptsFilled,
  acceptsUnheard,
  busy,
  databaseDown,
  fails,
  opensAt,
  placesNothing,
  plans,
  refusedForNow,
  sizedWhole,
  stands,
  times,
  unknownOutcome,
  waitsForEarlierSignals,
} from '../support/step-answers.ts'
import { exitAfter, exitAtOnce } from '../support/sample-signal.ts'
import { SHORT_HISTORY } from '../support/servers.ts'
import type { SignalPlay } from '../support/signal-play.ts'
import type { RealStage } from '../support/signal-stage.ts'

/**
 * One way that a signal, or a manual order, can take through its workflow: plays it and returns when it has
 * ended.
 */
type Path = (stage: RealStage) => Promise<Pick<SignalPlay, 'runs'>>

/** Exits are planned this far ahead, in milliseconds, because a real server's clock is not skipped. */
const EXIT_IN = 300

const later = (at: string): string => new Date(Date.parse(at) + EXIT_IN).toISOString()
const planSoon: Answer<'scheduleExit'> = ({ entryEndedAt }) => ({ submitAt: later(entryEndedAt), reason: null })
const soon: Answers = { scheduleExit: [planSoon, planSoon] }

/** Starts a signal as the API does, lets the feed and the broker act, and waits for the end. */
const path =
  (
    changes: Partial<SignalTerms>,
    answers: Answers,
    act: (play: SignalPlay) => Promise<void> = async () => {},
  ): Path =>
  async (stage) => {
    const { play } = await stage.beginAndAwaitEntry(changes, answers)
    await act(play)
    await play.result()
    return play
  }

const fillExit = async (play: SignalPlay, generation = 1): Promise<void> => {
  await play.script.accepted('exit', generation)
  await play.tell(play.exitId(generation), 'FILLED', play.sent(play.exitId(generation))[0]!.quantity)
}

const STOP_AT_95: Protection = {
  stop: { price: '95' },
  target: null,
  trail: null,
  breakEven: null,
  until: 'closed',
}

/** The order of its levels works at the broker when `act` begins; further orders fill at once. */
const withLevels = (
  changes: Partial<SignalTerms>,
  answers: Answers,
  act: (play: SignalPlay) => Promise<unknown> = async () => {},
): Path =>
  path(
    { protection: STOP_AT_95, ...changes },
    {
      submitOrder: [acceptsFilled, accepts, acceptsFilled],
      cancelOrder: [stands('CANCELLED')],
      ...answers,
    },
    async (play) => {
      await play.script.accepted('exit')
      await act(play)
    },
  )

const ofLevels = (play: SignalPlay, generation = 1): string =>
  clientOrderIdFor(play.terms.signalId, 'plan', generation)

const crosses = (play: SignalPlay, level: 'stop' | 'target', price: Decimal): Promise<void> => {
  play.script.levels.facts.crossed = { level, at: price, price }
  return play.handle.signal(exitNews)
}

const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const
const refuses = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')

/** Starts a signal that is held for a time or a person, and lets somebody decide. */
const held =
  (
    changes: Partial<SignalTerms>,
    act: (play: SignalPlay, stage: RealStage) => Promise<unknown> = async () => {},
    { dueIn = 0.01, validFor }: { dueIn?: number; validFor?: number } = {},
  ): Path =>
  async (stage) => {
    const validUntil = validFor === undefined ? null : await stage.minutesFromNow(validFor)
    const play = await stage.begin(
      {
        ...(changes.executeMode === 'scheduled' && { scheduledAt: await stage.minutesFromNow(dueIn) }),
        validUntil,
        sendBefore: validUntil,
        ...changes,
      },
      { submitOrder: [acceptsFilled] },
    )
    await play.script.called('recordWaiting')
    await act(play, stage)
    await play.result()
    return play
  }

/** Starts a signal that a rule of its owner holds for a person, and lets that person decide. */
const heldByRule =
  (changes: Partial<SignalTerms>, act: (play: SignalPlay) => Promise<unknown>): Path =>
  async (stage) => {
    const isScheduled = changes.executeMode === 'scheduled'
    const play = await stage.begin(
      { ...(isScheduled && { scheduledAt: await stage.minutesFromNow(0.01) }), ...changes },
      {
        prepareEntry: [() => ({ outcome: 'held', detail: 'above the limit' })],
        submitOrder: [acceptsFilled, acceptsFilled],
      },
    )
    await play.script.called('recordWaiting', isScheduled ? 2 : 1)
    await act(play)
    await play.result()
    return play
  }

/** A person approves a signal while it would be refused, and again when it would not. */
const approvedTwice: Path = async (stage) => {
  const play = await stage.begin(
    { executeMode: 'pending' },
    { prepareEntry: [refusedForNow], submitOrder: [acceptsFilled] },
  )
  await play.script.called('recordWaiting')
  await play.approve().catch(() => null)
  await play.approve()
  await play.result()
  return play
}

const hasContinued = (play: SignalPlay): Promise<unknown> =>
  eventually(async () => assert.equal((await play.runs()).length, 2), { within: 15_000 })

/** A scheduled signal that goes on in another queue when its entry is sent. */
const moved =
  (
    changes: Partial<SignalTerms>,
    answers: Answer<'submitOrder'>[],
    act: (play: SignalPlay) => Promise<unknown> = async () => {},
  ): Path =>
  async (stage) => {
    const play = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(0.01), ...changes },
      { submitOrder: [...answers] },
      { isToMove: true },
    )
    await hasContinued(play)
    await act(play)
    await play.result()
    return play
  }

/** Waits behind an earlier signal until somebody acts, or for one look. */
const inTurn =
  (
    looks: number,
    changes: (stage: RealStage) => Promise<Partial<SignalTerms>>,
    act: (play: SignalPlay) => Promise<unknown>,
  ): Path =>
  async (stage) => {
    const play = await stage.begin(await changes(stage), {
      prepareEntry: [...Array.from({ length: looks + 1 }, () => waitsForEarlierSignals)],
      submitOrder: [acceptsFilled],
    })
    await play.script.called('prepareEntry')
    await act(play)
    await play.result()
    return play
  }

const nobody = async (): Promise<void> => {}

/** Starts an order by hand, lets the feed, the broker and people act, and waits for the end. */
const manual =
  (
    changes: ByHandChanges,
    answers: Answers,
    act: (play: SignalPlay) => Promise<unknown> = async () => {},
  ): Path =>
  async (stage) => {
    const play = await stage.beginByHand(changes, answers)
    await act(play)
    await play.result()
    return play
  }

/** Every path there is; each name is that of its file. */
export const PATHS: Record<string, Path> = {
  'entry-filled-at-once': path({}, { submitOrder: [acceptsFilled] }),
  'entry-filled-by-feed': path({}, {}, (play) => play.fillEntry()),
  'entry-partly-filled-then-filled': path(gtcLimit, {}, async (play) => {
    await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
    await play.tell(play.entryId, 'FILLED', '10')
  }),
  'entry-cancelled-unfilled': path({ ...gtcLimit, exit: exitAfter(5) }, {}, (play) =>
    play.tell(play.entryId, 'CANCELLED', '0'),
  ),
  'entry-expired-unfilled': path({ ...gtcLimit, timeInForce: 'day' }, {}, (play) =>
    play.tell(play.entryId, 'EXPIRED', '0'),
  ),
  'entry-rejected-after-acceptance': path({ exit: exitAtOnce }, {}, (play) =>
    play.tell(play.entryId, 'REJECTED', '0', { reason: 'halted' }),
  ),
  'entry-rejected': path(
    { exit: exitAtOnce },
    { submitOrder: [placesNothing('rejected', 'INSUFFICIENT_FUNDS', 'no funds')] },
  ),
  'entry-stale': path({}, { submitOrder: [placesNothing('stale', 'STALE', 'too old by now')] }),
  'entry-conflict': path(
    {},
    { submitOrder: [placesNothing('conflict', 'DUPLICATE_CLIENT_ORDER_ID', 'another order has this id')] },
  ),
  'entry-unknown-then-accepted': path({}, { submitOrder: [unknownOutcome, unknownOutcome, acceptsFilled] }),
  'entry-attempt-unheard-of': path({}, { submitOrder: [acceptsUnheard, acceptsFilled] }),
  'entry-unknown-then-rejected': path({}, { submitOrder: [unknownOutcome, refuses] }),
  'entry-busy-then-accepted': path({}, { submitOrder: [busy, acceptsFilled] }),
  'entry-accepted-database-down': path(
    {},
    { submitOrder: [acceptsFilled], recordAccepted: [databaseDown, databaseDown] },
  ),
  'exit-immediate': path({ exit: exitAtOnce }, { submitOrder: [acceptsFilled] }, fillExit),
  'exit-timed': path({ exit: exitAfter(1) }, soon, async (play) => {
    await play.fillEntry()
    await fillExit(play)
  }),
  'exit-plan-changed-then-stopped-here': withLevels({}, { adjustProtection: [() => 'changed'] }, async (play) => {
    await play.changeProtection({ ...STOP_AT_95, stop: { price: '96' } })
    await play.script.called('adjustProtection')
    await crosses(play, 'stop', '95')
  }),
  'exit-plan-changed-late-by-another-order': withLevels(
    {},
    { adjustProtection: [...times(4, databaseDown), () => 'other'] },
    (play) => play.changeProtection({ ...STOP_AT_95, stop: { price: '96' } }),
  ),
  'exit-plan-for-the-session': withLevels(
    { protection: { ...STOP_AT_95, until: 'session' } },
    { sessionEnd: [databaseDown, ({ at }) => ({ endsAt: later(at) })] },
    async (play) => {
      await play.script.called('sessionEnd', 2)
      await play.tell(ofLevels(play), 'EXPIRED', '4')
    },
  ),
  'exit-plan-gives-way-to-its-time': withLevels({ exit: exitAfter(1) }, soon),
  'exit-plan-target-unsold': withLevels(
    { protection: { ...STOP_AT_95, target: { price: '110' } } },
    {
      submitOrder: [acceptsFilled, accepts, accepts, acceptsFilled],
      cancelOrder: times(2, stands('CANCELLED')),
    },
    (play) => crosses(play, 'target', '111'),
  ),
  'exit-plan-rejected-then-held-until-the-opening': withLevels(
    {},
    { sizeExit: [sizedWhole, opensAt(), sizedWhole] },
    (play) => play.tell(ofLevels(play), 'REJECTED', '0', { reason: 'halted' }),
  ),
  'exit-plan-stopped-here-during-a-full-stop': withLevels({}, {}, async (play) => {
    const { facts } = play.script.levels
    Object.assign(facts, { halt: 'all trading is stopped', resting: { ...facts.resting!, stopPrice: '90' } })
    await crosses(play, 'stop', '94')
    await play.script.called('recordExitTrouble')
    facts.halt = null
    await play.handle.signal(exitNews)
  }),
  'exit-plan-grown-by-late-fill': path(
    { protection: STOP_AT_95 },
    { submitOrder: [accepts, accepts, acceptsFilled], cancelOrder: [stands('CANCELLED')] },
    async (play) => {
      await play.tell(play.entryId, 'CANCELLED', '7')
      await play.script.accepted('exit')
      await play.tell(play.entryId, 'CANCELLED', '8')
    },
  ),
  'exit-plan-taken-away': withLevels({}, {}, (play) => play.changeProtection(null)),
  'exit-of-short-in-closing-auction': path(
    { action: 'openShort', exit: { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } },
    { submitOrder: [acceptsFilled] },
    fillExit,
  ),
  'exit-of-part': path({ exit: exitAfter(1) }, soon, async (play) => {
    await play.tell(play.entryId, 'CANCELLED', '7')
    await fillExit(play)
  }),
  'exit-grown-by-late-fill': path({ exit: exitAfter(1) }, soon, async (play) => {
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('scheduleExit')
    await play.tell(play.entryId, 'CANCELLED', '8')
    await fillExit(play)
  }),
  'exit-followed-by-second-for-late-fill': path({ exit: exitAtOnce }, {}, async (play) => {
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.accepted('exit')
    await play.tell(play.entryId, 'CANCELLED', '8')
    await fillExit(play, 1)
    await fillExit(play, 2)
  }),
  'exit-not-needed': path(
    { exit: exitAtOnce },
    {
      submitOrder: [acceptsFilled],
      sizeExit: [
        ({ filledQuantity }) => ({
          quantity: '0',
          coversQuantity: filledQuantity,
          notBefore: null,
        }),
      ],
    },
  ),
  'exit-rejected-then-accepted': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, refuses, acceptsFilled] },
  ),
  'exit-unknown-then-accepted': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, unknownOutcome, acceptsFilled] },
  ),
  'exit-busy-then-accepted': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, busy, acceptsFilled] },
  ),
  'exit-partly-filled-then-expired': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, accepts, acceptsFilled] },
    async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'EXPIRED', '4')
    },
  ),
  'exit-limit-expired': path(
    { exit: { ...exitAtOnce, orderType: 'limit', limitPrice: '200' } },
    { submitOrder: [acceptsFilled, accepts] },
    async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'EXPIRED', '4')
    },
  ),
  'exit-rejected-after-acceptance': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, accepts, acceptsFilled] },
    async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'REJECTED', '0', { reason: 'halted' })
    },
  ),
  'exit-rejected-then-retried-by-word': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, refuses, acceptsFilled] },
    async (play) => {
      await play.script.called('recordExitTrouble')
      await play.handle.signal(retryExit)
    },
  ),
  'exit-rejected-then-cancelled': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, refuses] },
    async (play) => {
      await play.script.called('recordExitTrouble')
      await play.cancelExit()
    },
  ),
  'exit-not-sized-for-long': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, acceptsFilled], sizeExit: [...times(6, unknownOutcome)] },
  ),
  'exit-of-fill-after-end': async (stage) => {
    const { play } = await stage.beginAndAwaitEntry({ exit: exitAtOnce })
    await play.tell(play.entryId, 'CANCELLED', '0')
    await play.result()
    const again = await stage.reopen(play, play.entryId, '3')
    await play.script.accepted('exit')
    await again.tell(play.exitId(2), 'FILLED', '3')
    await again.result()
    return again
  },
  'entry-cancelled-by-a-person': path(
    { ...gtcLimit, exit: exitAtOnce },
    { submitOrder: [accepts, acceptsFilled], cancelOrder: [stands('CANCELLED', '4')] },
    async (play) => void (await play.cancelOrder(play.entryId)),
  ),
  'exit-order-cancelled-by-a-person': path(
    { exit: exitAtOnce },
    { submitOrder: [acceptsFilled, accepts] },
    async (play) => {
      await play.script.accepted('exit')
      const cancel = play.cancelOrder(play.exitId())
      await play.script.called('cancelOrder')
      await play.tell(play.exitId(), 'CANCELLED', '3')
      await cancel
    },
  ),
  'order-filled-at-once': manual({}, { submitOrder: [acceptsFilled] }),
  'order-filled-by-feed': manual(gtcLimit, {}, async (play) => {
    await play.awaitEntry()
    await play.tell(play.entryId, 'FILLED', '10')
  }),
  'order-denied': manual(
    {},
    { prepareEntry: [() => ({ outcome: 'denied', code: 'REDUCE_ONLY', detail: 'halted' })] },
  ),
  'order-rejected': manual({}, { submitOrder: [refuses] }),
  'order-unknown-then-accepted': manual({}, { submitOrder: [unknownOutcome, unknownOutcome, acceptsFilled] }),
  'order-cancelled-unsent': manual(
    {},
    { prepareEntry: [...times(20, unknownOutcome)] },
    async (play) => {
      await play.script.called('prepareEntry', 2)
      await play.cancelOrder(play.entryId)
    },
  ),
  'order-decided-by-a-lost-worker': manual(
    gtcLimit,
    {
      prepareEntry: [unknownOutcome, unknownOutcome],
      recordCancelled: [() => 'too_late'],
      cancelOrder: [stands('CANCELLED')],
    },
    async (play) => {
      await play.script.called('prepareEntry', 2)
      await play.cancelOrder(play.entryId)
    },
  ),
  'order-cancelled-while-working': manual(gtcLimit, { cancelOrder: [stands('CANCELLED')] }, async (play) => {
    await play.awaitEntry()
    await play.cancelOrder(play.entryId)
  }),
  'order-cancelled-by-the-feed': manual(gtcLimit, { cancelOrder: [stands('OPEN')] }, async (play) => {
    await play.awaitEntry()
    await play.cancelOrder(play.entryId)
    await play.tell(play.entryId, 'CANCELLED', '0')
  }),
  'entry-denied': path(
    {},
    { prepareEntry: [() => ({ outcome: 'denied', code: 'STRATEGY_PAUSED', detail: 'paused' })] },
  ),
  'entry-in-its-turn': inTurn(1, async () => ({}), nobody),
  'entry-withdrawn-before-its-turn': inTurn(
    100,
    async () => ({}),
    (play) => play.withdraw(),
  ),
  'entry-replaced-before-its-turn': inTurn(
    100,
    async () => ({}),
    (play) => play.replace(),
  ),
  'entry-expired-before-its-turn': inTurn(
    100,
    async (stage) => ({ validUntil: await stage.minutesFromNow(0.02) }),
    nobody,
  ),
  'entry-not-checked-in-time': async (stage) => {
    const sendBefore = await stage.minutesFromNow(0.02)
    const play = await stage.begin({ sendBefore }, { prepareEntry: [...times(9, databaseDown)] })
    await play.result()
    return play
  },
  'approval-not-checked-in-time': async (stage) => {
    const play = await stage.begin(
      { executeMode: 'pending' },
      { prepareEntry: [...times(9, databaseDown)], submitOrder: [acceptsFilled] },
    )
    await play.approve({ sendBefore: await stage.minutesFromNow(0.02) }).catch(() => null)
    await play.decline()
    await play.result()
    return play
  },
  'entry-decided-by-a-lost-worker': async (stage) => {
    const play = await stage.begin(
      { executeMode: 'pending' },
      { recordCancelled: [() => 'too_late'], submitOrder: [acceptsFilled] },
    )
    await play.withdraw().catch((error: unknown) => {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error
    })
    await play.result()
    return play
  },
  'scheduled-then-sent': held({ executeMode: 'scheduled' }),
  'scheduled-then-withdrawn': held({ executeMode: 'scheduled' }, (play) => play.withdraw(), { dueIn: 60 }),
  'scheduled-then-replaced': held({ executeMode: 'scheduled' }, (play) => play.replace(), { dueIn: 60 }),
  'scheduled-then-expired': held({ executeMode: 'scheduled' }, nobody, { dueIn: 0.02, validFor: 0.01 }),
  'held-for-a-person-then-approved': heldByRule({ exit: exitAtOnce }, (play) => play.approve()),
  'held-for-a-person-then-declined': heldByRule({}, (play) => play.decline('no')),
  'held-for-a-person-when-its-time-came': heldByRule({ executeMode: 'scheduled' }, (play) => play.approve()),
  'pending-then-approved': held({ executeMode: 'pending' }, (play) => play.approve(), { validFor: 60 }),
  'pending-then-approved-with-edits': held({ ...gtcLimit, executeMode: 'pending' }, (play) =>
    play.approve({ quantity: '4', limitPrice: '180' }),
  ),
  'pending-then-refused-then-approved': approvedTwice,
  'pending-then-declined': held({ executeMode: 'pending' }, (play) => play.decline('no')),
  'pending-then-withdrawn': held({ executeMode: 'pending' }, (play) => play.withdraw()),
  'pending-then-replaced': held({ executeMode: 'pending' }, (play) => play.replace()),
  'pending-then-expired': held({ executeMode: 'pending' }, nobody, { validFor: 0.02 }),
  'gtd-cancelled-at-its-date': async (stage) => {
    const gtd = { ...gtcLimit, timeInForce: 'gtd', expiresAt: await stage.minutesFromNow(0.02) } as const
    return path(
      { ...gtd, exit: exitAtOnce },
      {
        submitOrder: [accepts, acceptsFilled],
        cancelOrder: [fails('no answer', 'OutcomeUnknown'), stands('CANCELLED', '4')],
      },
    )(stage)
  },
  'replaced-while-working': path(
    { ...gtcLimit, exit: exitAtOnce },
    { cancelOrder: [stands('CANCELLED', '0')] },
    async (play) => void (await play.replace()),
  ),
  'replaced-by-the-feed': path(gtcLimit, { cancelOrder: [stands('OPEN', '0')] }, async (play) => {
    const answer = play.replace()
    await play.script.called('cancelOrder')
    await play.tell(play.entryId, 'CANCELLED', '0')
    await answer
  }),
  'replaced-then-filled-late': path(
    { ...gtcLimit, exit: exitAtOnce },
    { submitOrder: [accepts, acceptsFilled], cancelOrder: [...times(3, stands('OPEN', '0'))] },
    async (play) => {
      await play.replace()
      await play.tell(play.entryId, 'FILLED', '10')
    },
  ),
  'replaced-then-cancelled-late': path(
    { ...gtcLimit, exit: exitAtOnce },
    { cancelOrder: [...times(3, stands('OPEN', '0'))] },
    async (play) => {
      await play.replace()
      await play.tell(play.entryId, 'CANCELLED', '0')
    },
  ),
  'replacement-rejected-by-a-fill': path(
    { ...gtcLimit, exit: exitAtOnce },
    { submitOrder: [accepts, acceptsFilled], cancelOrder: [stands('FILLED', '10')] },
    async (play) => {
      await play.replace().catch((error: unknown) => {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error
      })
    },
  ),
  'exit-cancelled-while-the-entry-works': path({ ...gtcLimit, exit: exitAfter(1) }, {}, async (play) => {
    await play.cancelExit()
    await play.fillEntry()
  }),
  'exit-cancelled-before-its-time': path(
    { exit: exitAfter(1) },
    { submitOrder: [acceptsFilled] },
    async (play) => {
      await play.script.called('scheduleExit')
      await play.cancelExit()
    },
  ),
  'exit-after-the-next-opening': path(
    { exit: exitAtOnce },
    {
      submitOrder: [acceptsFilled, acceptsFilled],
      sizeExit: [(_, at) => ({ quantity: null, coversQuantity: null, notBefore: later(at) })],
      scheduleExit: [plans(0), (_, at) => ({ submitAt: later(at), reason: 'exit_rolled_to_next_session' })],
    },
  ),
  'continued-while-waiting': held({ executeMode: 'pending' }, async (play, stage) => {
    await stage.lengthen(play, SHORT_HISTORY)
    await play.script.called('recordWaiting', 2)
    await play.approve()
  }),
  'continued-while-working': async (stage) =>
    path({ ...gtcLimit, exit: exitAtOnce }, { submitOrder: [accepts, acceptsFilled] }, async (play) => {
      await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
      await stage.lengthen(play, SHORT_HISTORY)
      await play.awaitEntry()
      await play.tell(play.entryId, 'FILLED', '10')
    })(stage),
  'continued-in-the-ordinary-queue-while-working': moved(
    { ...gtcLimit, exit: exitAtOnce },
    [accepts, acceptsFilled],
    (play) => play.tell(play.entryId, 'FILLED', '10'),
  ),
  'continued-in-the-ordinary-queue-while-the-exit-waits': moved({ exit: exitAfter(0.2) }, [
    acceptsFilled,
    acceptsFilled,
  ]),
  'continued-while-the-exit-plan-rests': async (stage) =>
    withLevels({}, {}, async (play) => {
      await stage.lengthen(play, SHORT_HISTORY)
      await hasContinued(play)
      await play.tell(ofLevels(play), 'FILLED', '10')
    })(stage),
  'continued-while-the-exit-waits': async (stage) =>
    path({ exit: exitAfter(0.25) }, { submitOrder: [accepts, acceptsFilled] }, async (play) => {
      await play.fillEntry()
      await play.script.called('scheduleExit')
      await stage.lengthen(play, SHORT_HISTORY)
    })(stage),
}
