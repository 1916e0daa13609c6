import type { Decimal } from '#domain/money/decimal.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { workflowIdFor, type SignalTerms } from '#domain/signal/signal.ts'
import type { UntrustedMessage } from '#workflows/messages/address-contract.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import { orderChanged } from '#workflows/order/contract.ts'
import { awaitEntry, searchAttributes, type EntryAnswer } from '#workflows/signal/contract.ts'
import { laterStart } from '#workflows/signal/start-contract.ts'
import { byHandTerms, type ByHandChanges } from './by-hand-terms.ts'
import { RecordingActivities, type Answers, type SignalScript } from './recording-activities.ts'
import { filled, reportOf, signalTerms } from './sample-signal.ts'
import { SignalPlay } from './signal-play.ts'
import { StoredSignal } from './stored-signal.ts'
import { BareServer, RealServer, type StageServer, type WorkflowStart } from './stage-server.ts'

/** What the steps of a signal are to answer. */
type Prepare = Answers | ((script: SignalScript) => unknown)

/** Plays signals: the real workflow code, on activities that only record what they are told. */
export class SignalStage {
  readonly #server: StageServer
  readonly #recording: RecordingActivities

  protected constructor(server: StageServer, recording: RecordingActivities) {
    this.#server = server
    this.#recording = recording
  }

  /** A stage on a real server with a worker; `close` stops the worker and leaves the server alone. */
  static async onServerAt(address: string): Promise<RealStage> {
    const recording = new RecordingActivities()
    return new RealStage(await RealServer.at(address, recording), recording)
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return Date.now()
  }

  /** The UTC instant so many minutes from now. */
  minutesFromNow(minutes: number): string {
    return new Date(this.now() + minutes * 60_000).toISOString()
  }

  /** From now on workflow tasks are worked on. */
  startWorker(): Promise<void> {
    return this.#server.startWorker()
  }

  stopWorker(): Promise<void> {
    return this.#server.stopWorker()
  }

  /** Starts the workflow of a signal. `isToMove`: it is to go on in another queue once its entry is sent; here that is its own. */
  async begin(
    changes: Partial<SignalTerms> = {},
    prepare: Prepare = {},
    { isToMove = false }: { isToMove?: boolean } = {},
  ): Promise<SignalPlay> {
    const { terms, script, start } = this.#prepared(changes, prepare, isToMove)
    return new SignalPlay(this.#server, terms, script, await this.#server.start(SIGNAL_WORKFLOW, start))
  }

  /** Starts the workflow of a signal together with the question how its entry went, as the API does. */
  async beginAndAwaitEntry(
    changes: Partial<SignalTerms> = {},
    prepare: Prepare = {},
  ): Promise<{ play: SignalPlay; answer: EntryAnswer }> {
    const { terms, script, start } = this.#prepared(changes, prepare)
    const { handle, answer } = await this.#server.startWithUpdate(SIGNAL_WORKFLOW, start, awaitEntry)
    return { play: new SignalPlay(this.#server, terms, script, handle), answer: answer as EntryAnswer }
  }

  /** Starts the workflow of a signal together with a message that is there before the workflow's first task. */
  async beginWithMessage(
    changes: Partial<SignalTerms>,
    message: (terms: SignalTerms) => OrderReport,
    prepare: Prepare = {},
  ): Promise<SignalPlay> {
    const { terms, script, start } = this.#prepared(changes, prepare)
    const handle = await this.#server.startWithSignal(
      SIGNAL_WORKFLOW,
      start,
      orderChanged.name,
      message(terms),
    )
    return new SignalPlay(this.#server, terms, script, handle)
  }

  /** Starts the workflow of an order by hand. */
  beginByHand(
    { side, reducesOnly, owners, ...changes }: ByHandChanges = {},
    prepare: Prepare = {},
  ): Promise<SignalPlay> {
    const ask = { ...(side && { side }), ...(reducesOnly && { reducesOnly }), ...(owners && { owners }) }
    const { signalId: _, acceptedAt: __, sendBefore: ___, ...terms } = byHandTerms(ask)
    return this.begin({ ...terms, ...changes }, prepare)
  }

  /** The feed opens a signal again that had ended, because a fill of an order of it came all the same. */
  async reopen(
    { terms, script }: SignalPlay,
    clientOrderId: string,
    filledQuantity: Decimal,
  ): Promise<SignalPlay> {
    const [call] = script
      .callsOf('submitOrder')
      .filter(({ input }) => input.request.clientOrderId === clientOrderId)
    if (!call) throw new Error(`${clientOrderId} has not been sent`)
    const at = this.minutesFromNow(0)
    const report = reportOf(call.input.request, at, { status: 'CANCELLED', ...filled(filledQuantity, at) })
    script.stored!.hear(report)
    const { taskQueue } = this.#server
    const start = laterStart(terms, script.stored!.status, taskQueue)
    const handle = await this.#server.startWithSignal(SIGNAL_WORKFLOW, start, orderChanged.name, report)
    return new SignalPlay(this.#server, terms, script, handle)
  }

  #script(id: string, prepare: Prepare): SignalScript {
    const script = this.#recording.scriptOf(id)
    if (typeof prepare === 'function') prepare(script)
    else script.answers(prepare)
    return script
  }

  /** A signal of this moment: one that is too old to be sent ends at the first check that fails, as on a slow machine. */
  #prepared(changes: Partial<SignalTerms>, prepare: Prepare, isToMove = false) {
    const isImmediate = (changes.executeMode ?? 'immediate') === 'immediate'
    const terms = signalTerms({
      acceptedAt: this.minutesFromNow(0),
      sendBefore: this.minutesFromNow(isImmediate ? 1 : 24 * 60),
      ...changes,
    })
    const script = this.#recording.scriptOf(terms.signalId)
    script.stored = new StoredSignal(terms)
    this.#script(terms.signalId, prepare)
    script.stored = new StoredSignal(terms)
    const start: WorkflowStart = {
      workflowId: workflowIdFor(terms.signalId),
      args: [{ terms, ...(isToMove && { thenQueue: this.#server.taskQueue }) }],
      typedSearchAttributes: [
        { key: searchAttributes.status, value: 'queued' },
        { key: searchAttributes.symbol, value: terms.symbol },
      ],
    }
    return { terms, script, start }
  }
}

/** On a real server, by the clock of the machine. */
export class RealStage extends SignalStage {
  readonly server: RealServer

  constructor(server: RealServer, recording: RecordingActivities) {
    super(server, recording)
    this.server = server
  }

  /** What came for any signal of the stage and was not believed. */
  get untrusted(): UntrustedMessage[] {
    return this.server.untrusted
  }

  /** Has a signal’s next task find its history longer by so many events. */
  async lengthen(play: SignalPlay, events: number): Promise<void> {
    await this.stopWorker()
    await Promise.all(Array.from({ length: events }, () => play.idleMessage()))
    await this.startWorker()
  }

  close(): Promise<void> {
    return this.server.close()
  }
}

/** Without a server, by a clock that jumps to the next timer while somebody waits for an answer, a step or an end. */
export class BareStage extends SignalStage {
  readonly #server: BareServer

  constructor() {
    const recording = new RecordingActivities()
    const server = new BareServer(recording)
    super(server, recording)
    this.#server = server
  }

  /** Minutes pass, and with them all timers that ring until then. */
  letPass(minutes: number): Promise<void> {
    return this.#server.temporal.letPass(minutes * 60_000)
  }

  /** Has a signal go on as a new run, as one whose history has grown long. */
  async lengthen(play: SignalPlay): Promise<void> {
    await this.settle()
    play.run.isLong = true
    await this.settle()
  }

  settle(): Promise<void> {
    return this.#server.temporal.settle()
  }

  /** For the hooks of a describe: before it, before each of its tests, and after it. */
  load(): Promise<void> {
    return this.#server.temporal.load()
  }
  beginAfresh(): void {
    this.#server.begin()
  }
  close(): void {
    this.#server.close()
  }
}

/** A stage without a server for the tests of a describe, each of which begins with nothing, at the same instant. */
export function useStage(): BareStage {
  const stage = new BareStage()
  before(() => stage.load())
  beforeEach(() => stage.beginAfresh())
  after(() => stage.close())
  return stage
}
