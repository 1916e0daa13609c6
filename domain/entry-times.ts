/**
 * How long the parts of an entry's road may take, from the request of its sender until its record, and how long one part is
 * waited for by another. All are milliseconds. They are right only in a certain order, which `test/domain/entry-times.test.ts`
 * writes down and holds them to: change none without reading it.
 */

// The start of the workflow on the worker in the process of the API (`api/temporal/entry-here.ts`).

/** With less time left for the answer to the sender nothing is started in this process. */
export const LEAST_TIME = 500
/** The time that the start may take. On a machine with more to do than it can, a start waits its turn for half a second. */
export const START_WITHIN = 1_000
/** The time that is left for the ordinary way when the start was not answered. */
export const LEFT_FOR_ORDINARY_WAY = 300
/**
 * Until the call itself is given up. The first task comes with its answer: given up with the wait, the call would leave a
 * workflow whose first task nobody has, until that times out.
 */
export const START_DEADLINE = 5_000
/** After the start, until the workflow is asked for an outcome that the worker in this process has not told. */
export const HAND_OVER_WITHIN = 1_000
/** During which nothing is started here after a start that says that its connection may be broken. */
export const AVOIDED_FOR = 5_000
/** A workflow task that a worker does not answer for so long is given to another one: so soon one takes over after a death. */
export const WORKFLOW_TASK_WITHIN = 5_000

// An attempt that begins before its workflow asks for it (`activities/handover/entry-handover.ts`).

/** For which an attempt is kept for its workflow from its beginning; then the workflow makes one of its own. */
export const ATTEMPT_KEPT_FOR = 5_000

// One attempt to check, send and record an order (`activities/attempt.ts`), from its beginning. A step that began later would
// have less than its time, and be done a second time: it is left to the workflow, which gives each step a time of its own.

/** Until its order is sent. */
export const SEND_WITHIN = 400
/** Until nothing is waited for any more. */
export const LONGEST_WAIT = 900
/** Until its acceptance is recorded. */
export const RECORD_WITHIN = 1_100
/** Until the record of a fill that came after the acceptance is waited for. */
export const FILL_RECORDED_WITHIN = 1_300
/** Until the reports of its order go to the attempt, and not to the feed. */
export const HOLD_REPORTS_FOR = 1_400

/** How long a market order that was accepted is waited for to fill. */
export const FILL_PATIENCE = {
  /** Before its acceptance is recorded. */
  beforeRecord: 25,
  /** The same where a request of this process is answered with the record. */
  beforeAnswer: 5,
  /** After that answer, so that the workflow goes on with the fill at once. Messages to it wait as long. */
  afterAnswer: 400,
} as const

// The last gate before the broker, and what is known after it (`activities/order/throttle.ts`, `activities/order/submit.ts`).

/**
 * From the question to the throttle until the order has to leave. An older answer no longer shows what stands, and the state of the kill
 * switch. Room for the handshake with a distant broker.
 */
export const LEAVES_WITHIN = 2_000
/**
 * For which a broker's look-up may lag behind its own records: an order that is not found that soon after an attempt with an
 * unknown outcome may still appear, so no final conclusion is drawn.
 */
export const LOOKUP_LAG = 5_000

// The steps of the workflow (`workflows/steps/steps.ts`).

/** One try as a local activity, which an attempt is as well. */
export const QUICK_STEP = 1_500
/** All tries of a step that its workflow can go on without. */
export const BRIEF_STEP = 4_000
/** One try as an ordinary activity. Longer than a broker request may take, short enough to notice a crashed worker soon. */
export const DURABLE_STEP = 8_000
