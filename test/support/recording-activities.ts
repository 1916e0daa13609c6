import { setTimeout as pause } from 'node:timers/promises'
import { activityInfo } from '@temporalio/activity'
import { orderAttempts, type AttemptedSteps } from '#activities/attempt.ts'
import type { Activities, OrderAttempts, SubmitOrderInput, SubmitOrderResult } from '#activities/contract.ts'
import { parseClientOrderId, type OrderRole } from '#domain/order/order.ts'
import { addMinutes } from '#domain/time/wall-time.ts'
import { changedLevels } from '#domain/exit/protection-check.ts'
import type { StepTry } from './bare-temporal.ts'
import { StageLevels } from './stage-levels.ts'
import { reportOf } from './sample-signal.ts'
import type { StoredSignal } from './stored-signal.ts'

/** The name of an effect that a workflow may have. */
export type StepName = keyof Activities
const ATTEMPTS = ['attemptEntry'] as const satisfies (keyof OrderAttempts)[]
const isAttempt = (name: StepName): name is keyof OrderAttempts =>
  (ATTEMPTS as readonly StepName[]).includes(name)
/** One that is not made of others. */
type SingleStep = Exclude<StepName, keyof OrderAttempts>
export type StepInput<K extends StepName> = Parameters<Activities[K]>[0]
type StepOutput<K extends StepName> = Awaited<ReturnType<Activities[K]>>

/** What one call of a step does: returns the step's result, or throws; `hang` returns once nobody waits for it any more. */
export type Answer<K extends StepName> = (
  input: StepInput<K>,
  at: string,
  hang: () => Promise<void>,
) => StepOutput<K> | Promise<StepOutput<K>>

/** One call of a step, as it came in. */
export interface StepCall<K extends StepName = StepName> {
  name: K
  input: StepInput<K>
  at: string
  /** Tried within the workflow's own task, as opposed to an activity of the task queue. */
  onTheSpot: boolean
  hang(): Promise<void>
}

/** The answers to the coming calls of steps, one each. */
export type Answers = { [K in StepName]?: readonly Answer<K>[] }

/** Which answers the steps of one signal get, and which calls came. */
export class SignalScript {
  readonly calls: StepCall[] = []
  readonly levels = new StageLevels()
  stored: StoredSignal | null = null
  readonly #answers = new Map<StepName, Answer<StepName>[]>()
  readonly #whenAwaited: () => void
  #waiting: { isReached(): boolean; reached(): void }[] = []

  /** @param whenAwaited called when somebody begins to wait for a call */
  constructor(whenAwaited: () => void = () => {}) {
    this.#whenAwaited = whenAwaited
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0
  }

  /** The answers to the coming calls of a step, one each; later calls get the usual answer. */
  answer<K extends StepName>(name: K, ...answers: Answer<K>[]): this {
    const waiting = this.#answers.get(name) ?? []
    this.#answers.set(name, [...waiting, ...(answers as unknown as Answer<StepName>[])])
    return this
  }

  answers(answers: Answers): this {
    for (const [name, each] of Object.entries(answers) as [StepName, Answer<StepName>[]][])
      this.answer(name, ...each)
    return this
  }

  inputs<K extends StepName>(name: K): StepInput<K>[] {
    return this.callsOf(name).map(({ input }) => input)
  }

  callsOf<K extends StepName>(name: K): StepCall<K>[] {
    return this.calls.filter((call): call is StepCall<K> => call.name === name)
  }

  /** The names of the calls in the order in which they came. */
  get order(): StepName[] {
    return this.calls.map(({ name }) => name)
  }

  /** Resolves when a step has been called this many times. */
  called(name: StepName, times = 1): Promise<void> {
    return this.#until(() => this.callsOf(name).length >= times)
  }

  /** What was written down of accepted orders of a signal that play this part. */
  acceptances(role: OrderRole): StepCall<'recordAccepted'>[] {
    return this.callsOf('recordAccepted').filter(
      ({ input }) => parseClientOrderId(input.report.clientOrderId)?.role === role,
    )
  }

  /** Resolves when it was tried this many times to write down that an order with this part was accepted. */
  accepted(role: OrderRole, times = 1): Promise<void> {
    return this.#until(() => this.acceptances(role).length >= times)
  }

  async #until(isReached: () => boolean): Promise<void> {
    if (isReached()) return
    const called = new Promise<void>((resolve) => this.#waiting.push({ isReached, reached: resolve }))
    this.#whenAwaited()
    await called
  }

  readonly #sizes = new Map<number, StepOutput<'sizeExit'>>()

  /** Like the real one: who was recorded first as wanting the cancel. */
  #marksOf({ clientOrderId }: StepInput<'readCancelMarks'>): StepOutput<'readCancelMarks'> {
    const asked = this.inputs('recordCancelRequested').find((each) => each.clientOrderId === clientOrderId)
    const wasCancelledFor = this.inputs('cancelOrder').findLast(
      (each) => each.cancelledFor?.clientOrderId === clientOrderId,
    )
    return { askedBy: asked?.by ?? null, cancelledFor: wasCancelledFor?.cancelledFor?.to ?? null }
  }

  /** Answers a call; an attempt is made of steps that are played one by one, as the real one is made of the real steps. */
  async play<K extends StepName>(call: StepCall<K>): Promise<StepOutput<K>> {
    if (isAttempt(call.name)) {
      const step = (name: StepName) => (input: StepInput<StepName>) => this.play({ ...call, name, input })
      const steps = Object.fromEntries((Object.keys(USUAL) as StepName[]).map((name) => [name, step(name)]))
      // Single steps can be scripted.
      const made = {
        ...steps,
        decideEntry: async (terms: StepInput<'prepareEntry'>) => ({
          prepared: await step('prepareEntry')(terms),
        }),
      } as unknown as AttemptedSteps
      const attempts = orderAttempts(made, { now: () => Date.parse(call.at) })
      return (await attempts[call.name](call.input as never)) as StepOutput<K>
    }
    this.calls.push(call)
    const [now, later] = [
      this.#waiting.filter((w) => w.isReached()),
      this.#waiting.filter((w) => !w.isReached()),
    ]
    this.#waiting = later
    for (const { reached } of now) reached()
    const answer = await this.#answer(call)
    this.stored?.note(call, answer)
    return answer
  }

  async #answer<K extends StepName>(call: StepCall<K>): Promise<StepOutput<K>> {
    if (call.name === 'loadSignal') return this.stored!.load() as StepOutput<K>
    if (call.name === 'lookAtExit')
      return this.levels.look(call.input as StepInput<'lookAtExit'>) as StepOutput<K>
    this.levels.note(call)
    if (call.name === 'readCancelMarks' && !this.#answers.get('readCancelMarks')?.length)
      return this.#marksOf(call.input as StepInput<'readCancelMarks'>) as StepOutput<K>
    if (call.name === 'submitOrder') {
      const { clientOrderId } = (call.input as StepInput<'submitOrder'>).request
      return (this.#taken.get(clientOrderId) ??
        (await this.#submit(call as StepCall<'submitOrder'>))) as StepOutput<K>
    }
    const answer = this.#nextAnswer(call.name)
    if (call.name === 'adjustProtection') {
      const adjusted = await answer(call.input, call.at, call.hang)
      if (adjusted !== 'other') this.levels.adjusted()
      return adjusted
    }
    if (call.name !== 'sizeExit') return answer(call.input, call.at, call.hang)
    // Like the real one, which keeps the first size of each exit in the ledger.
    const { generation } = call.input as StepInput<'sizeExit'>
    const sized =
      this.#sizes.get(generation) ??
      ((await answer(call.input, call.at, call.hang)) as StepOutput<'sizeExit'>)
    if (sized.quantity !== null) this.#sizes.set(generation, sized)
    return sized as StepOutput<K>
  }

  #nextAnswer<K extends StepName>(name: K): Answer<K> {
    return (this.#answers.get(name)?.shift() ?? USUAL[name as keyof typeof USUAL]) as unknown as Answer<K>
  }

  /** Like a broker, which answers with the order that it has when an id is sent again, for a workflow task repeated. */
  async #submit({ input, at, hang }: StepCall<'submitOrder'>): Promise<SubmitOrderResult> {
    const result = await this.#nextAnswer('submitOrder')(input, at, hang)
    if (result.outcome === 'accepted') this.#taken.set(input.request.clientOrderId, result)
    return result
  }

  readonly #taken = new Map<string, SubmitOrderResult>()
}

/**
 * Activities that have no effect: they write down who called them, and answer as the script of the signal says.
 * One worker with these serves any number of signals.
 */
export class RecordingActivities {
  readonly #scripts = new Map<string, SignalScript>()
  /** Called when somebody begins to wait for a call. */
  whenAwaited = (): void => {}

  get isAwaited(): boolean {
    return [...this.#scripts.values()].some(({ isAwaited }) => isAwaited)
  }

  scriptOf(signalId: string): SignalScript {
    const script = this.#scripts.get(signalId) ?? new SignalScript(() => this.whenAwaited())
    this.#scripts.set(signalId, script)
    return script
  }

  async perform({ workflowId, name, input, onTheSpot, hang }: StepTry): Promise<unknown> {
    const call = { name: name as StepName, input: input as StepInput<StepName>, onTheSpot, hang }
    return this.scriptOf(carriedBy(workflowId)).play({ ...call, at: new Date().toISOString() })
  }

  /** The activities to give to a worker. */
  get activities(): Record<StepName, (input: StepInput<StepName>) => Promise<unknown>> {
    const recorded = (name: StepName) => (input: StepInput<StepName>) => {
      const { workflowExecution, isLocal: onTheSpot } = activityInfo()
      const { workflowId } = workflowExecution!
      return this.perform({ workflowId, name, input, onTheSpot, hang: () => givenUp(onTheSpot) })
    }
    const names = [...Object.keys(USUAL), 'lookAtExit', 'loadSignal', ...ATTEMPTS] as StepName[]
    return Object.fromEntries(names.map((name) => [name, recorded(name)])) as Record<
      StepName,
      ReturnType<typeof recorded>
    >
  }
}

/** A local activity is given up within so many milliseconds, and an ordinary one that is not waited for longer. */
const givenUp = (onTheSpot: boolean): Promise<void> => pause(onTheSpot ? 2_000 : 6_000)

/** The id of the signal that a workflow carries. */
const carriedBy = (workflowId: string): string => workflowId.slice(workflowId.indexOf('-') + 1)

/** The broker takes the order, which then works in the market. */
export const accepts = ({ request }: SubmitOrderInput, at: string): SubmitOrderResult => ({
  outcome: 'accepted',
  report: reportOf(request, at),
})

/** The acceptance of an order is written down. */
const recordsAcceptance: Answer<'recordAccepted'> = ({ report }) => ({
  orderId: `order ${report.clientOrderId}`,
  report,
})

/** The exit is for all shares of its entry that no other exit is for. */
export const sizedWhole: Answer<'sizeExit'> = ({ filledQuantity: all }) => ({
  quantity: all,
  coversQuantity: all,
  notBefore: null,
})

const nothing = (): void => {}
const inTime = (): 'stopped' => 'stopped'

/** What a step answers when its script says nothing. */
const USUAL: { [K in Exclude<SingleStep, 'lookAtExit' | 'loadSignal'>]: Answer<K> } = {
  prepareEntry: ({ quantity }) => ({ outcome: 'ready', quantity, advisories: [] }),
  cancelOrder: () => ({ report: null }),
  submitOrder: accepts,
  sizeExit: sizedWhole,
  scheduleExit: ({ rule, entryEndedAt, scheduledFor }) => ({
    submitAt: scheduledFor ?? addMinutes(entryEndedAt, rule.minutes ?? 0),
    reason: null,
  }),
  sessionEnd: ({ at }) => ({ endsAt: `${at.slice(0, 10)}T21:00:00.000Z` }),
  adjustProtection: () => 'same',
  recordProtectionChanged: ({ change }) => ({ protection: changedLevels(null, change) }),
  recordAccepted: recordsAcceptance,
  recordWaiting: nothing,
  recordDue: nothing,
  recordDeclined: inTime,
  recordDecisionLapsed: ({ detail }, at) => ({
    outcome: 'held',
    detail,
    refused: { code: 'STALE', approvedAt: at, quantity: '10', limitPrice: null },
  }),
  recordCancelled: inTime,
  recordReplaced: inTime,
  recordExitCancelled: inTime,
  recordTransmitted: nothing,
  recordNotPlaced: nothing,
  recordExitTrouble: () => ({ acknowledged: false }),
  recordCancelRequested: nothing,
  readCancelMarks: () => ({ askedBy: null, cancelledFor: null }),
  acknowledgeEnds: nothing,
  recordClosed: nothing,
}
