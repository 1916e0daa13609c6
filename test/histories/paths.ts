import type { SignalTerms } from '#domain/signal.ts'
import {
  accepts,
  acceptsFilled,
  busy,
  databaseDown,
  placesNothing,
  unknownOutcome,
  type Answer,
  type SignalScript,
} from '../support/recording-activities.ts'
import { exitAfter, exitAtOnce } from '../support/sample-signal.ts'
import type { SignalPlay, SignalStage } from '../support/signal-stage.ts'

/** One way that a signal can take through the workflow: plays it and returns when it has ended. */
type Path = (stage: SignalStage) => Promise<SignalPlay>

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
  await play.script.called('recordExitAccepted', generation)
  await play.tell(play.exitId(generation), 'FILLED', play.sent(play.exitId(generation))[0]!.quantity)
}

const gtcLimit = { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc' } as const
const refuses = placesNothing('refused', 'INVALID_ORDER', 'the symbol is halted')

/** Every path there is; each name is that of its file. */
export const PATHS: Record<string, Path> = {
  'entry-filled-at-once': path({}, (script) => script.answer('submitOrder', acceptsFilled)),
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
  'entry-refused': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', placesNothing('refused', 'INSUFFICIENT_FUNDS', 'no funds')),
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
  'entry-unknown-then-refused': path({}, (script) => script.answer('submitOrder', unknownOutcome, refuses)),
  'entry-busy-then-accepted': path({}, (script) => script.answer('submitOrder', busy, acceptsFilled)),
  'entry-accepted-database-down': path({}, (script) =>
    script.answer('submitOrder', acceptsFilled).answer('recordEntryAccepted', databaseDown, databaseDown),
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
      await play.script.called('recordExitAccepted')
      await play.tell(play.entryId, 'CANCELLED', '8')
      await fillExit(play, 1)
      await fillExit(play, 2)
    },
  ),
  'exit-not-needed': path({ exit: exitAtOnce }, (script) =>
    script.answer('submitOrder', acceptsFilled).answer('sizeExit', ({ filledQuantity }) => ({
 quantity: '0', answersFor: filledQuantity, notBefore: null })),
  ),
  'exit-refused-then-accepted': path({ exit: exitAtOnce }, (script) =>
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
    (script) => script.answer('submitOrder', acceptsFilled, accepts),
    async (play) => {
      await play.script.called('recordExitAccepted')
      await play.tell(play.exitId(), 'EXPIRED', '4')
    },
  ),
  'exit-rejected-after-acceptance': path(
    { exit: exitAtOnce },
    (script) => script.answer('submitOrder', acceptsFilled, accepts),
    async (play) => {
      await play.script.called('recordExitAccepted')
      await play.tell(play.exitId(), 'REJECTED', '0', { reason: 'halted' })
    },
  ),
}
