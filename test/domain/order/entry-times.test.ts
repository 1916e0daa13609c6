import assert from 'node:assert/strict'
import { apiSettings, workerSettings } from '#config/env.ts'
import * as times from '#domain/order/entry-order.ts'

const {
  BRIEF_STEP,
  DURABLE_STEP,
  LEAVES_WITHIN,
  LOOKUP_LAG,
  QUICK_STEP,
  RECORD_WITHIN,
  SEND_WITHIN,
  WORKFLOW_TASK_WITHIN,
} = times
/** The settings that the road depends on, as they are unless set. */
const ANSWER_DEADLINE = apiSettings.shape.SIGNAL_ANSWER_DEADLINE_MS.parse(undefined)
const BROKER_REQUEST = workerSettings.shape.BROKER_REQUEST_TIMEOUT.parse(undefined)

/** What has to be true, and of which two times the first is smaller. */
type Inequality = [says: string, smaller: number, larger: number]

/** What may be as large as the other, too. */
const AT_MOST: Inequality[] = [
  [
    'what passed the gate has left, and its request has ended, after two times what a request may take',
    LEAVES_WITHIN,
    BROKER_REQUEST,
  ],
]

const LESS: Inequality[] = [
  ['what an attempt decides at the last moment may still leave', SEND_WITHIN, LEAVES_WITHIN],
  [
    'an order that is sent at the last moment has time to be accepted and recorded',
    SEND_WITHIN,
    RECORD_WITHIN,
  ],
  ['the workflow receives an acceptance that is recorded at the last moment', RECORD_WITHIN, QUICK_STEP],
  ['the sender is answered by an attempt that took all its time', QUICK_STEP, ANSWER_DEADLINE],
  ['a quick step ends within the workflow task that has begun it', QUICK_STEP, WORKFLOW_TASK_WITHIN],
  ['a step that was not quick is tried again before it is gone on without', QUICK_STEP, BRIEF_STEP],
  ['an ordinary activity outlasts a request to a broker', BROKER_REQUEST, DURABLE_STEP],
  ['an ordinary activity outlasts the wait for a look-up', LOOKUP_LAG, DURABLE_STEP],
]

describe('the times of the road of an entry', () => {
  for (const [says, smaller, larger] of AT_MOST)
    it(`the times of the road of an entry are such that ${says}`, () =>
      assert.ok(smaller <= larger, `${smaller} <= ${larger}`))

  for (const [says, smaller, larger] of LESS)
    it(`the times of the road of an entry are such that ${says}`, () =>
      assert.ok(smaller < larger, `${smaller} < ${larger}`))
})
