import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client'
import fc from 'fast-check'
import type { OrderStatus } from '#domain/order.ts'
import { EXECUTE_MODES, type ExecuteMode } from '#domain/signal.ts'
import { IS_LONG } from '../../support/generators.ts'
import type { Answer } from '../../support/recording-activities.ts'
import { accepts, acceptsFilled } from '../../support/step-answers.ts'
import { exitAfter, exitAtOnce, filled, reportOf } from '../../support/sample-signal.ts'
import { temporalAddress } from '../../support/servers.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { SignalStage } from '../../support/signal-stage.ts'

/** What may happen to a signal: people decide, a newer one wants its place, shares are filled, the order ends. */
const EVENTS = [
  'approve',
  'decline',
  'withdraw',
  'replace',
  'cancelExit',
  'fill 3',
  'fill all',
  'cancelled',
  'expired',
] as const
type Event = (typeof EVENTS)[number]

/** An event, and whether it waits for what came of the one before, or comes at once. */
type Happening = readonly [event: Event, isPatient: boolean]

interface Life {
  executeMode: ExecuteMode
  exitIsLate: boolean
  happenings: readonly Happening[]
}

/** Signals that live at the same time, to make the most of the time that each of them waits. */
const AT_ONCE = 4

/** The entry order in the market, which decides what a cancel finds. */
class EntryInMarket {
  status: OrderStatus = 'OPEN'
  filledQuantity = 0

  get hasEnded(): boolean {
    return this.status !== 'OPEN' && this.status !== 'PARTIALLY_FILLED'
  }

  fill(shares: number): void {
    if (this.hasEnded) return
    this.filledQuantity = Math.min(10, this.filledQuantity + shares)
    this.status = this.filledQuantity === 10 ? 'FILLED' : 'PARTIALLY_FILLED'
  }

  end(status: OrderStatus): void {
    if (!this.hasEnded) this.status = status
  }
}

/** The gRPC status FAILED_PRECONDITION. */
const TASK_FAILED: ReadonlySet<number> = new Set([9])

/** What came of a message: answered, refused, or nobody was there any more. */
type Came = 'granted' | 'rejected' | 'ended'

async function answerTo(message: Promise<unknown>): Promise<Came> {
  try {
    await message
    return 'granted'
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) return 'rejected'
    // The server drops an update whose task fails, for instance because another message came as it ended.
    if (error instanceof ServiceError && isGrpcServiceError(error.cause) && TASK_FAILED.has(error.cause.code))
      return 'rejected'
    // An update that comes as the workflow ends is told so in more ways than one.
    if (error instanceof WorkflowNotFoundError || /completed|not found/i.test(String(error))) return 'ended'
    throw error
  }
}

/** The end of a signal, or an error that tells where it hangs. */
async function endOf(play: SignalPlay): Promise<SignalOutcome> {
  const patience = new AbortController()
  const tooLong = async (): Promise<never> => {
    await sleep(20_000, null, { signal: patience.signal })
    const stands = JSON.stringify(await play.progress())
    throw new Error(`does not end: ${stands} after ${play.script.order.join()}`)
  }
  try {
    return await Promise.race([play.result(), tooLong()])
  } finally {
    patience.abort()
  }
}

describe('random messages to a signal in random order, on a real server', function () {
  this.timeout(90_000)
  let stage: SignalStage & { close(): Promise<void> }
  before(async () => {
    stage = await SignalStage.onServerAt(await temporalAddress())
  })
  after(() => stage?.close())

  /** Lets a signal live through the happenings and ends what they leave open. */
  async function live({ executeMode, exitIsLate, happenings }: Life) {
    const market = new EntryInMarket()
    const atBroker: Answer<'submitOrder'> = (input, at) =>
      (input.request.side === 'BUY' ? accepts : acceptsFilled)(input, at)
    const play: SignalPlay = await stage.begin(
      {
        executeMode,
        scheduledAt: executeMode === 'scheduled' ? stage.minutesFromNow(0.005) : null,
        orderType: 'limit',
        limitPrice: '100',
        exit: exitIsLate ? exitAfter(0.005) : exitAtOnce,
      },
      (script) =>
        // A task that is done over sends the same order again, and the broker says the same again.
        script.answer('submitOrder', ...Array.from({ length: 20 }, () => atBroker)).answer(
          'cancelOrder',
          ...Array.from(
            { length: 10 },
            () =>
              ({ onlyIfUnfilled }: { onlyIfUnfilled: boolean }, at: string) => {
                if (!onlyIfUnfilled || market.filledQuantity === 0) market.end('CANCELLED')
                return { report: inMarket(at) }
              },
          ),
        ),
    )
    const inMarket = (at: string) =>
      reportOf(play.sent(play.entryId)[0]!, at, {
        status: market.status,
        ...filled(`${market.filledQuantity}`, at),
      })
    /** The market moves only once the order is there, and tells of it like the feed does. */
    const move = async (change: () => void): Promise<void> => {
      if (play.script.acceptances('entry').length === 0) return
      change()
      await play.announce(inMarket(new Date().toISOString()))
    }
    const happen: Record<Event, () => Promise<unknown>> = {
      approve: () => play.approve(),
      decline: () => play.decline(),
      withdraw: () => play.withdraw(),
      replace: () => play.replace(),
      cancelExit: () => play.cancelExit(),
      'fill 3': () => move(() => market.fill(3)),
      'fill all': () => move(() => market.fill(10)),
      cancelled: () => move(() => market.end('CANCELLED')),
      expired: () => move(() => market.end('EXPIRED')),
    }

    const answers: Promise<[Event, Came]>[] = []
    for (const [event, isPatient] of happenings) {
      const answer = answerTo(happen[event]()).then((came): [Event, Came] => [event, came])
      answers.push(answer)
      // Who approves is answered when the order is out, which may need what comes next.
      if (isPatient) await Promise.race([answer, sleep(100)])
    }
    // Whatever still waits for a person or for the market is ended, again and again until the workflow is.
    const ending = (async () => {
      for (;;) {
        await sleep(60)
        if ((await answerTo(play.withdraw())) === 'ended') return
        if ((await answerTo(move(() => market.end('CANCELLED')))) === 'ended') return
      }
    })()
    const outcome = await endOf(play)
    await ending
    const granted = (await Promise.all(answers)).flatMap(([event, came]) =>
      came === 'granted' ? [event] : [],
    )
    return { play, market, outcome, granted }
  }

  it('lead to one order at most, none after a stop, and an exit for all filled shares', async () => {
    const seen = new Map<string, number>()
    const anyLife = fc.record({
      executeMode: fc.constantFrom(...EXECUTE_MODES),
      exitIsLate: fc.boolean(),
      happenings: fc.array(fc.tuple(fc.constantFrom(...EVENTS), fc.boolean()), { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyLife, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (lives) => {
        await Promise.all(
          lives.map(async (wanted) => {
            const lived = await live(wanted)
            assertLegal(wanted.executeMode, lived)
            seen.set(lived.outcome.status, (seen.get(lived.outcome.status) ?? 0) + 1)
          }),
        )
      }),
      { numRuns: IS_LONG ? 40 : 8 },
    )
    console.log(`      ends: ${[...seen].map(([status, times]) => `${times} ${status}`).join(', ')}`)
  })
})

function assertLegal(
  executeMode: ExecuteMode,
  {
    play,
    market,
    outcome,
    granted,
  }: { play: SignalPlay; market: EntryInMarket; outcome: SignalOutcome; granted: Event[] },
): void {
  const wasSent = play.orderIds.includes(play.entryId)
  const count = (event: Event) => granted.filter((one) => one === event).length

  assert.ok(['executed', 'cancelled', 'rejected'].includes(outcome.status), outcome.status)
  const legal = [play.entryId, play.exitId()]
  assert.ok(
    play.orderIds.every((id) => legal.includes(id)),
    `more than these: ${play.orderIds.join()}`,
  )
  assert.equal(outcome.entryFilled, !wasSent ? '0' : String(market.filledQuantity))
  // Nothing is approved, stopped or replaced twice, and nothing is stopped in two ways.
  for (const event of ['approve', 'decline', 'withdraw', 'replace', 'cancelExit'] as const)
    assert.ok(count(event) <= 1, `${event} was granted ${count(event)} times`)
  assert.ok(count('decline') + count('withdraw') + count('replace') <= 1, granted.join())
  if (count('decline') + count('withdraw') > 0) assert.equal(wasSent, false, 'sent after it was stopped')
  if (count('replace') > 0) {
    assert.equal(outcome.reason, 'SUPERSEDED')
    assert.equal(market.filledQuantity, 0, 'replaced though something was filled')
  }
  assert.equal(play.script.inputs('recordReplaced').length, count('replace'))
  if (executeMode === 'pending' && wasSent) assert.equal(count('approve'), 1, 'sent without approval')
  // Whatever was filled leaves again, unless a person wanted it to stay.
  assert.equal(outcome.exitFilled, count('cancelExit') > 0 ? '0' : outcome.entryFilled)
}
