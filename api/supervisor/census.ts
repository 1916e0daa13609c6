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

/** As many as Temporal tells of in one page. */
const SLICE = 1_000
const STARTED_AT_ONCE = 8

const startedLately = (): string => new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()

/** Cheap, and not exact: a workflow that runs although the ledger holds it for finished hides one that is missing. */
export async function countMissing({ database, gateway }: CensusDependencies): Promise<number> {
  const startedBefore = startedLately()
  const expected = await countStarted(database.em.fork(), startedBefore)
  if (expected === 0) return 0
  return Math.max(expected - (await gateway.countRunning(startedBefore, START_LIMIT_MS)), 0)
}

/** Those of which no workflow runs. The ledger is read after Temporal was asked: what has ended in between is left alone. */
export const startMissing = (deps: CensusDependencies, work: readonly OpenWork[]): Promise<number> =>
  startEach(deps, work, async (each) => {
    const isMissing = (await deps.gateway.inspect(workflowOf(each), START_LIMIT_MS)) === null
    return isMissing && ensureRunning(deps, each)
  })

/**
 * Workflows that run by another state than a ledger that was set back would wait for what has happened, and leave what
 * the ledger lacks unwritten. `uncompared`: accounts of which the ledger may lack orders that their workflows know: these run on.
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

/** One that cannot be started is logged; without Temporal or the ledger none can, and their error is thrown. */
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

/** Slice by slice: of a hundred thousand workflows Temporal cannot tell in one call, and has other work meanwhile. */
export class Census {
  readonly #deps: CensusDependencies
  readonly #slice: number
  readonly #except: ReadonlySet<string>
  #after: WorkPlace | null = null
  #isUnderWay = false

  /** @param except accounts of which the ledger may lack orders */
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

  /** Returns how many were started again. A slice that could not be compared is the next one again. */
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

  /** To its end. */
  static async take(deps: CensusDependencies, except?: ReadonlySet<string>): Promise<number> {
    const census = new Census(deps, SLICE, except)
    census.begin()
    let started = 0
    while (census.isUnderWay) started += await census.compareNext()
    return started
  }
}
