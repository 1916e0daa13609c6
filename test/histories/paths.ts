import assert from 'node:assert/strict'
import { WorkflowUpdateFailedError } from '@temporalio/client'
import type { Decimal } from '#domain/decimal.ts'
import type { ManualOrderTerms } from '#domain/manual-order.ts'
import type { OrderReport } from '#domain/order.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { Protection } from '#domain/protection.ts'
import { changeProtection, levelCrossed, retryExit } from '#workflows/signal/contract.ts'
import { eventually } from '../support/eventually.ts'
import type { OrderPlay } from '../support/order-play.ts'
import type { Answer, SignalScript } from '../support/recording-activities.ts'
import { accepts, acceptsFilled, acceptsUnheard, busy, databaseDown, fails, waitsForEarlierSignals, placesNothing, refusedForNow, unknownOutcome } from '../support/step-answers.ts'
import { exitAfter, exitAtOnce, filled, reportOf } from '../support/sample-signal.ts'
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

const planSoon: Answer<'planExit'> = ({ entryEndedAt }) => ({
  submitAt: new Date(Date.parse(entryEndedAt) + EXIT_IN).toISOString(),
  reason: null,
})
const soon = (script: SignalScript): SignalScript => script.answer('planExit', planSoon, planSoon)

/** Starts a signal as the API does, lets the feed and the broker act, and waits for the end. */
const path =
  (
    changes: Partial<SignalTerms>,
    prepare: (script: SignalScript) => unknown,
    act: (play: SignalPlay) => Promise<void> = async () => {},
  ): Path =>
  async (stage) => {
    const { play } = await stage.beginAndAwaitEntry(changes, prepare)
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

const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const
const refuses = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')

/** Whatever the broker is asked to cancel stands like this afterwards. */
const cancelled =
  (status: OrderReport['status'], filledQuantity: Decimal): Answer<'cancelOrder'> =>
  ({ brokerOrderId }, at) => {
    const request = {
      clientOrderId: brokerOrderId.replace('broker-', ''),
      symbol: 'AAPL',
      side: 'BUY',
      quantity: '10',
      orderType: 'limit',
      limitPrice: '187.5',
      stopPrice: null,
      timeInForce: 'gtc',
      extendedHours: false,
    } as const
    return { report: reportOf(request, at, { status, ...filled(filledQuantity, at) }) }
  }

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
      (script) => script.answer('submitOrder', acceptsFilled),
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
      (script) =>
        script
          .answer('prepareEntry', () => ({ outcome: 'held', detail: 'above the limit' }))
          .answer('submitOrder', acceptsFilled, acceptsFilled),
    )
    await play.script.called('recordWaiting', isScheduled ? 2 : 1)
    await act(play)
    await play.result()
    return play
  }

/** A person approves a signal while it would be refused, and again when it would not. */
const approvedTwice: Path = async (stage) => {
  const play = await stage.begin({ executeMode: 'pending' }, (script) =>
    script.answer('prepareEntry', refusedForNow).answer('submitOrder', acceptsFilled),
  )
  await play.script.called('recordWaiting')
  await play.approve().catch(() => null)
  await play.approve()
  await play.result()
  return play
}

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
      (script) => script.answer('submitOrder', ...answers),
      { isToMove: true },
    )
    await eventually(async () => assert.equal((await play.runs()).length, 2), { within: 15_000 })
    await act(play)
    await play.result()
    return play
  }

/** Waits behind an earlier signal until somebody acts, or for one look. */
const inTurn =
  (looks: number, changes: (stage: RealStage) => Promise<Partial<SignalTerms>>, act: (play: SignalPlay) => Promise<unknown>): Path =>
  async (stage) => {
    const play = await stage.begin(await changes(stage), (script) =>
      script
        .answer('prepareEntry', ...Array.from({ length: looks + 1 }, () => waitsForEarlierSignals))
        .answer('submitOrder', acceptsFilled),
    )
    await play.script.called('prepareEntry')
    await act(play)
    await play.result()
    return play
  }

const nobody = async (): Promise<void> => {}

/** Starts a manual order, lets the feed, the broker and people act, and waits for the end. */
const manual =
  (
    changes: Partial<ManualOrderTerms>,
    prepare: (script: SignalScript, play: () => OrderPlay) => unknown,
    act: (play: OrderPlay) => Promise<unknown> = async () => {},
  ): Path =>
  async (stage) => {
    let play: OrderPlay
    play = await stage.beginOrder(changes, (script) => prepare(script, () => play))
    await act(play)
    await play.result()
    return play
  }

/** The manual order stands like this once the broker was asked to cancel it. */
const standsAt =
  (play: () => OrderPlay, status: OrderReport['status']): Answer<'cancelOrder'> =>
  async () => ({ report: await play().report(status, '0') })

/** Every path there is; each name is that of its file. */
export const PATHS: Record<string, Path> = {
  'entry-filled-at-once': path({}, (script) => script.answer('submitOrder', acceptsFilled)),
  // As before, recorded since the attempt records the end as well and the workflow has no step for it.
  'entry-ended-by-its-attempt': path({}, (script) => script.answer('submitOrder', acceptsFilled)),
  'entry-filled-by-feed': path(
    {},
    () => {},
    (play) => play.fillEntry(),
  ),
  'entry-partly-filled-then-filled': path(
    gtcLimit,
    () => {},
    async (play) => {
      await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
      await play.tell(play.entryId, 'FILLED', '10')
    },
  ),
  'entry-cancelled-unfilled': path(
    { ...gtcLimit, exit: exitAfter(5) },
    () => {},
    (play) => play.tell(play.entryId, 'CANCELLED', '0'),
  ),
  'entry-expired-unfilled': path(
    { ...gtcLimit, timeInForce: 'day' },
    () => {},
    (play) => play.tell(play.entryId, 'EXPIRED', '0'),
  ),
  'entry-rejected-after-acceptance': path(
    { exit: exitAtOnce },
    () => {},
    (play) => play.tell(play.entryId, 'REJECTED', '0', { reason: 'halted' }),
  ),
  'entry-rejected': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', placesNothing('rejected', 'INSUFFICIENT_FUNDS', 'no funds')),
  ),
  'entry-stale': path({}, (script) =>
    script.answer('submitOrder', placesNothing('stale', 'STALE', 'too old by now')),
  ),
  'entry-conflict': path({}, (script) =>
    script.answer(
      'submitOrder',
      placesNothing('conflict', 'DUPLICATE_CLIENT_ORDER_ID', 'another order has this id'),
    ),
  ),
  'entry-unknown-then-accepted': path({}, (script) =>
    script.answer('submitOrder', unknownOutcome, unknownOutcome, acceptsFilled),
  ),
  'entry-attempt-unheard-of': path({}, (script) =>
    script.answer('submitOrder', acceptsUnheard, acceptsFilled),
  ),
  'entry-unknown-then-rejected': path({}, (script) => script.answer('submitOrder', unknownOutcome, refuses)),
  'entry-busy-then-accepted': path({}, (script) => script.answer('submitOrder', busy, acceptsFilled)),
  'entry-accepted-database-down': path({}, (script) =>
    script.answer('submitOrder', acceptsFilled).answer('recordAccepted', databaseDown, databaseDown),
  ),
  'exit-immediate': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled),
    fillExit,
  ),
  'exit-timed': path({ exit: exitAfter(1) }, soon, async (play) => {
    await play.fillEntry()
    await fillExit(play)
  }),
  'exit-plan-changed-then-stopped-here': path(
    { protection: STOP_AT_95 },
    (script) =>
      script
        .answer('submitOrder', acceptsFilled, accepts, acceptsFilled)
        .answer('adjustProtection', () => 'changed')
        .answer('cancelOrder', cancelled('CANCELLED', '0')),
    async (play) => {
      await play.script.accepted('exit')
      const protection: Protection = { ...STOP_AT_95, stop: { price: '96' } }
      await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann@example.test', protection }] })
      await play.script.called('adjustProtection')
      const { acceptedAt: seenAt } = play.terms
      await play.handle.signal(levelCrossed, { level: 'stop', at: '96', price: '95', seenAt })
    },
  ),
  'exit-of-short-in-closing-auction': path(
    { action: 'openShort', exit: { ...exitAtOnce, orderType: 'moc', timeInForce: 'cls' } },
    (script) => script.answer('submitOrder', acceptsFilled),
    fillExit,
  ),
  'exit-of-part': path({ exit: exitAfter(1) }, soon, async (play) => {
    await play.tell(play.entryId, 'CANCELLED', '7')
    await fillExit(play)
  }),
  'exit-grown-by-late-fill': path({ exit: exitAfter(1) }, soon, async (play) => {
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('planExit')
    await play.tell(play.entryId, 'CANCELLED', '8')
    await fillExit(play)
  }),
  'exit-followed-by-second-for-late-fill': path(
    { exit: exitAtOnce },
    () => {},
    async (play) => {
      await play.tell(play.entryId, 'CANCELLED', '7')
      await play.script.accepted('exit')
      await play.tell(play.entryId, 'CANCELLED', '8')
      await fillExit(play, 1)
      await fillExit(play, 2)
    },
  ),
  'exit-not-needed': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', acceptsFilled).answer('sizeExit', ({ filledQuantity }) => ({
 quantity: '0', coversQuantity: filledQuantity, notBefore: null })),
  ),
  'exit-rejected-then-accepted': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', acceptsFilled, refuses, acceptsFilled),
  ),
  'exit-unknown-then-accepted': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', acceptsFilled, unknownOutcome, acceptsFilled),
  ),
  'exit-busy-then-accepted': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', acceptsFilled, busy, acceptsFilled),
  ),
  'exit-partly-filled-then-expired': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled, accepts, acceptsFilled),
    async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'EXPIRED', '4')
    },
  ),
  'exit-limit-expired': path(
    { exit: { ...exitAtOnce, orderType: 'limit', limitPrice: '200' } },
    (script) => script.answer('submitOrder', acceptsFilled, accepts),
    async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'EXPIRED', '4')
    },
  ),
  'exit-rejected-after-acceptance': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled, accepts, acceptsFilled),
    async (play) => {
      await play.script.accepted('exit')
      await play.tell(play.exitId(), 'REJECTED', '0', { reason: 'halted' })
    },
  ),
  'exit-rejected-then-retried-by-word': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled, refuses, acceptsFilled),
    async (play) => {
      await play.script.called('recordExitTrouble')
      await play.handle.signal(retryExit)
    },
  ),
  'exit-rejected-then-cancelled': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled, refuses),
    async (play) => {
      await play.script.called('recordExitTrouble')
      await play.cancelExit()
    },
  ),
  'exit-not-sized-for-long': path({ exit: exitAtOnce }, (script) =>
    script
      .answer('submitOrder', acceptsFilled, acceptsFilled)
      .answer('sizeExit', ...Array.from({ length: 6 }, () => unknownOutcome)),
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
    (script) =>
      script.answer('submitOrder', accepts, acceptsFilled).answer('cancelOrder', cancelled('CANCELLED', '4')),
    async (play) => void (await play.cancelOrder(play.entryId)),
  ),
  'exit-order-cancelled-by-a-person': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled, accepts),
    async (play) => {
      await play.script.accepted('exit')
      const cancel = play.cancelOrder(play.exitId())
      await play.script.called('cancelOrder')
      await play.tell(play.exitId(), 'CANCELLED', '3')
      await cancel
    },
  ),
  'order-filled-at-once': manual({}, (script) => script.answer('submitOrder', acceptsFilled)),
  'order-filled-by-feed': manual(gtcLimit, nobody, async (play) => {
    await play.awaitPlacement()
    await play.tell('FILLED', '10')
  }),
  'order-denied': manual({}, (script) =>
    script.answer('prepareManualOrder', () => ({ outcome: 'denied', code: 'REDUCE_ONLY', detail: 'halted' })),
  ),
  'order-rejected': manual({}, (script) => script.answer('submitOrder', refuses)),
  'order-unknown-then-accepted': manual({}, (script) =>
    script.answer('submitOrder', unknownOutcome, unknownOutcome, acceptsFilled),
  ),
  'order-cancelled-unsent': manual(
    {},
    (script) => script.answer('prepareManualOrder', ...Array.from({ length: 20 }, () => unknownOutcome)),
    async (play) => {
      await play.script.called('prepareManualOrder', 2)
      await play.cancel()
    },
  ),
  'order-decided-by-a-lost-worker': manual(
    gtcLimit,
    (script, play) =>
      script
        .answer('prepareManualOrder', unknownOutcome, unknownOutcome)
        .answer('recordCancelled', () => 'too_late')
        .answer('cancelOrder', standsAt(play, 'CANCELLED')),
    async (play) => {
      await play.script.called('prepareManualOrder', 2)
      await play.cancel()
    },
  ),
  'order-cancelled-while-working': manual(
    gtcLimit,
    (script, play) => script.answer('cancelOrder', standsAt(play, 'CANCELLED')),
    async (play) => {
      await play.awaitPlacement()
      await play.cancel()
    },
  ),
  'order-cancelled-by-the-feed': manual(
    gtcLimit,
    (script, play) => script.answer('cancelOrder', standsAt(play, 'OPEN')),
    async (play) => {
      await play.awaitPlacement()
      await play.cancel()
      await play.tell('CANCELLED', '0')
    },
  ),
  'entry-denied': path({}, (script) =>
    script.answer('prepareEntry', () => ({ outcome: 'denied', code: 'STRATEGY_PAUSED', detail: 'paused' })),
  ),
  'entry-in-its-turn': inTurn(1, async () => ({}), nobody),
  'entry-withdrawn-before-its-turn': inTurn(100, async () => ({}), (play) => play.withdraw()),
  'entry-replaced-before-its-turn': inTurn(100, async () => ({}), (play) => play.replace()),
  'entry-expired-before-its-turn': inTurn(
    100,
    async (stage) => ({ validUntil: await stage.minutesFromNow(0.02) }),
    nobody,
  ),
  'entry-not-checked-in-time': async (stage) => {
    const sendBefore = await stage.minutesFromNow(0.02)
    const play = await stage.begin({ sendBefore }, (script) =>
      script.answer('prepareEntry', ...Array.from({ length: 9 }, () => databaseDown)),
    )
    await play.result()
    return play
  },
  'approval-not-checked-in-time': async (stage) => {
    const play = await stage.begin({ executeMode: 'pending' }, (script) =>
      script
        .answer('prepareEntry', ...Array.from({ length: 9 }, () => databaseDown))
        .answer('submitOrder', acceptsFilled),
    )
    await play.approve({ sendBefore: await stage.minutesFromNow(0.02) }).catch(() => null)
    await play.decline()
    await play.result()
    return play
  },
  'entry-decided-by-a-lost-worker': async (stage) => {
    const play = await stage.begin({ executeMode: 'pending' }, (script) =>
      script.answer('recordCancelled', () => 'too_late').answer('submitOrder', acceptsFilled),
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
    return path({ ...gtd, exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', accepts, acceptsFilled)
        .answer('cancelOrder', fails('no answer', 'OutcomeUnknown'), cancelled('CANCELLED', '4')),
    )(stage)
  },
  'replaced-while-working': path(
    { ...gtcLimit, exit: exitAtOnce },
    (script) => script.answer('cancelOrder', cancelled('CANCELLED', '0')),
    async (play) => void (await play.replace()),
  ),
  'replaced-by-the-feed': path(
    gtcLimit,
    (script) => script.answer('cancelOrder', cancelled('OPEN', '0')),
    async (play) => {
      const answer = play.replace()
      await play.script.called('cancelOrder')
      await play.tell(play.entryId, 'CANCELLED', '0')
      await answer
    },
  ),
  'replaced-then-filled-late': path(
    { ...gtcLimit, exit: exitAtOnce },
    (script) =>
      script
        .answer('submitOrder', accepts, acceptsFilled)
        .answer('cancelOrder', ...Array.from({ length: 3 }, () => cancelled('OPEN', '0'))),
    async (play) => {
      await play.replace()
      await play.tell(play.entryId, 'FILLED', '10')
    },
  ),
  'replaced-then-cancelled-late': path(
    { ...gtcLimit, exit: exitAtOnce },
    (script) => script.answer('cancelOrder', ...Array.from({ length: 3 }, () => cancelled('OPEN', '0'))),
    async (play) => {
      await play.replace()
      await play.tell(play.entryId, 'CANCELLED', '0')
    },
  ),
  'replacement-rejected-by-a-fill': path(
    { ...gtcLimit, exit: exitAtOnce },
    (script) => script.answer('submitOrder', accepts, acceptsFilled).answer('cancelOrder', cancelled('FILLED', '10')),
    async (play) => {
      await play.replace().catch((error: unknown) => {
        if (!(error instanceof WorkflowUpdateFailedError)) throw error
      })
    },
  ),
  'exit-cancelled-while-the-entry-works': path(
    { ...gtcLimit, exit: exitAfter(1) },
    () => {},
    async (play) => {
      await play.cancelExit()
      await play.fillEntry()
    },
  ),
  'exit-cancelled-before-its-time': path(
    { exit: exitAfter(1) },
    (script) => script.answer('submitOrder', acceptsFilled),
    async (play) => {
      await play.script.called('planExit')
      await play.cancelExit()
    },
  ),
  'exit-after-the-next-opening': path({ exit: exitAtOnce }, (script) => {
    const opensAt = (at: string) => new Date(Date.parse(at) + EXIT_IN).toISOString()
    script
      .answer('submitOrder', acceptsFilled, acceptsFilled)
      .answer('sizeExit', (_, at) => ({ quantity: null, coversQuantity: null, notBefore: opensAt(at) }))
      .answer(
        'planExit',
        ({ entryEndedAt }) => ({ submitAt: entryEndedAt, reason: null }),
        (_, at) => ({ submitAt: opensAt(at), reason: 'exit_rolled_to_next_session' }),
      )
  }),
  'continued-while-waiting': held({ executeMode: 'pending' }, async (play, stage) => {
    await stage.lengthen(play, SHORT_HISTORY)
    await play.script.called('recordWaiting', 2)
    await play.approve()
  }),
  'continued-while-working': async (stage) =>
    path(
      { ...gtcLimit, exit: exitAtOnce },
      (script) => script.answer('submitOrder', accepts, acceptsFilled),
      async (play) => {
        await play.tell(play.entryId, 'PARTIALLY_FILLED', '4')
        await stage.lengthen(play, SHORT_HISTORY)
        await play.awaitEntry()
        await play.tell(play.entryId, 'FILLED', '10')
      },
    )(stage),
  'continued-in-the-ordinary-queue-while-working': moved(
    { ...gtcLimit, exit: exitAtOnce },
    [accepts, acceptsFilled],
    (play) => play.tell(play.entryId, 'FILLED', '10'),
  ),
  'continued-in-the-ordinary-queue-while-the-exit-waits': moved({ exit: exitAfter(0.2) }, [
    acceptsFilled,
    acceptsFilled,
  ]),
  'continued-while-the-exit-waits': async (stage) =>
    path(
      { exit: exitAfter(0.25) },
      (script) => script.answer('submitOrder', accepts, acceptsFilled),
      async (play) => {
        await play.fillEntry()
        await play.script.called('planExit')
        await stage.lengthen(play, SHORT_HISTORY)
      },
    )(stage),
}
