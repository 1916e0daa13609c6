import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ApplicationFailure } from '@temporalio/common'
import fc from 'fast-check'
import { startStopwatch } from '#activities/failures.ts'
import type { Denied, Permitted, Throttle } from '#activities/order/throttle.ts'
import { LEAVES_WITHIN } from '#domain/order/entry-order.ts'
import type { SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import { submitOrder } from '#activities/order/submit.ts'
import { BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { GivenUp } from '#db/order/send-permits.ts'
import { clientOrderIdFor, type OrderReport, type OrderRequest } from '#domain/order/order.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import { held } from '#test/support/sample-position.ts'
import {
  ScriptedBroker,
  SUBMISSION_BEHAVIOURS,
  type LookupBehaviour,
  type SubmissionBehaviour,
} from '#test/support/scripted-broker.ts'
import { cases } from '#test/support/generators.ts'

const START = Date.parse('2026-03-02T15:00:00.000Z')
/** As the worker is set up: a broker request may take 4 s, an attempt of the durable step 8 s. */
const REQUEST_TIMEOUT = 4_000
const ATTEMPT_TIMEOUT = 8_000
/** The first attempt is made on the spot and given up sooner than its request may take. */
const GIVEN_UP_AFTER = 1_500

/** One order, a scripted broker and a clock that moves only when somebody waits. */
class Scene {
  time = START
  readonly broker = new ScriptedBroker(() => this.time)
  request = orderRequest()
  keysRejected = 0
  /** What happens before the guard has answered. */
  gettingReady: () => void = () => {}
  sendBefore: string | null = null
  /** What the guard in front of the broker says. */
  forbidden: Denied | null = null
  /** How many attempts the guard let out, and when the latest of them that may have sent the order. */
  permits = 0
  passedAt: string | null = null
  #passedBefore: string | null = null
  givenUp: GivenUp | null = null
  /** Since when the broker says to have the order and does not show it. */
  hiddenSince: number | null = null
  /** What the owner was told of that. */
  readonly reportedHidden: string[] = []
  /** When its size was decided, as the guard tells. */
  decidedAt: string | null = null
  /** Whether the shares that it closes are still there. */
  isCovered = true
  /** What happens before that is known. */
  lookingAtShares: () => void = () => {}
  /** The decision to send it was taken back, for this reason. */
  takenBack: string | null = null
  /** What happens when the guard is told that the order is given up, before it is. */
  givingUp: () => void = () => {}

  readonly throttle: Throttle = {
    ask: async () => {
      const since = startStopwatch(() => this.time)
      const before = this.passedAt
      if (this.givenUp === null && this.forbidden === null) this.permitted(this.time)
      const permits = { permits: this.permits, before, asOf: instant(this.time) }
      this.gettingReady()
      if (this.givenUp) return { permits, since, what: 'givenUp', givenUp: this.givenUp }
      if (this.forbidden && this.holdsBack)
        return { permits, since, what: 'heldBack', detail: this.forbidden.detail }
      if (this.forbidden) return { permits, since, what: 'denied', denied: this.forbidden }
      return { permits, since, what: 'permitted', decidedAt: this.decidedAt }
    },
    permits: async () => ({ permits: this.permits, before: this.passedAt, asOf: instant(this.time) }),
    sentNothing: async (_request, permits) => {
      if (permits === this.permits) this.passedAt = this.#passedBefore
    },
    hidden: async (_request, permits) => {
      this.hiddenSince ??= this.time
      if (permits === this.permits) this.passedAt = this.#passedBefore
      return this.time - this.hiddenSince
    },
    giveUp: async (_account, _request, permits, givenUp) => {
      this.givingUp()
      if (permits !== this.permits) return false
      this.givenUp ??= givenUp
      return true
    },
    takeBack: async (_account, _request, permits, detail) => {
      if (permits !== this.permits) return false
      this.takenBack = detail
      return true
    },
  }
  /** The guard lets an attempt out. */
  permitted(at: number): void {
    this.permits += 1
    this.#passedBefore = this.passedAt
    this.passedAt = instant(at)
  }
  /** What the feed has heard of the order. */
  heard: OrderReport | null = null
  /** The guard holds back what closes, instead of denying it. */
  holdsBack = false

  submit(
    input: Partial<SubmitOrderInput> = {},
    { beganAt, permitted }: { beganAt?: number; permitted?: Permitted } = {},
  ): Promise<SubmitOrderResult> {
    const { request, sendBefore } = this
    return submitOrder(
      {
        brokerFor: async () => this.broker,
        feedReportOf: async () => this.heard,
        keysRejected: () => {
          this.keysRejected += 1
        },
        throttle: this.throttle,
        isStillCovered: async () => {
          this.lookingAtShares()
          return this.isCovered
        },
        reportHidden: async (_request, detail) => void this.reportedHidden.push(detail),
        requestTimeoutMs: REQUEST_TIMEOUT,
        now: () => this.time,
        pause: async (milliseconds) => {
          this.time += milliseconds
        },
      },
      { accountId: 'account', request, unknownSince: null, sendBefore, ...input },
      beganAt,
      permitted,
    )
  }

  /** An attempt after one whose outcome is not known, which began when the clock started. */
  submitAgain(): Promise<SubmitOrderResult> {
    return this.submit({ unknownSince: instant(START) })
  }
}

const stopped: Denied = { outcome: 'denied', code: 'TRADING_STOPPED', detail: 'stopped by its owner' }

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** That an attempt settles nothing and asks to be repeated. */
async function outcomeUnknown(attempt: Promise<SubmitOrderResult>, type = 'OutcomeUnknown') {
  const error = await attempt.then(
    (result) => assert.fail(`it settled: ${JSON.stringify(result)}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApplicationFailure, String(error))
  assert.deepEqual([error.type, error.nonRetryable ?? false], [type, false])
  return error
}

describe('submitting an order', () => {
  let scene: Scene
  let broker: ScriptedBroker
  beforeEach(() => {
    scene = new Scene()
    ;({ broker } = scene)
  })
  /** What attempts come to: an outcome, or the failure by which they ask to be repeated. */
  const comesTo = async (attempt: Promise<SubmitOrderResult>, expected: string): Promise<void> => {
    const settled = await attempt.then(
      ({ outcome }) => outcome,
      (error: unknown) => {
        assert.ok(error instanceof ApplicationFailure, String(error))
        assert.ok(!error.nonRetryable)
        return error.type
      },
    )
    assert.equal(settled, expected)
  }
  const sent = (times: number): void => assert.equal(broker.submissions.length, times)
  const exitRequest = (role: 'timed' | 'entry' = 'timed') =>
    orderRequest({ clientOrderId: clientOrderIdFor(randomUUID(), role, 1), side: 'SELL' })

  it('submitting an order that the broker accepts takes one request', async () => {
    await comesTo(scene.submit(), 'accepted')
    sent(1)
    assert.equal(broker.requests.get('findOrder'), undefined)
  })

  describe('when the answer is lost', () => {
    it('settles nothing, and the next attempt finds the order without sending it again', async () => {
      broker.script.push('acceptThenUnknown')
      await comesTo(scene.submit(), 'OutcomeUnknown')
      await comesTo(scene.submitAgain(), 'accepted')
      sent(1)
    })

    it('submitting an order when the answer is lost and the look-up lags, the broker’s own check of the id keeps it from a second order', async () => {
      broker.script.push('acceptThenUnknown')
      broker.lookupLag = 5_000
      await comesTo(scene.submit(), 'OutcomeUnknown')
      await comesTo(scene.submitAgain(), 'OutcomeUnknown')
      scene.time += 5_000
      await comesTo(scene.submitAgain(), 'accepted')
      assert.equal(broker.accepted.size, 1)
    })

    it('submitting an order when the answer is lost takes what the feed has received for the answer, however late the look-up is', async () => {
      broker.script.push('acceptThenUnknown')
      broker.lookupLag = 45_000
      await comesTo(scene.submit(), 'OutcomeUnknown')
      scene.heard = [...broker.accepted.values()][0]!.report
      assert.deepEqual(await scene.submitAgain(), { outcome: 'accepted', report: scene.heard })
      sent(1)
      assert.equal(broker.requests.get('findOrder'), undefined)
    })

    for (const lookup of ['unknown', 'busy', 'credentials'] as const)
      it(`submitting an order when the answer is lost and the look-up fails (${lookup}), nothing is sent`, async () => {
        broker.lookups.push(lookup)
        await comesTo(scene.submitAgain(), lookup === 'busy' ? 'BrokerBusy' : 'OutcomeUnknown')
        sent(0)
        assert.equal(scene.keysRejected, lookup === 'credentials' ? 1 : 0)
      })
  })

  it('submitting an order to a busy broker places nothing, leaves no attempt to be waited for, and permits on the wait that it asks for', async () => {
    broker.script.push('busy')
    const failure = await outcomeUnknown(scene.submit(), 'BrokerBusy')
    assert.deepEqual([failure.nextRetryDelay, broker.accepted.size], [1_500, 0])
    assert.deepEqual([scene.permits, scene.passedAt], [1, null])
    await comesTo(scene.submitAgain(), 'accepted')
  })

  describe('under an id that the broker has seen', () => {
    it('adopts the order when it is the same one, written differently', async () => {
      const limit = { orderType: 'limit', limitPrice: '187.50', side: 'SELL_SHORT' } as const
      const request = orderRequest({ ...limit, quantity: '10' })
      broker.accept(request, { quantity: '10.000', limitPrice: '187.5', side: 'SELL' })
      await comesTo(scene.submit({ request }), 'accepted')
    })

    for (const fields of [{ symbol: 'MSFT' }, { side: 'SELL' }] as const)
      it(`submitting an order under an id that the broker has seen is a conflict when the order has another ${Object.keys(fields).join()}`, async () => {
        broker.accept({ ...scene.request, ...fields })
        const result = await scene.submit()
        assert.equal(result.outcome === 'conflict' && result.code, 'DUPLICATE_CLIENT_ORDER_ID')
        await comesTo(scene.submitAgain(), 'conflict')
      })

    for (const fields of [
      { quantity: '2' },
      { orderType: 'limit', limitPrice: '5' },
      { limitPrice: '187.51' },
      { stopPrice: '180.01' },
      { timeInForce: 'gtc' },
      { extendedHours: true },
    ] as const)
      it(`submitting an order under an id that the broker has seen is adopted when the order has another ${Object.keys(fields).join(' and ')}`, async () => {
        broker.accept({ ...scene.request, ...fields })
        const result = await scene.submitAgain()
        assert.ok(result.outcome === 'accepted')
        assert.equal(result.wasSentBefore, undefined)
      })

    it('says when the order was there before any attempt could send it', async () => {
      broker.accept({ ...scene.request, quantity: '2' })
      const result = await scene.submit()
      assert.equal(result.outcome === 'accepted' && result.wasSentBefore, true)
    })

    describe('and that it does not show, of an exit,', () => {
      beforeEach(() => {
        scene.request = exitRequest()
        broker.script.push('unknownBefore')
        broker.otherwise = 'duplicate'
      })
      /** Tries for so many seconds, every five. */
      const tryFor = async (seconds: number): Promise<void> => {
        await comesTo(scene.submit(), 'OutcomeUnknown')
        for (const until = scene.time + seconds * 1_000; scene.time < until; scene.time += 5_000)
          await comesTo(scene.submitAgain(), 'OutcomeUnknown')
      }

      it('gives it up after a minute in which neither look-up, list nor position show it', async () => {
        await tryFor(60)
        scene.time += 5_000
        const settled = await scene.submitAgain()
        assert.ok(settled.outcome === 'rejected')
        assert.equal(settled.code, 'DUPLICATE_CLIENT_ORDER_ID')
        assert.match(
          settled.detail,
          /says that it has an order .*-x1 already, and does not show it for \d+ s/,
        )
        assert.equal(scene.givenUp?.outcome, 'rejected')
        assert.match(scene.reportedHidden.at(-1)!, /does not show it/)
      })

      it('takes it over where the list of orders shows it, and no look-up does', async () => {
        await tryFor(55)
        broker.accept(scene.request)
        broker.lookupLag = Number.POSITIVE_INFINITY
        scene.time += 10_000
        await comesTo(scene.submitAgain(), 'accepted')
      })

      it('submitting an order under an id that the broker has seen and that it does not show, of an exit, does not give it up where the position says that something was sold', async () => {
        await tryFor(55)
        scene.time += 10_000
        let looks = 0
        scene.lookingAtShares = () => void (scene.isCovered = (looks += 1) === 1)
        await comesTo(scene.submitAgain(), 'OutcomeUnknown')
        assert.equal(scene.givenUp, null)
      })
    })

    it('submitting an order under an id that the broker has seen and does not show is not given up, of an entry, while it may still be sent', async () => {
      broker.script.push('unknownBefore')
      broker.otherwise = 'duplicate'
      await comesTo(scene.submit(), 'OutcomeUnknown')
      for (let tries = 0; tries < 20; tries += 1, scene.time += 10_000)
        await comesTo(scene.submitAgain(), 'OutcomeUnknown')
      assert.equal(scene.givenUp, null)
    })
  })

  describe('that the broker rejects', () => {
    it('submitting an order that the broker rejects is refused with the broker’s code and words at once when it is the first attempt', async () => {
      broker.script.push('refuse')
      const refusal = { code: 'INSUFFICIENT_FUNDS', detail: 'insufficient buying power' }
      assert.deepEqual(await scene.submit(), { outcome: 'rejected', ...refusal })
      assert.equal(scene.time, START)
    })

    it('submitting an order that the broker rejects is in doubt while the first attempt may still be under way', async () => {
      broker.otherwise = 'refuse'
      for (const [passed, expected] of [
        [0, 'OutcomeUnknown'],
        [2 * REQUEST_TIMEOUT - 1, 'OutcomeUnknown'],
        [2 * REQUEST_TIMEOUT, 'rejected'],
      ] as const) {
        scene.time = START + passed
        await comesTo(scene.submitAgain(), expected)
      }
    })

    it('decides nothing while it is not known whether an earlier attempt was accepted', async () => {
      broker.script.push('refuse')
      broker.lookups.push('unknown')
      await comesTo(scene.submit(), 'OutcomeUnknown')
    })

    it('submitting an order that the broker rejects is not given up when another attempt passed the send gate meanwhile', async () => {
      broker.script.push('refuse')
      scene.givingUp = () => scene.permitted(scene.time)
      await comesTo(scene.submit(), 'OutcomeUnknown')
      assert.equal(scene.givenUp, null)
    })

    it('submitting an order that the broker rejects sends nothing in another attempt, which reports that refusal', async () => {
      broker.script.push('refuse')
      const refused = await scene.submit()
      assert.equal(refused.outcome, 'rejected')
      assert.deepEqual(await scene.submit(), refused)
      sent(1)
    })
  })

  for (const by of ['the broker', 'the guard'] as const)
    it(`a refusal by ${by} counts only once an order of the attempt just before has had time to show`, async () => {
      scene.time = START + 60_000
      broker.lookupLag = 5_000
      broker.accept(scene.request)
      if (by === 'the guard') scene.forbidden = stopped
      else broker.otherwise = 'refuse'
      await comesTo(scene.submitAgain(), 'accepted')
      assert.equal(scene.time, START + 65_000)
    })

  it('submitting an order that the guard in front of the broker forbids is denied with the guard’s reason, and nothing is sent', async () => {
    scene.forbidden = stopped
    assert.deepEqual(await scene.submit(), stopped)
    sent(0)
  })

  it('submitting an order that the guard passed before, unknown to this attempt, is looked up before it is sent', async () => {
    scene.permitted(START)
    broker.accept(scene.request)
    await comesTo(scene.submit(), 'accepted')
    sent(0)
  })

  describe('that another order of the account blocks', () => {
    const opposed = (changes: object) => {
      broker.script.push('opposed')
      const other = orderRequest({ clientOrderId: 'other', side: 'SELL', ...changes })
      broker.opposing = broker.accept(other).brokerOrderId
    }

    it('submitting an order that another order of the account blocks is sent again when that one fills or ends at once', async () => {
      opposed({ orderType: 'market', limitPrice: null, timeInForce: 'day' })
      await comesTo(scene.submit(), 'Awaits')
      await comesTo(scene.submit(), 'accepted')
    })

    it('submitting an order that another order of the account blocks is refused with its own code when that one rests, and it is named', async () => {
      opposed({ orderType: 'limit', limitPrice: '120', timeInForce: 'gtc' })
      const result = await scene.submit()
      assert.ok(result.outcome === 'rejected')
      assert.equal(result.code, 'OPPOSITE_ORDER')
      assert.match(result.detail, /broker-other/)
    })
  })

  describe('that opens, against a position of the other side', () => {
    const why = 'LONG 1 AAPL are held: a position of the other side is opened after closeLong'
    beforeEach(() => {
      scene.request = orderRequest({ side: 'SELL_SHORT' })
      broker.positions = [held('1', 'LONG')]
      broker.otherwise = 'against'
      scene.decidedAt = instant(START)
    })
    /** As the durable step tries it again: after the pause that it is told. */
    const tryUntilSettled = async (meanwhile: () => void = () => {}): Promise<SubmitOrderResult> => {
      for (let attempt = scene.submit(); ; attempt = scene.submitAgain()) {
        const settled = await attempt.catch((failure: unknown) => {
          assert.ok(failure instanceof ApplicationFailure)
          assert.deepEqual([failure.type, failure.message], ['Awaits', why])
          scene.time += Number(failure.nextRetryDelay)
          return null
        })
        if (settled !== null) return settled
        meanwhile()
      }
    }

    it('submitting an order that opens, against a position of the other side is sent under the same id once its close has filled', async () => {
      const result = await tryUntilSettled(() => {
        if (scene.time < START + 5_000) return
        broker.positions = []
        broker.otherwise = 'accept'
      })
      assert.equal(result.outcome, 'accepted')
      assert.ok(scene.time < START + 12_000)
      assert.equal(new Set(broker.submissions.map(({ clientOrderId }) => clientOrderId)).size, 1)
    })

    it('submitting an order that opens, against a position of the other side is refused in our words after 15 s without a close, by few requests', async () => {
      assert.deepEqual(await tryUntilSettled(), { outcome: 'rejected', code: 'INVALID_ORDER', detail: why })
      assert.ok(scene.time >= START + 15_000 && scene.time < START + 25_000)
      assert.ok(broker.submissions.length <= 8)
    })

    it('submitting an order that opens, against a position of the other side that was closed between its refusal and the look at it, is sent again', async () => {
      broker.script.push('against')
      broker.otherwise = 'accept'
      broker.positions = []
      await comesTo(scene.submit(), 'Awaits')
      await comesTo(scene.submitAgain(), 'accepted')
    })

    it('submitting an order that opens, against a position of the other side is refused at once when a person placed it', async () => {
      scene.request = { ...scene.request, clientOrderId: `manual-${randomUUID()}` }
      const result = await scene.submit()
      assert.equal(result.outcome === 'rejected' && result.detail, why)
      assert.equal(scene.time, START)
    })
  })

  describe('with keys that are refused', () => {
    beforeEach(() => void broker.script.push('credentials'))

    it('submitting an order with keys that are refused is refused when it is the first attempt, and the keys are read again', async () => {
      const result = await scene.submit()
      assert.ok(result.outcome === 'rejected')
      assert.deepEqual([result.code, scene.keysRejected], ['BROKER_CREDENTIALS_INVALID', 1])
    })

    it('waits for new keys when an earlier attempt may have been accepted', async () => {
      await comesTo(scene.submitAgain(), 'OutcomeUnknown')
      assert.equal(scene.keysRejected, 1)
      await comesTo(scene.submitAgain(), 'accepted')
    })

    it('waits for new keys also when only the guard knows of an earlier attempt', async () => {
      scene.permitted(START)
      await comesTo(scene.submit(), 'OutcomeUnknown')
      assert.equal(scene.givenUp, null)
    })
  })

  describe('that is too old', () => {
    beforeEach(() => {
      scene.sendBefore = instant(START + 10_000)
    })

    it('submitting an order that is too old is sent at the last moment', async () => {
      scene.time = START + 10_000
      await comesTo(scene.submit(), 'accepted')
    })

    it('submitting an order that is too old is stale a millisecond later when no attempt passed the send gate, and given up', async () => {
      scene.time = START + 10_001
      await comesTo(scene.submit(), 'stale')
      assert.equal(scene.givenUp?.outcome, 'stale')
      sent(0)
    })

    it('submitting an order that is too old is stale when an attempt that passed the send gate in time would have shown by now', async () => {
      scene.permitted(START + 10_000)
      const known = START + 10_000 + 2 * REQUEST_TIMEOUT
      scene.time = known - 1
      await comesTo(scene.submit(), 'OutcomeUnknown')
      scene.time = known
      await comesTo(scene.submit(), 'stale')
      assert.equal(scene.time, known + 5_000)
      sent(0)
    })

    it('submitting an order that is too old is accepted when an attempt made in time was', async () => {
      broker.accept(scene.request)
      scene.time = START + 600_000
      await comesTo(scene.submit(), 'accepted')
    })

    it('submitting an order that is too old by the time the look-up has answered is not sent', async () => {
      broker.latency = () => void (scene.time += 3_000)
      scene.time = START + 8_000
      await comesTo(scene.submitAgain(), 'stale')
      sent(0)
    })

    for (const [letOutBefore, expected] of [
      [false, 'stale'],
      [true, 'OutcomeUnknown'],
    ] as const)
      it(`submitting an order that became too old while it got ready is not sent: ${expected}, ${letOutBefore ? 'as' : 'where no'} an earlier attempt may have sent it`, async () => {
        scene.sendBefore = instant(START + 1_000)
        scene.gettingReady = () => void (scene.time += 1_001)
        if (letOutBefore) scene.permitted(START - 1)
        await comesTo(scene.submit(), expected)
        assert.equal(scene.givenUp?.outcome, letOutBefore ? undefined : 'stale')
        sent(0)
      })

    it('submitting an order that passed with its decision when it was too old already is stale at once', async () => {
      const answer = await scene.throttle.ask('account', scene.request)
      assert.equal(answer.what, 'permitted')
      scene.sendBefore = instant(START - 1)
      await comesTo(scene.submit({}, { permitted: answer }), 'stale')
      assert.equal(scene.givenUp?.outcome, 'stale')
      sent(0)
    })
  })

  for (const [title, late] of [
    ['after the next attempt may have begun', REQUEST_TIMEOUT + 1],
    ['too long after the guard', LEAVES_WITHIN + 1],
  ] as const)
    it(`submitting an order that gets ready ${title} sends nothing`, async () => {
      scene.gettingReady = () => void (scene.time += late)
      await comesTo(scene.submit(), 'OutcomeUnknown')
      sent(0)
    })

  it('submitting an order late after its attempt began sends nothing, however lately the guard has let it out', async () => {
    await comesTo(scene.submit({}, { beganAt: START - REQUEST_TIMEOUT - 1 }), 'OutcomeUnknown')
    sent(0)
  })

  it('submitting an order that passed with its decision passes again once that is too long ago', async () => {
    const since = startStopwatch(() => scene.time)
    scene.permitted(scene.time)
    const permits = { permits: 1, before: null, asOf: instant(scene.time) }
    scene.time += LEAVES_WITHIN + 1
    await comesTo(
      scene.submit({}, { permitted: { what: 'permitted', permits, since, decidedAt: null } }),
      'accepted',
    )
    assert.equal(scene.permits, 2)
  })

  it('submitting an order that froze while its connection was made sends nothing: the broker’s adapter asks right before it writes', async () => {
    const send = broker.submitOrder.bind(broker)
    Object.assign(broker, {
      submitOrder(request: OrderRequest, assertMayLeave: () => void) {
        scene.time += LEAVES_WITHIN + 1
        assertMayLeave()
        return send(request)
      },
    })
    await comesTo(scene.submit(), 'OutcomeUnknown')
    sent(0)
  })

  describe('that closes a position', () => {
    beforeEach(() => {
      scene.request = exitRequest()
      scene.decidedAt = instant(START)
    })
    /** Its shares are gone, and it was decided so many milliseconds ago. */
    const uncovered = (ago: number) => void Object.assign(scene, { isCovered: false, time: START + ago })
    const heldBack = () => void Object.assign(scene, { holdsBack: true, forbidden: stopped })
    const isTakenBack = (expected: boolean) => assert.equal(scene.takenBack !== null, expected)

    it('submitting an order that closes a position and is held back before any attempt passed is taken back', async () => {
      heldBack()
      await comesTo(scene.submit(), 'Halted')
      assert.equal(scene.takenBack, stopped.detail)
    })

    it('submitting an order that closes a position and is held back after an attempt with an unknown outcome waits, and is found when it shows', async () => {
      broker.script.push('acceptThenUnknown')
      broker.lookupLag = 5_000
      await comesTo(scene.submit(), 'OutcomeUnknown')
      heldBack()
      await comesTo(scene.submitAgain(), 'Halted')
      isTakenBack(false)
      scene.time += 5_000
      await comesTo(scene.submitAgain(), 'accepted')
    })

    it('submitting an order that closes a position and was decided a moment ago is sent without another look', async () => {
      uncovered(5_000)
      await comesTo(scene.submit(), 'accepted')
    })

    it('submitting an order that closes a position and was decided some time ago is taken back when its shares are gone', async () => {
      uncovered(5_001)
      await comesTo(scene.submit(), 'void')
      sent(0)
      isTakenBack(true)
    })

    it('submitting an order that closes a position and was decided some time ago is not taken back when its shares are gone because it is at the broker', async () => {
      broker.accept(scene.request)
      uncovered(5_001)
      await comesTo(scene.submit(), 'accepted')
      sent(0)
      isTakenBack(false)
    })

    it('submitting an order that closes a position and was decided some time ago is taken back by the next attempt when the look-up of this one fails', async () => {
      uncovered(5_001)
      broker.lookups.push('busy')
      await comesTo(scene.submit(), 'BrokerBusy')
      await comesTo(scene.submit(), 'void')
      assert.equal(scene.givenUp, null)
      isTakenBack(true)
    })

    it('submitting an order that closes a position and was decided some time ago is not taken back when another attempt passed meanwhile', async () => {
      uncovered(5_001)
      scene.lookingAtShares = () => scene.permitted(scene.time)
      await comesTo(scene.submit(), 'OutcomeUnknown')
      isTakenBack(false)
    })

    it('submitting an order that closes a position and may have been sent is sent again when its shares are still there', async () => {
      broker.script.push('unknownBefore')
      await comesTo(scene.submit(), 'OutcomeUnknown')
      await comesTo(scene.submitAgain(), 'accepted')
    })

    for (const [role, expected] of [
      ['timed', 'void'],
      ['entry', 'denied'],
    ] as const)
      it(`submitting an order that closes a position and may have been sent is given up when it does not show and its shares are gone: ${expected}, as ${role}`, async () => {
        scene.request = exitRequest(role)
        broker.script.push('unknownBefore')
        await comesTo(scene.submit(), 'OutcomeUnknown')
        scene.isCovered = false
        const failure = await outcomeUnknown(scene.submitAgain())
        assert.equal(failure.nextRetryDelay, 2 * REQUEST_TIMEOUT)
        scene.time += 2 * REQUEST_TIMEOUT
        await comesTo(scene.submitAgain(), expected)
        assert.equal(scene.givenUp?.outcome, expected)
        sent(1)
      })
  })

  it('permits on unknown errors instead of guessing', async () => {
    scene.broker.submitOrder = () => Promise.reject(new RangeError('a fault of ours'))
    await assert.rejects(scene.submit(), RangeError)
    scene.broker.findOrder = () => Promise.reject(new RangeError('a fault of ours'))
    await assert.rejects(scene.submitAgain(), RangeError)
    scene.broker.findOrder = () => Promise.reject(new BrokerOutcomeUnknown('no answer'))
    await outcomeUnknown(scene.submitAgain())
  })

  it('ends with at most one order, and never as refused or stale while the broker has it', async function () {
    this.timeout(60_000)
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const end = await play(told)
        assert.ok(end.orders <= 1, `${end.orders} orders`)
        assert.equal(end.outcome === 'accepted', end.orders === 1, `${end.outcome} with ${end.orders} orders`)
        assert.ok(['accepted', 'denied', 'rejected', 'stale'].includes(end.outcome), end.outcome)
      }),
      { numRuns: cases(3_000) },
    )
  })
})

interface Attempt {
  behaviour: SubmissionBehaviour
  lookups: LookupBehaviour[]
  /** Milliseconds that each of its requests takes. */
  latency: number
  /** The guard in front of the broker does not let it through. */
  forbidden: boolean
  /** The worker dies before it can tell the result. */
  dies: boolean
  /** The attempt after it is the same workflow task done over, which knows of none before it. */
  forgotten: boolean
  /** Milliseconds from its end to the next attempt. */
  gap: number
}

interface Story {
  attempts: Attempt[]
  lookupLag: number
  /** Milliseconds from the first attempt after which the order is too old. */
  sendBefore: number | null
  /**
   * When the first attempt was given up early and is still under way: milliseconds from its start until the
   * broker accepts its order.
   */
  stragglerAfter: number | null
  /** What the broker does once the attempts above have been made. */
  finally: 'accept' | 'refuse'
}

const story: fc.Arbitrary<Story> = fc.record({
  attempts: fc.array(
    fc.record({
      behaviour: fc.constantFrom(...SUBMISSION_BEHAVIOURS),
      lookups: fc.oneof(
        { weight: 3, arbitrary: fc.constant<LookupBehaviour[]>([]) },
        fc.array(fc.constantFrom<LookupBehaviour>('answer', 'unknown', 'busy', 'credentials'), {
          maxLength: 3,
        }),
      ),
      latency: fc.oneof(fc.constantFrom(0, 20), fc.integer({ min: 0, max: REQUEST_TIMEOUT })),
      forbidden: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
      dies: fc.boolean(),
      forgotten: fc.boolean(),
      gap: fc.oneof(fc.constantFrom(0, 500, 1_000), fc.integer({ min: 0, max: 20_000 })),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  lookupLag: fc.oneof(fc.constantFrom(0, 5_000), fc.integer({ min: 0, max: 5_000 })),
  sendBefore: fc.option(fc.integer({ min: 0, max: 60_000 })),
  stragglerAfter: fc.option(fc.integer({ min: 0, max: 2 * REQUEST_TIMEOUT }), { freq: 2 }),
  finally: fc.constantFrom('accept', 'refuse'),
})

/**
 * Repeats the step as the workflow and Temporal do until it acknowledges: the first attempt knows of none before
 * it, nor do those of a task that is done over; every other one knows when the first was made; a result that comes too late, or whose worker dies, is
 * lost; attempts follow one another.
 */
async function play({ attempts, lookupLag, sendBefore, stragglerAfter, finally: ending }: Story) {
  const scene = new Scene()
  const { broker } = scene
  broker.lookupLag = lookupLag
  broker.otherwise = ending
  if (sendBefore !== null) scene.sendBefore = instant(START + sendBefore)
  const straggles = stragglerAfter !== null && stragglerAfter <= (sendBefore ?? Infinity) + REQUEST_TIMEOUT
  const letStragglerIn = () => {
    if (!straggles || scene.time < START + stragglerAfter || broker.accepted.size > 0) return
    broker.accept(scene.request, {}, START + stragglerAfter)
  }
  if (straggles) {
    scene.permitted(START)
    scene.time = START + GIVEN_UP_AFTER
  }
  let isFirstTask = !straggles
  for (let number = straggles ? 1 : 0; number < 60; number += 1) {
    const attempt = attempts[number] ?? {
      behaviour: ending,
      lookups: [],
      latency: 20,
      forbidden: false,
      dies: false,
      forgotten: false,
      gap: 500,
    }
    broker.script.splice(0, Infinity, attempt.behaviour)
    broker.lookups.splice(0, Infinity, ...attempt.lookups)
    broker.latency = () => {
      scene.time += attempt.latency
      letStragglerIn()
    }
    scene.forbidden = attempt.forbidden ? stopped : null
    const beganAt = scene.time
    const result = await (isFirstTask ? scene.submit() : scene.submitAgain()).catch((error: unknown) => {
      if (error instanceof ApplicationFailure) return null
      throw error
    })
    const inTime = scene.time - beganAt <= ATTEMPT_TIMEOUT
    if (result && inTime && !attempt.dies) {
      scene.time += 60_000
      letStragglerIn()
      return { outcome: result.outcome, orders: broker.accepted.size }
    }
    isFirstTask &&= attempt.dies && attempt.forgotten
    scene.time += attempt.gap
  }
  return { outcome: 'unsettled', orders: broker.accepted.size }
}
