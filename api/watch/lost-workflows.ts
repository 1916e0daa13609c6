import { listUnfinished, type UnfinishedPlace } from '#db/watch/unfinished-work.ts'
import { workflowOf } from './diagnosis.ts'
import { TEMPORAL_LIST_LAG_MS } from '#db/watch/failing-workflows.ts'
import { restartAll, RESTART_QUESTION_LIMIT_MS, type RestartDependencies } from './restarts.ts'

/** As many as Temporal tells of in one page. */
const SLICE = 1_000

/** Slice by slice: of a hundred thousand workflows Temporal cannot tell in one call, and has other work meanwhile. */
export class LostWorkflows {
  readonly #deps: RestartDependencies
  readonly #slice: number
  #after: UnfinishedPlace | null = null
  #isUnderWay = false

  constructor(deps: RestartDependencies, slice = SLICE) {
    this.#deps = deps
    this.#slice = slice
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
    const startedBefore = new Date(Date.now() - TEMPORAL_LIST_LAG_MS).toISOString()
    const slice = await listUnfinished(database.em.fork(), startedBefore, this.#slice, this.#after)
    const ids = slice.map((each) => workflowOf(each)!)
    const running = ids.length === 0 ? new Set() : await gateway.runningOf(ids, RESTART_QUESTION_LIMIT_MS)
    const restarted = await restartAll(
      this.#deps,
      slice.filter((_, at) => !running.has(ids[at]!)),
    )
    this.#after = slice.length < this.#slice ? null : slice.at(-1)!.place
    this.#isUnderWay = this.#after !== null
    return restarted
  }
}

export async function restartMissing(deps: RestartDependencies): Promise<number> {
  const lost = new LostWorkflows(deps)
  lost.begin()
  let restarted = 0
  while (lost.isUnderWay) restarted += await lost.compareNext()
  return restarted
}
