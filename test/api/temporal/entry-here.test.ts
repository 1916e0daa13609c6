import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { EntryHandover } from '#activities/handover/entry-handover.ts'
import { entryHere } from '#api/temporal/entry-here.ts'
import { HAND_OVER_WITHIN, LEFT_FOR_ORDINARY_WAY } from '#domain/entry-times.ts'
import type { SignalTerms } from '#domain/signal.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

const EXECUTED: EntryAnswer = { status: 'executed', orderId: 'an order', reason: null, detail: null }
/** Milliseconds. */
const TIME = 2_000

describe('an entry that begins on the worker in the process of the API', () => {
  let terms: SignalTerms
  const handover = new EntryHandover()
  /** Requests that wait, and entries whose attempt was begun. */
  let waiting: number
  let begun: string[]
  /** What an attempt tells. */
  let told: EntryAnswer | null
  let start: () => Promise<{ eagerlyStarted: boolean }>
  let deadlines: number[]
  const client = {
    workflow: { start: () => start() },
    withDeadline: (deadline: number, call: () => unknown) => {
      deadlines.push(deadline - Date.now())
      return call()
    },
  } as unknown as Client
  const ownWorker = {
    client: () => client,
    awaitEntry(signalId: string) {
      const { answer, over } = handover.wait(signalId)
      waiting += 1
      return {
        answer,
        over() {
          waiting -= 1
          over()
        },
      }
    },
    async beginEntry({ signalId }: SignalTerms) {
      begun.push(signalId)
      await handover.attempt(signalId, async (request) => {
        if (told === null) return new Promise(() => {})
        request.tell(told)
        return { check: { completed: false, cause: '', failure: 'Other' }, submission: null, orderId: null }
      })
    },
  }
  const enter = (here = entryHere(ownWorker, 'signals'), milliseconds = TIME) => here(terms, milliseconds)
  const eagerly = async () => ({ eagerlyStarted: true })
  beforeEach(() => {
    start = eagerly
    told = EXECUTED
    deadlines = []
    begun = []
    waiting = 0
    terms = signalTerms({ signalId: randomUUID() })
  })
  afterEach(() => assert.equal(waiting, 0, 'a request waits for ever'))

  it('an entry that begins on the worker in the process of the API is answered by that worker', async () => {
    assert.deepEqual(await enter(), EXECUTED)
  })

  it('an entry that begins on the worker in the process of the API is left to the ordinary way when the worker takes no tasks, or is not there', async () => {
    assert.equal(await enter(entryHere(null, 'signals')), null)
    assert.equal(await enter(entryHere({ ...ownWorker, client: () => null }, 'signals')), null)
  })

  it('an entry that begins on the worker in the process of the API is not begun with too little time left', async () => {
    assert.equal(await enter(undefined, 100), null)
    assert.deepEqual(deadlines, [])
  })

  it('leaves time for the ordinary way when the start gets no answer, and does not give the start up, with which its first task comes', async () => {
    start = () => new Promise(() => {})
    const begun = performance.now()
    assert.equal(await enter(), null)
    assert.ok(performance.now() - begun < TIME - LEFT_FOR_ORDINARY_WAY)
    assert.ok(deadlines[0]! > TIME)
  })

  it('an entry that begins on the worker in the process of the API is not tried for a while after a start without an answer, while there is none to any', async () => {
    const here = entryHere(ownWorker, 'signals')
    start = () => new Promise(() => {})
    assert.equal(await enter(here, 600), null)
    start = eagerly
    assert.equal(await enter(here), null)
    assert.equal(deadlines.length, 1)
  })

  it('an entry that begins on the worker in the process of the API is tried after a start without an answer when another one was answered meanwhile: there is only much to do', async () => {
    const here = entryHere(ownWorker, 'signals')
    start = () => new Promise(() => {})
    const late = enter(here, 600)
    await setTimeout(20)
    const other = { ...terms, signalId: randomUUID() }
    start = eagerly
    assert.deepEqual(await here(other, TIME), EXECUTED)
    assert.equal(await late, null)
    assert.deepEqual(await enter(here), EXECUTED)
  })

  describe('has its attempt begun', () => {
    it('an entry that begins on the worker in the process of the API has its attempt begun with the answer to the start, and not before', async () => {
      const starting = Promise.withResolvers<{ eagerlyStarted: boolean }>()
      start = () => starting.promise
      const entering = enter()
      await setTimeout(100)
      assert.deepEqual(begun, [])
      starting.resolve({ eagerlyStarted: true })
      assert.deepEqual(await entering, EXECUTED)
      assert.deepEqual(begun, [terms.signalId])
    })

    it('an entry that begins on the worker in the process of the API has its attempt begun by the workflow itself where the answer to the start came when nobody waited any more', async () => {
      const starting = Promise.withResolvers<{ eagerlyStarted: boolean }>()
      start = () => starting.promise
      assert.equal(await enter(undefined, 600), null)
      starting.resolve({ eagerlyStarted: true })
      await setTimeout(50)
      assert.deepEqual(begun, [])
    })

    it('elsewhere where the first task is not here, the workflow runs already, or the start failed', async () => {
      start = async () => ({ eagerlyStarted: false })
      assert.equal(await enter(), null)
      start = () =>
        Promise.reject(new WorkflowExecutionAlreadyStartedError('runs', 'a workflow', 'signalWorkflow'))
      assert.equal(await enter(), null)
      start = () => Promise.reject(new Error('the connection is broken'))
      assert.equal(await enter(), null)
      assert.deepEqual(begun, [])
    })
  })

  for (const time of [TIME, 600])
    it(`an entry that begins on the worker in the process of the API of which nothing is told is asked for in the ordinary way, within the ${time} ms of its request`, async () => {
      told = null
      const asked = performance.now()
      const answered = await Promise.race([enter(undefined, time), setTimeout(TIME, 'late')])
      assert.equal(answered, null)
      assert.ok(performance.now() - asked < Math.max(time, HAND_OVER_WITHIN - 50))
    })
})
