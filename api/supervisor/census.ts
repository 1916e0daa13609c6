import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '#db/engine/unavailable.ts'
import { TEMPORAL_LIST_LAG_MS } from '#db/watch/failing-workflows.ts'
import {
  countStarted,
  listStarted,
  openInSlices,
  type OpenWork,
  type WorkPlace,
} from '#db/watch/open-work.ts'
import { mapLimit } from '#domain/async/map-limit.ts'
import { GatewayUnavailable } from '../temporal/calls.ts'
import type { WatchGateway } from '../temporal/watch-gateway.ts'
import { ensureRunning, START_LIMIT_MS, workflowOf, type EnsureRunning } from './supervisor.ts'

export interface CensusDependencies extends EnsureRunning {
  gateway: Pick<WatchGateway, 'ensureRunning' | 'countRunning' | 'runningOf' | 'inspect'>
  logger: Logger
}

/** Page size of Temporal. */
const SLICE = 1_000
const STARTED_AT_ONCE = 8

const startedLately = (): string => new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()

/** A running workflow that the ledger regards as ended hides a missing one. */
export async function countMissing({ database, gateway }: CensusDependencies): Promise<number> {
  const startedBefore = startedLately()
  const expected = await countStarted(database.em.fork(), startedBefore)
  if (expected === 0) return 0
  return Math.max(expected - (await gateway.countRunning(startedBefore, START_LIMIT_MS)), 0)
}

/** The ledger is read after Temporal: work that has ended meanwhile is left alone. */
export const startMissing = (deps: CensusDependencies, work: readonly OpenWork[]): Promise<number> =>
  startEach(deps, work, async (each) => {
    const isMissing = (await deps.gateway.inspect(workflowOf(each), START_LIMIT_MS)) === null
    return isMissing && ensureRunning(deps, each)
  })

/**
 * Runs that differ from a rolled-back ledger would wait for past events, and never write what it lacks.
 * @param uncompared accounts whose workflows run on: the ledger may lack their orders
 */
export async function replaceRuns(
  deps: CensusDependencies,
  uncompared: ReadonlySet<string> = new Set(),
): Promise<number> {
  let replaced = 0
  for await (const slice of openInSlices(deps.database.em.fork())) {
    const compared = slice.filter(({ accountId }) => accountId === null || !uncompared.has(accountId))
    replaced += await startEach(deps, compared, (each) => ensureRunning(deps, each, { replaces: true }))
  }
  return replaced
}

/** Logs unstartable work; throws errors of Temporal and the ledger. */
async function startEach(
  { logger }: CensusDependencies,
  work: readonly OpenWork[],
  start: (each: OpenWork) => Promise<boolean>,
): Promise<number> {
  let started = 0
  await mapLimit(STARTED_AT_ONCE, work, async (each) => {
    const workflowId = workflowOf(each)
    try {
      if (!(await start(each))) return
      started += 1
      logger.warn({ workflowId }, 'a workflow is started again from the ledger')
    } catch (error) {
      if (error instanceof GatewayUnavailable || isDatabaseUnavailable(error)) throw error
      logger.error({ err: error, workflowId }, 'a workflow could not be started again; it is tried again')
    }
  })
  return started
}

/** Temporal cannot report a hundred thousand workflows in one call. */
export class Census {
  readonly #deps: CensusDependencies
  readonly #slice: number
  readonly #except: ReadonlySet<string>
  #after: WorkPlace | null = null
  #isUnderWay = false

  /** @param except accounts whose orders the ledger may lack */
  constructor(deps: CensusDependencies, slice = SLICE, except: ReadonlySet<string> = new Set()) {
    this.#deps = deps
    this.#slice = slice
    this.#except = except
  }

  get isUnderWay(): boolean {
    return this.#isUnderWay
  }

  begin(): void {
    this.#isUnderWay = true
  }

  /** Returns the number of restarts. A failed slice is repeated. */
  async compareNext(): Promise<number> {
    const { database, gateway } = this.#deps
    const slice = await listStarted(database.em.fork(), startedLately(), this.#slice, this.#after)
    const ids = slice.map(workflowOf)
    const running = ids.length === 0 ? new Set() : await gateway.runningOf(ids, START_LIMIT_MS)
    const started = await startMissing(
      this.#deps,
      slice.filter(({ accountId }, at) => !running.has(ids[at]!) && !this.#except.has(accountId ?? '')),
    )
    this.#after = slice.length < this.#slice ? null : slice.at(-1)!.place
    this.#isUnderWay = this.#after !== null
    return started
  }

  static async take(deps: CensusDependencies, except?: ReadonlySet<string>): Promise<number> {
    const census = new Census(deps, SLICE, except)
    census.begin()
    let started = 0
    while (census.isUnderWay) started += await census.compareNext()
    return started
  }
}
