import assert from 'node:assert/strict'
import { apiSettings, workerSettings } from '#config/env.ts'
import * as times from '#domain/entry-times.ts'

const {
  ATTEMPT_KEPT_FOR,
  AVOIDED_FOR,
  BRIEF_STEP,
  DURABLE_STEP,
  FILL_PATIENCE,
  FILL_RECORDED_WITHIN,
  HAND_OVER_WITHIN,
  HOLD_REPORTS_FOR,
  LEAST_TIME,
  LEAVES_WITHIN,
  LEFT_FOR_ORDINARY_WAY,
  LONGEST_WAIT,
  LOOKUP_LAG,
  QUICK_STEP,
  RECORD_WITHIN,
  SEND_WITHIN,
  START_DEADLINE,
  START_WITHIN,
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
    'a start that is not answered leaves the sender of a signal the ordinary way',
    START_WITHIN + LEFT_FOR_ORDINARY_WAY,
    ANSWER_DEADLINE,
  ],
  [
    'what is told right after a start that was answered late is told before the answer is due',
    START_WITHIN + HAND_OVER_WITHIN,
    ANSWER_DEADLINE,
  ],
  ['an answer to a start brings a first task that still counts', START_DEADLINE, WORKFLOW_TASK_WITHIN],
  [
    'a workflow that is given to another worker gets no attempt that was kept from before',
    ATTEMPT_KEPT_FOR,
    WORKFLOW_TASK_WITHIN,
  ],
  [
    'a start is tried here again only when one that got no answer has ended',
    START_DEADLINE,
    START_WITHIN + AVOIDED_FOR,
  ],
  [
    'what was let out has left, and its request has ended, after two times what a request may take',
    LEAVES_WITHIN,
    BROKER_REQUEST,
  ],
]

const LESS: Inequality[] = [
  ['what is started here leaves time for more than the ordinary way', LEFT_FOR_ORDINARY_WAY, LEAST_TIME],
  ['the call of a start goes on when it is not waited for any more', START_WITHIN, START_DEADLINE],
  ['what an attempt decides at the last moment may still leave', SEND_WITHIN, LEAVES_WITHIN],
  ['an attempt that tells nothing is not waited for long', SEND_WITHIN, HAND_OVER_WITHIN],
  [
    'an order that is sent at the last moment has time to be accepted and recorded',
    SEND_WITHIN,
    RECORD_WITHIN,
  ],
  [
    'an acceptance that is recorded at the last moment was waited for as long',
    RECORD_WITHIN + FILL_PATIENCE.beforeRecord,
    FILL_RECORDED_WITHIN,
  ],
  ['a fill that came at the last moment has time to be recorded', LONGEST_WAIT, FILL_RECORDED_WITHIN],
  [
    'reports go to the attempt for as long as it records what they bring',
    FILL_RECORDED_WITHIN,
    HOLD_REPORTS_FOR,
  ],
  ['the workflow hears of all that its attempt took from the feed', HOLD_REPORTS_FOR, QUICK_STEP],
  [
    'the sender waits less for a fill than the record does',
    FILL_PATIENCE.beforeAnswer,
    FILL_PATIENCE.beforeRecord,
  ],
  ['and the record less than the workflow', FILL_PATIENCE.beforeRecord, FILL_PATIENCE.afterAnswer],
  ['the wait of the workflow fits into the attempt', FILL_PATIENCE.afterAnswer, LONGEST_WAIT],
  [
    'no second attempt is made beside one that waits for its broker',
    SEND_WITHIN + BROKER_REQUEST,
    ATTEMPT_KEPT_FOR,
  ],
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
